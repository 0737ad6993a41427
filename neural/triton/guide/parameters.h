// The 90,816 parameters of the network, as one array.
//
//   x = codes + scalars W_in                        (nodes, 64)
//   twice: x += softmax(q k^T / 4) v W_out, 4 heads of 16, q k v = x W_qkv
//          x = norm(x + relu(x W_up) W_down)
//   logits = relu(state W_1 + b_1) W_2 + b_2        (64,): 48 instructions, then 16 arguments
//
// Matrices are stored row by row, (inputs, outputs).
#pragma once

#include <cstddef>

#include "neural/triton/guide/features.h"

namespace txvm::triton::guide {

/// Sizes of the network. An output of kLogits rates kOps instructions, then 16 arguments.
inline constexpr std::size_t kLayers = 2;
inline constexpr std::size_t kHeads = 4;
inline constexpr std::size_t kHeadWidth = kWidth / kHeads;
inline constexpr std::size_t kHidden =
    128;  // of the encoder's and the decoder's feed-forward layers
inline constexpr std::size_t kOps = kTasmOps.size();
inline constexpr std::size_t kLogits = kOps + 16;

/// A move's rating by logits of any type: its instruction's and its argument's together.
template <typename Logits>
auto RatingOf(const Logits& logits, const MoveCode& move) {
  return logits[move.op] + (move.has_arg ? logits[kOps + move.arg] : 0);
}

/// Where a matrix or a vector lies in the array.
struct Part {
  std::size_t offset, inputs, outputs;
  constexpr std::size_t size() const { return inputs * outputs; }
  constexpr std::size_t end() const { return offset + size(); }
};

/// The matrices and vectors of a layer of the encoder.
struct LayerParts {
  Part qkv, out, up, down, scale, shift;
};

/// W_in of the encoder.
inline constexpr Part kInput{0, kScalars, kWidth};

/// The parts of layer 0 or 1 of the encoder.
constexpr LayerParts LayerAt(std::size_t layer) {
  LayerParts parts{};
  constexpr std::size_t kSize = kWidth * (3 * kWidth + kWidth + 2 * kHidden + 2);
  parts.qkv = {kInput.end() + layer * kSize, kWidth, 3 * kWidth};
  parts.out = {parts.qkv.end(), kWidth, kWidth};
  parts.up = {parts.out.end(), kWidth, kHidden};
  parts.down = {parts.up.end(), kHidden, kWidth};
  parts.scale = {parts.down.end(), 1, kWidth};
  parts.shift = {parts.scale.end(), 1, kWidth};
  return parts;
}

/// W_1, b_1, W_2 and b_2 of the decoder, and the number of all parameters.
inline constexpr Part kFirst{LayerAt(kLayers - 1).shift.end(), kState, kHidden};
inline constexpr Part kFirstBias{kFirst.end(), 1, kHidden};
inline constexpr Part kSecond{kFirstBias.end(), kHidden, kLogits};
inline constexpr Part kSecondBias{kSecond.end(), 1, kLogits};
inline constexpr std::size_t kParameters = kSecondBias.end();
static_assert(kLogits == 64 && kParameters == 90'816);

}  // namespace txvm::triton::guide

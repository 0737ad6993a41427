// The whole machine as a decoder-only transformer with generated integer weights.
//
// NOTATION  x: residual vector of a token, (d_model,). Layer: x += attention(x), then x += ffn(x).
//           attention, per head: q = W_Q x + b_q, k = W_K x + b_k (kScoreSize,), v = W_V x; the
//           token with the largest q . k wins, the latest among equals; x += W_O v(winner).
//           ffn: x += W_down (relu(W_gate x + b_gate) * (W_up x + b_up)).
// FACTS     (1) keys read only lanes that no layer writes, so a token's keys and values are
//               functions of its record alone (CheckModel). (2) score = |q|^2 - |q - k|^2 over the
//               four byte digits, minus 2^20 for a token of another space: largest exactly at the
//               queried address of the head's space.
// Goals: every number a step needs is in these matrices; every row is exact in float32 (bounds.h).
// Non-goals: training, soft attention, positions (the order of tokens is all that is used).
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "isa/support/result.h"
#include "weights/heads.h"
#include "weights/matrix.h"
#include "weights/tokens.h"

namespace txvm::weights {

inline constexpr std::size_t kScoreSize = 6;         // four digits, the square, the space mask
inline constexpr std::int32_t kSpaceMask = 1 << 20;  // exceeds any difference of digit scores
/// A run keeps a head's values for every token: a head needs no more than a token has fields.
inline constexpr std::size_t kMaxHeadValues = memory_field::kCount;

/// A residual lane of the model and the integers it can hold when a layer reads it.
struct LaneInfo {
  std::string name;
  std::int32_t low = 0, high = 0;
  friend bool operator==(const LaneInfo&, const LaneInfo&) = default;
};

/// One attention head.
struct ModelHead {
  HeadId id = HeadId::kFetch;
  SparseMatrix w_q;               // (kScoreSize, d_model)
  std::vector<std::int32_t> b_q;  // (kScoreSize,)
  SparseMatrix w_k;               // (kScoreSize, d_model)
  std::vector<std::int32_t> b_k;  // (kScoreSize,)
  SparseMatrix w_v;               // (values, d_model)
  SparseMatrix w_o;               // (d_model, values)
  friend bool operator==(const ModelHead&, const ModelHead&) = default;
};

/// The gated units of one layer.
struct FeedForward {
  SparseMatrix w_gate;               // (units, d_model)
  std::vector<std::int32_t> b_gate;  // (units,)
  SparseMatrix w_up;                 // (units, d_model)
  std::vector<std::int32_t> b_up;    // (units,)
  SparseMatrix w_down;               // (d_model, units)
  friend bool operator==(const FeedForward&, const FeedForward&) = default;
};

struct ModelLayer {
  std::vector<ModelHead> heads;
  FeedForward ffn;
  friend bool operator==(const ModelLayer&, const ModelLayer&) = default;
};

/// Fields of a token record: the state fields, then the memory fields. One of the two parts is 0.
inline constexpr std::size_t kTokenFields = state_field::kCount + memory_field::kCount;
/// Fields a pass produces: the next state, then kWriteTokens memory records.
inline constexpr std::size_t kOutputFields =
    state_field::kCount + kWriteTokens * memory_field::kCount;

/// The code a model was specialised to (fold.h).
struct FoldedCode {
  std::uint32_t instructions = 0;
  std::string sha256;  // CodeSha256
  friend bool operator==(const FoldedCode&, const FoldedCode&) = default;
};

struct Model {
  std::vector<LaneInfo> lanes;  // (d_model,)
  SparseMatrix w_embed;         // (d_model, kTokenFields)
  std::vector<ModelLayer> layers;
  SparseMatrix w_out;                // (kOutputFields, d_model)
  std::vector<std::int32_t> b_out;   // (kOutputFields,)
  std::optional<FoldedCode> folded;  // set: runs this code alone, without code tokens

  std::uint32_t d_model() const { return static_cast<std::uint32_t>(lanes.size()); }
  friend bool operator==(const Model&, const Model&) = default;
};

/// The model the tables describe: all 55 opcodes and TRAP. Deterministic; tens of milliseconds.
Model CompileModel();

/// What `txvm weights info` prints.
struct ModelCard {
  std::size_t layers = 0, heads = 0, head_layers = 0, d_model = 0, units = 0;
  std::size_t parameters = 0;  // of the dense matrices and biases
  std::size_t non_zeros = 0;
  std::vector<std::size_t> units_per_layer;
};
ModelCard Describe(const Model& model);

/// Checks the shapes, that a head has at most kMaxHeadValues, that weights are integers within
/// kMaxWeight and sorted, fact (1): no head's W_O and no W_down writes a lane that a W_K or W_V
/// reads, and that no head's W_Q reads a lane that another head of its layer writes, so that the
/// order in which heads are computed does not matter. kInvalid names the matrix or the head.
isa::Result<void> CheckModel(const Model& model);

}  // namespace txvm::weights

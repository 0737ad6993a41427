// The network over the Goldilocks field: numbers have 16 bits after the binary point.
//
// Weights lie within +-kMostWeight and activations are clamped to +-kMostActivation, so no sum of
// products reaches 2^53, let alone (p-1)/2: integers, even those in a double, compute what the
// field does, exactly, and the network gives the same bits everywhere. Each product by a matrix
// of weights rounds once per output, half to even, as DotRounded; attention's scores are divided by
// 4 before, and what it takes of the values is cut, not rounded.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "isa/support/result.h"
#include "neural/triton/guide/parameters.h"

namespace txvm::triton::guide {

/// Bounds of weights and activations, in units of 2^-16.
inline constexpr std::int32_t kMostWeight = 64 * kOne;
inline constexpr std::int32_t kMostActivation = 64 * kOne;

/// Ratings of instructions, then of arguments; see RatingOf.
using Logits = std::array<std::int32_t, kLogits>;
/// The encoder's output: numbers for each node of a run.
using Encoding = std::array<std::array<std::int32_t, kLearntLanes>, kNodes>;

/// The weights of the network, and its two halves.
class Network {
 public:
  /// weights: numerators, in units of 2^-16, in the order of parameters.h.
  /// Errors: kInvalid for another number of them, kLimit for one beyond kMostWeight.
  static isa::Result<Network> Make(std::vector<std::int32_t> weights);

  /// Once a run, 2 M products for 32 nodes.
  Encoding Encode(const RunNodes& nodes) const;
  /// Once a state, 25 k products at most.
  Logits Decode(const Encoding& encoding, const StateInput& state) const;

  std::span<const std::int32_t> weights() const { return weights_; }

 private:
  explicit Network(std::vector<std::int32_t> weights)
      : weights_(std::move(weights)), factors_(weights_.begin(), weights_.end()) {}
  std::vector<std::int32_t> weights_;
  std::vector<double> factors_;  // the same numbers
};

/// e^-x for x >= 0, both in units of 2^-16, within 2^-14; 0 from 12 on.
std::int32_t ExpOfMinus(std::int64_t x);

}  // namespace txvm::triton::guide

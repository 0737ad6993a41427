// The products of the network: a row of activations by a matrix of weights.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace txvm::neural::optimizer {

/// Outputs come in multiples of so many.
inline constexpr std::size_t kProductBlock = 64;

/// out = x W + bias, all in units of 2^-16, rounded once half to even and clamped to
/// +-kMostActivation. weights: (x.size(), out.size()), row by row; bias: (out.size(),), or null for
/// none. The sums are integers below 2^53 in doubles (network.h): exact in any order and fused or
/// not, hence the same bits on every SIMD target. REQUIRES: inputs within
/// +-kMostActivation, weights and bias within +-kMostWeight; at most kMostInputs inputs, outputs a
/// multiple of kProductBlock. Cost: 2 flops an output and input that is not 0: zeros are common
/// behind a relu.
void Product(std::span<const std::int32_t> x, const double* weights, const double* bias,
             std::span<std::int32_t> out);
inline constexpr std::size_t kMostInputs = 128;

}  // namespace txvm::neural::optimizer

// The product of a row of fixed-point numbers by a matrix of them, exactly.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace txvm::vm {

/// Numbers are integers in units of 1 / one; results are clamped to +-most.
struct FixedRange {
  std::int32_t one;  // a power of two
  std::int32_t most;
};

inline constexpr std::size_t kFixedInputs = 128;  // at most
inline constexpr std::size_t kFixedBlock = 64;    // outputs come in multiples of this

/// out = x W + bias, rounded once half to even and clamped. weights: (x.size(), out.size()), row by
/// row; bias: (out.size(),), or null for none; both hold integers. While no sum of products reaches
/// 2^53 it is exact in doubles, in any order and fused or not, hence the same bits on every SIMD
/// target. REQUIRES that of the sums, at most kFixedInputs inputs, and outputs in multiples of
/// kFixedBlock. Cost: 2 flops an output and input that is not 0: zeros are common after a relu.
void FixedProduct(std::span<const std::int32_t> x, const double* weights, const double* bias,
                  const FixedRange& range, std::span<std::int32_t> out);

}  // namespace txvm::vm

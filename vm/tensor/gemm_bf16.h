// Matrix products of bfloat16 through oneDNN, where the processor has tiles for them (AMX).
//
// FACTS  oneDNN 2.6 on one core of a Sapphire Rapids, tokens (128) by rows (256) of 2,048: with AMX
//        bfloat16 runs at 3 to 4.5 times the speed of floats, with AVX512_BF16 alone at 0.7 times.
//        Bytes in blocks of 32, each with its scale as Q8_0 has, run at 0.4 times with AMX, the
//        scaling not counted: there is no such product here.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace txvm::vm {

/// Whether oneDNN is installed and uses AMX on this processor; ONEDNN_MAX_CPU_ISA can forbid it.
/// The first call loads the library.
bool HasBf16Gemm();

/// to[i] = the bfloat16 nearest to from[i], ties to even, beyond the largest finite value infinity;
/// a NaN stays one.
void RoundToBf16(std::span<const float> from, std::uint16_t* to);

/// c[i * c_stride + j] = row i of a . row j of b, summed in float in an unspecified order.
/// a: (m, k), b: (n, k), bits of bfloat16, row-major, any alignment of whole elements; c: (m, n),
/// c_stride >= n; m, n, k >= 1. Deterministic for a shape. Thread-safe. A thread's first call with
/// a shape costs 0.1 ms (1 ms where c_stride = n). REQUIRES: HasBf16Gemm().
void MultiplyTransposedBf16(const std::uint16_t* a, const std::uint16_t* b, float* c, std::size_t m,
                            std::size_t n, std::size_t k, std::size_t c_stride);

}  // namespace txvm::vm

// The vector kernels of a language model: products with stored weights, attention, normalisation.
//
// Every result is a fixed sequence of operations for a given SIMD target: it depends neither on how
// many rows or tokens a call covers nor on the thread that makes it. No kernel allocates.
#pragma once

#include <cstddef>
#include <cstdint>

namespace txvm::vm {

/// How a row of weights is stored. The rows of the others are sequences of blocks. A block of kQ8,
/// kQ4_0 and kQ4_1 has kQ8Block elements: a half-precision scale d, for kQ4_1 a half-precision
/// minimum m, then a signed byte q an element (d * q) or half a byte: the low halves of 16 bytes,
/// then the high ones (d * (q - 8), d * q + m). A block of kQ4K has kQ4KBlock elements in eight
/// parts: d and dmin, eight pairs (s, z) of 6-bit numbers in 12 bytes, half bytes in which two
/// parts share 32 bytes (d * s * q - dmin * z).
enum class WeightFormat : std::uint8_t { kF32, kF16, kBf16, kQ8, kQ4_0, kQ4_1, kQ4K };

inline constexpr std::size_t kQ8Block = 32, kQ4KBlock = 256;
inline constexpr std::size_t kQ8BlockBytes = 34, kQ4_0BlockBytes = 18, kQ4_1BlockBytes = 20,
                             kQ4KBlockBytes = 144;

/// A block of rows of weights: row r begins at data + r * row_bytes. kF32 is aligned to 4 bytes,
/// kF16 and kBf16 to 2. cols >= 1, and a multiple of the block of the others.
struct WeightRows {
  WeightFormat format = WeightFormat::kF32;
  const std::uint8_t* data = nullptr;
  std::size_t row_bytes = 0;
  std::size_t rows = 0;
  std::size_t cols = 0;
};

/// y[t * y_stride + r] = sum over k of w[r, k] * x[t * cols + k] for t < tokens, r < w.rows.
void MultiplyRows(const WeightRows& w, const float* x, std::size_t tokens, float* y,
                  std::size_t y_stride);

/// to[0..n) = the first n elements of a row; n is a multiple of the format's block.
void WidenRow(WeightFormat format, const std::uint8_t* row, std::size_t n, float* to);

/// out = x / sqrt(mean(x^2) + epsilon) * weight, all (n,), n >= 1; out may be x.
void RmsNorm(const float* x, const float* weight, float epsilon, std::size_t n, float* out);

/// gate = gate / (1 + e^-gate) * up, (n,).
void SiluMultiply(float* gate, const float* up, std::size_t n);

/// x = 1 / (1 + e^-x), (n,). An x below -88 counts as -88.
void Sigmoid(float* x, std::size_t n);

/// x = e^(x - max x) / sum, (n,), n >= 1; the x are finite. Returns ln of the sum of the e^x.
double Softmax(float* x, std::size_t n);

/// out[i] = scale * (q . rows[i * stride ..]) for i < count; q is (n,).
void DotRows(const float* q, std::size_t n, const float* rows, std::size_t stride,
             std::size_t count, float scale, float* out);

/// out += sum over i < count of weights[i] * rows[i * stride ..], (n,), added in that order.
void AddScaledRows(const float* rows, std::size_t stride, std::size_t count, const float* weights,
                   std::size_t n, float* out);

/// to[i] = the bfloat16 nearest to from[i], ties to even, beyond the largest finite value infinity;
/// a NaN stays one.
void RoundRowToBf16(const float* from, std::size_t n, std::uint16_t* to);

/// Sum of n floats: reads memory as fast as a kernel can, for comparison with MultiplyRows.
float SumOf(const float* x, std::size_t n);

}  // namespace txvm::vm

// A weight matrix as it is stored, and products with it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "neural/llm/element.h"
#include "neural/llm/workers.h"

namespace txvm::neural::llm {

/// scale * b * a, added to a matrix's product.
struct LowRank {
  std::size_t rank = 0;
  float scale = 1;
  std::vector<float> a;  // (rank, cols)
  std::vector<float> b;  // (rows, rank), rows in the matrix's order
};

/// (rows, cols), a row being one output's weights.
struct Matrix {
  Element type = Element::kF32;
  std::size_t rows = 0, cols = 0;
  const std::uint8_t* data = nullptr;  // aligned to the element of F32, F16 and BF16
  std::size_t row_bytes = 0;
  std::shared_ptr<const void> owner;  // of data; null: the caller keeps it
  std::vector<std::shared_ptr<const LowRank>> deltas;
};

/// A matrix of this type and size whose bytes `fill` writes. cols is a multiple of the block.
Matrix NewMatrix(Element type, std::size_t rows, std::size_t cols);
/// The writable bytes of a matrix just made.
std::span<std::uint8_t> MutableBytes(Matrix& matrix);
/// The matrix in another type CanEncode names; deltas are added in, not kept.
Matrix Converted(const Matrix& matrix, Element type);

/// to = row `row` as floats, deltas included; (cols,).
void ReadRow(const Matrix& matrix, std::size_t row, float* to);

/// Which kernels multiply. kOwn: bit-identical for any number of threads and any split of the
/// tokens. kLibrary: oneDNN for at least kLibraryTokens tokens and kLibraryElements weights, if it
/// is installed; bit-identical for any number of threads. Where vm::HasBf16Gemm(), it multiplies a
/// BF16 matrix by x rounded to bfloat16.
enum class Gemm : std::uint8_t { kOwn, kLibrary };
inline constexpr std::size_t kLibraryTokens = 32;
inline constexpr std::size_t kLibraryElements = 1u << 20;

/// y[t * rows + r] = row r . x[t * cols ..], deltas included. x: (tokens, cols), y: (tokens, rows).
void Multiply(const Matrix& matrix, const float* x, std::size_t tokens, float* y, Workers& workers,
              Gemm gemm = Gemm::kOwn);

}  // namespace txvm::neural::llm

#include "neural/llm/matrix.h"

#include <algorithm>

#include "isa/support/result.h"
#include "vm/tensor/gemm.h"
#include "vm/tensor/gemm_bf16.h"
#include "vm/tensor/nn.h"

namespace txvm::neural::llm {
namespace {

// A chunk is large enough to be worth a thread's wake-up of some 10 us.
constexpr std::size_t kChunkElements = 1u << 17;
constexpr std::size_t kLibraryRows = 256;  // of a chunk: 2 MB of floats for 2,048 columns
constexpr std::size_t kDecodedRows = 16;   // decoded at a time, for types without a kernel
constexpr std::size_t kRoundedTokens = 8;  // of a chunk

std::optional<vm::WeightFormat> KernelFormat(Element type) {
  switch (type) {
    case Element::kF32:
      return vm::WeightFormat::kF32;
    case Element::kF16:
      return vm::WeightFormat::kF16;
    case Element::kBF16:
      return vm::WeightFormat::kBf16;
    case Element::kQ8_0:
      return vm::WeightFormat::kQ8;
    case Element::kQ4_0:
      return vm::WeightFormat::kQ4_0;
    case Element::kQ4_1:
      return vm::WeightFormat::kQ4_1;
    case Element::kQ4_K:
      return vm::WeightFormat::kQ4K;
    default:
      return std::nullopt;
  }
}

void Widen(const Matrix& matrix, std::size_t row, std::size_t count, float* to) {
  const std::optional<vm::WeightFormat> format = KernelFormat(matrix.type);
  for (std::size_t r = 0; r < count; ++r, to += matrix.cols) {
    const std::uint8_t* from = matrix.data + (row + r) * matrix.row_bytes;
    if (format) {
      vm::WidenRow(*format, from, matrix.cols, to);
    } else {
      DecodeRow(matrix.type, from, matrix.cols, to);
    }
  }
}

std::vector<float>& Scratch() {
  thread_local std::vector<float> scratch;
  return scratch;
}

/// Rows first .. first + count of the product on the kernels of vm/tensor.
void MultiplyChunk(const Matrix& matrix, std::size_t first, std::size_t count, const float* x,
                   std::size_t tokens, float* y) {
  if (const std::optional<vm::WeightFormat> format = KernelFormat(matrix.type)) {
    const vm::WeightRows rows{*format, matrix.data + first * matrix.row_bytes, matrix.row_bytes,
                              count, matrix.cols};
    return vm::MultiplyRows(rows, x, tokens, y + first, matrix.rows);
  }
  std::vector<float>& decoded = Scratch();
  decoded.resize(kDecodedRows * matrix.cols);
  for (std::size_t row = first; row < first + count; row += kDecodedRows) {
    const std::size_t n = std::min(kDecodedRows, first + count - row);
    Widen(matrix, row, n, decoded.data());
    const vm::WeightRows rows{vm::WeightFormat::kF32,
                              reinterpret_cast<const std::uint8_t*>(decoded.data()),
                              matrix.cols * sizeof(float), n, matrix.cols};
    vm::MultiplyRows(rows, x, tokens, y + row, matrix.rows);
  }
}

/// The same through oneDNN.
void LibraryChunk(const Matrix& matrix, std::size_t first, std::size_t count, const float* x,
                  std::size_t tokens, float* y) {
  std::vector<float>& scratch = Scratch();
  scratch.resize(count * (matrix.cols + tokens));
  const float* weights = reinterpret_cast<const float*>(matrix.data) + first * matrix.cols;
  float* product = scratch.data() + count * matrix.cols;
  if (matrix.type != Element::kF32) {
    Widen(matrix, first, count, scratch.data());
    weights = scratch.data();
  }
  vm::MultiplyTransposed(x, weights, product, tokens, count, matrix.cols, 0);
  for (std::size_t t = 0; t < tokens; ++t) {
    std::copy_n(product + t * count, count, y + t * matrix.rows + first);
  }
}

/// The product of a BF16 matrix and inputs rounded to bfloat16, through oneDNN.
void MultiplyBf16(const Matrix& matrix, const float* x, std::size_t tokens, float* y,
                  Workers& workers) {
  const std::size_t cols = matrix.cols;
  thread_local std::vector<std::uint16_t> rounded;
  rounded.resize(tokens * cols);
  std::uint16_t* const inputs = rounded.data();  // the caller's, in every thread
  workers.Run((tokens + kRoundedTokens - 1) / kRoundedTokens, [&](std::size_t chunk) {
    const std::size_t first = chunk * kRoundedTokens;
    const std::size_t count = std::min(kRoundedTokens, tokens - first);
    vm::RoundToBf16({x + first * cols, count * cols}, inputs + first * cols);
  });
  const auto* weights = reinterpret_cast<const std::uint16_t*>(matrix.data);
  workers.Run((matrix.rows + kLibraryRows - 1) / kLibraryRows, [&](std::size_t chunk) {
    const std::size_t first = chunk * kLibraryRows;
    const std::size_t count = std::min(kLibraryRows, matrix.rows - first);
    vm::MultiplyTransposedBf16(inputs, weights + first * cols, y + first, tokens, count, cols,
                               matrix.rows);
  });
}

void MultiplyFloats(const Matrix& matrix, const float* x, std::size_t tokens, float* y,
                    Workers& workers, bool library) {
  const std::size_t rows =
      library ? kLibraryRows
              : std::max<std::size_t>(kDecodedRows,
                                      kChunkElements / matrix.cols / kDecodedRows * kDecodedRows);
  workers.Run((matrix.rows + rows - 1) / rows, [&](std::size_t chunk) {
    const std::size_t first = chunk * rows, count = std::min(rows, matrix.rows - first);
    (library ? LibraryChunk : MultiplyChunk)(matrix, first, count, x, tokens, y);
  });
}

void AddDelta(const LowRank& delta, const Matrix& matrix, const float* x, std::size_t tokens,
              float* y) {
  const auto rows_of = [](const std::vector<float>& values, std::size_t rows, std::size_t cols) {
    return vm::WeightRows{vm::WeightFormat::kF32,
                          reinterpret_cast<const std::uint8_t*>(values.data()),
                          cols * sizeof(float), rows, cols};
  };
  std::vector<float> inner(tokens * delta.rank), outer(tokens * matrix.rows);
  vm::MultiplyRows(rows_of(delta.a, delta.rank, matrix.cols), x, tokens, inner.data(), delta.rank);
  vm::MultiplyRows(rows_of(delta.b, matrix.rows, delta.rank), inner.data(), tokens, outer.data(),
                   matrix.rows);
  for (std::size_t i = 0; i < outer.size(); ++i) y[i] += delta.scale * outer[i];
}

}  // namespace

Matrix NewMatrix(Element type, std::size_t rows, std::size_t cols) {
  const std::optional<std::size_t> row_bytes = RowBytes(type, cols);
  TXVM_ASSERT(row_bytes.has_value());
  // Floats, so that the bytes are aligned for any element.
  auto bytes =
      std::make_shared<std::vector<float>>((rows * *row_bytes + sizeof(float) - 1) / sizeof(float));
  Matrix matrix{type,       rows,    cols, reinterpret_cast<const std::uint8_t*>(bytes->data()),
                *row_bytes, nullptr, {}};
  matrix.owner = std::move(bytes);
  return matrix;
}

std::span<std::uint8_t> MutableBytes(Matrix& matrix) {
  TXVM_ASSERT(matrix.owner != nullptr);
  return {const_cast<std::uint8_t*>(matrix.data), matrix.rows * matrix.row_bytes};
}

Matrix Converted(const Matrix& matrix, Element type) {
  Matrix result = NewMatrix(type, matrix.rows, matrix.cols);
  std::vector<float> row(matrix.cols);
  for (std::size_t r = 0; r < matrix.rows; ++r) {
    ReadRow(matrix, r, row.data());
    EncodeRow(type, row, MutableBytes(result).data() + r * result.row_bytes);
  }
  return result;
}

void ReadRow(const Matrix& matrix, std::size_t row, float* to) {
  Widen(matrix, row, 1, to);
  for (const auto& delta : matrix.deltas) {
    for (std::size_t r = 0; r < delta->rank; ++r) {
      const float factor = delta->scale * delta->b[row * delta->rank + r];
      const float* a = delta->a.data() + r * matrix.cols;
      for (std::size_t k = 0; k < matrix.cols; ++k) to[k] += factor * a[k];
    }
  }
}

void Multiply(const Matrix& matrix, const float* x, std::size_t tokens, float* y, Workers& workers,
              Gemm gemm) {
  const bool library = gemm == Gemm::kLibrary && tokens >= kLibraryTokens &&
                       matrix.rows * matrix.cols >= kLibraryElements && vm::GemmName() == "oneDNN";
  if (library && matrix.type == Element::kBF16 && vm::HasBf16Gemm()) {
    MultiplyBf16(matrix, x, tokens, y, workers);
  } else {
    MultiplyFloats(matrix, x, tokens, y, workers, library);
  }
  for (const auto& delta : matrix.deltas) AddDelta(*delta, matrix, x, tokens, y);
}

}  // namespace txvm::neural::llm

#include "neural/train/muon.h"

#include <algorithm>
#include <cmath>

#include "isa/support/result.h"
#include "vm/tensor/sgemm.h"

namespace txvm::neural::train {
namespace {

using vm::MatrixView;
using vm::Plain;
using vm::Sgemm;
using vm::Transposed;

// x -> ax + bx^3 + cx^5, steep at 0 and level enough around 1 (the method's own constants).
constexpr float kLinear = 3.4445f, kCubic = -4.7750f, kQuintic = 2.0315f;

void Normalize(std::span<float> values) {
  double squares = 0;
  for (const float value : values) {
    squares += static_cast<double>(value) * static_cast<double>(value);
  }
  if (squares == 0) return;
  const auto scale = static_cast<float>(1 / std::sqrt(squares));
  for (float& value : values) value *= scale;
}

std::vector<float> TransposeOf(std::span<const float> matrix, std::size_t rows, std::size_t cols) {
  std::vector<float> out(matrix.size());
  for (std::size_t i = 0; i < rows; ++i) {
    for (std::size_t j = 0; j < cols; ++j) out[j * rows + i] = matrix[i * cols + j];
  }
  return out;
}

/// x y, known to be symmetric, (rows, rows): strips of the upper half, which the lower one mirrors.
/// The bits of the whole product: (i, j) and (j, i) are sums of the same terms in the same order.
void SymmetricProduct(MatrixView x, MatrixView y, std::size_t rows, std::size_t depth, float* out) {
  constexpr std::size_t kStrip = 48;  // four tiles of the widest target
  for (std::size_t first = 0; first < rows; first += kStrip) {
    const MatrixView strip = {x.data + first * x.row_stride, x.row_stride, x.col_stride};
    const MatrixView right = {y.data + first * y.col_stride, y.row_stride, y.col_stride};
    Sgemm(strip, right, out + first * rows + first, rows, std::min(kStrip, rows - first),
          rows - first, depth, false);
  }
  for (std::size_t i = 0; i < rows; ++i) {
    for (std::size_t j = 0; j < i; ++j) out[i * rows + j] = out[j * rows + i];
  }
}

// rows <= cols: the products are (rows, rows).
void Iterate(std::span<float> x, std::size_t rows, std::size_t cols, std::size_t iterations) {
  std::vector<float> square(rows * rows), polynomial(rows * rows), next(x.size());
  Normalize(x);
  for (std::size_t i = 0; i < iterations; ++i) {
    SymmetricProduct(Plain(x.data(), cols), Transposed(x.data(), cols), rows, cols, square.data());
    SymmetricProduct(Plain(square.data(), rows), Plain(square.data(), rows), rows, rows,
                     polynomial.data());
    for (std::size_t k = 0; k < square.size(); ++k) {
      polynomial[k] = kCubic * square[k] + kQuintic * polynomial[k];
    }
    for (std::size_t k = 0; k < rows; ++k) polynomial[k * rows + k] += kLinear;
    Sgemm(Plain(polynomial.data(), rows), Plain(x.data(), cols), next.data(), cols, rows, cols,
          rows, false);
    std::ranges::copy(next, x.begin());
  }
}

}  // namespace

std::vector<llm::ParameterView> MuonMatrices(const Layout& layout) {
  std::vector<llm::ParameterView> matrices;
  for (const llm::ParameterView& view : layout.views) {
    if (view.shape.size() == 2 && view.offset != layout.embedding) matrices.push_back(view);
  }
  return matrices;
}

void Orthogonalize(std::span<float> matrix, std::size_t rows, std::size_t cols,
                   std::size_t iterations) {
  TXVM_ASSERT(matrix.size() == rows * cols);
  if (rows <= cols) {
    Iterate(matrix, rows, cols, iterations);
    return;
  }
  std::vector<float> wide = TransposeOf(matrix, rows, cols);
  Iterate(wide, cols, rows, iterations);
  std::ranges::copy(TransposeOf(wide, cols, rows), matrix.begin());
}

void MuonUpdate(const MuonOptions& options, double rate, double decay, double clip,
                std::span<const float> gradient, std::size_t rows, std::size_t cols,
                std::span<const float> rates, std::span<float> weights, std::span<float> momentum) {
  const auto beta = static_cast<float>(options.momentum), factor = static_cast<float>(clip);
  std::vector<float> update(gradient.size());
  for (std::size_t i = 0; i < update.size(); ++i) {
    const float g = gradient[i] * factor;
    momentum[i] = beta * momentum[i] + g;
    update[i] = g + beta * momentum[i];
  }
  Orthogonalize(update, rows, cols, options.iterations);
  // An orthogonal matrix has elements of this root mean square: 1 / sqrt(longer side).
  const double longer = std::sqrt(static_cast<double>(std::max(rows, cols)));
  const auto eta = static_cast<float>(rate * options.scale * longer);
  const auto shrink = static_cast<float>(rate * decay);
  for (std::size_t i = 0; i < update.size(); ++i) {
    const float change = eta * update[i] + shrink * weights[i];
    weights[i] -= rates.empty() ? change : rates[i] * change;
  }
}

}  // namespace txvm::neural::train

// Muon against what it is defined by: singular values, and the update written out in double.
#include "neural/train/muon.h"

#include <gtest/gtest.h>

#include <cmath>

#include "neural/train/random.h"
#include "tests/neural/train/small_model.h"

namespace txvm::neural::train {
namespace {

using Matrix = std::vector<std::vector<double>>;

std::vector<float> RandomMatrix(std::size_t size, std::uint64_t seed, double deviation) {
  std::vector<float> out(size);
  Random random(seed);
  for (float& value : out) value = static_cast<float>(deviation * random.Normal());
  return out;
}

Matrix ToRows(std::span<const float> values, std::size_t rows, std::size_t cols) {
  Matrix out(rows, std::vector<double>(cols));
  for (std::size_t i = 0; i < rows; ++i) {
    for (std::size_t j = 0; j < cols; ++j) out[i][j] = static_cast<double>(values[i * cols + j]);
  }
  return out;
}

Matrix Product(const Matrix& a, const Matrix& b) {
  Matrix out(a.size(), std::vector<double>(b.front().size(), 0));
  for (std::size_t i = 0; i < a.size(); ++i) {
    for (std::size_t k = 0; k < b.size(); ++k) {
      for (std::size_t j = 0; j < b.front().size(); ++j) out[i][j] += a[i][k] * b[k][j];
    }
  }
  return out;
}

Matrix Transpose(const Matrix& a) {
  Matrix out(a.front().size(), std::vector<double>(a.size()));
  for (std::size_t i = 0; i < a.size(); ++i) {
    for (std::size_t j = 0; j < a.front().size(); ++j) out[j][i] = a[i][j];
  }
  return out;
}

/// The polynomial of the definition: X <- a X + b (X X^T) X + c (X X^T)^2 X, five times.
Matrix Reference(Matrix x) {
  double squares = 0;
  for (const auto& row : x) {
    for (const double value : row) squares += value * value;
  }
  for (auto& row : x) {
    for (double& value : row) value /= std::sqrt(squares);
  }
  for (int i = 0; i < 5; ++i) {
    const Matrix square = Product(x, Transpose(x)), cubic = Product(square, x),
                 quintic = Product(square, cubic);
    for (std::size_t r = 0; r < x.size(); ++r) {
      for (std::size_t c = 0; c < x[r].size(); ++c) {
        x[r][c] = 3.4445 * x[r][c] - 4.7750 * cubic[r][c] + 2.0315 * quintic[r][c];
      }
    }
  }
  return x;
}

TEST(Muon, OrthogonalizesAsItsPolynomialDoes) {
  constexpr std::pair<std::size_t, std::size_t> kShapes[] = {
      {5, 9}, {9, 5}, {16, 16}, {1, 7}, {100, 60}};  // the last: several strips
  for (const auto& [rows, cols] : kShapes) {
    std::vector<float> x = RandomMatrix(rows * cols, rows, 3);
    const Matrix expected = Reference(ToRows(x, rows, cols));
    Orthogonalize(x, rows, cols, 5);
    for (std::size_t i = 0; i < rows; ++i) {
      for (std::size_t j = 0; j < cols; ++j) {
        EXPECT_NEAR(static_cast<double>(x[i * cols + j]), expected[i][j], 1e-4);
      }
    }
  }
}

TEST(Muon, BringsEverySingularValueNearOne) {
  constexpr std::size_t kRows = 24, kCols = 64;
  std::vector<float> x = RandomMatrix(kRows * kCols, 3, 1e-3);
  Orthogonalize(x, kRows, kCols, 5);
  // y^T (X X^T) y is a weighted mean of squared singular values for any unit y.
  const Matrix square = Product(ToRows(x, kRows, kCols), Transpose(ToRows(x, kRows, kCols)));
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    const std::vector<float> y = RandomMatrix(kRows, 100 + seed, 1);
    double form = 0, length = 0;
    for (std::size_t i = 0; i < kRows; ++i) {
      length += static_cast<double>(y[i]) * static_cast<double>(y[i]);
      for (std::size_t j = 0; j < kRows; ++j) {
        form += static_cast<double>(y[i]) * square[i][j] * static_cast<double>(y[j]);
      }
    }
    EXPECT_GT(form / length, 0.5 * 0.5);
    EXPECT_LT(form / length, 1.3 * 1.3);
  }
}

TEST(Muon, ZeroStaysZero) {
  std::vector<float> zero(12, 0);
  Orthogonalize(zero, 3, 4, 5);
  EXPECT_EQ(zero, std::vector<float>(12, 0));
}

TEST(Muon, UpdatesAsWrittenOut) {
  constexpr std::size_t kRows = 6, kCols = 4;
  const std::vector<float> gradient = RandomMatrix(kRows * kCols, 1, 1),
                           start = RandomMatrix(kRows * kCols, 2, 1),
                           before = RandomMatrix(kRows * kCols, 3, 1);
  std::vector<float> weights = start, momentum = before;
  MuonUpdate({}, 0.01, 0.05, 0.5, gradient, kRows, kCols, {}, weights, momentum);
  Matrix direction = ToRows(gradient, kRows, kCols);
  for (std::size_t i = 0; i < kRows * kCols; ++i) {
    const double g = 0.5 * static_cast<double>(gradient[i]);
    const double m = 0.95 * static_cast<double>(before[i]) + g;
    EXPECT_NEAR(static_cast<double>(momentum[i]), m, 1e-6);
    direction[i / kCols][i % kCols] = g + 0.95 * m;
  }
  const Matrix step = Reference(Transpose(direction));
  for (std::size_t i = 0; i < kRows * kCols; ++i) {
    const auto old = static_cast<double>(start[i]);
    const double expected =
        old - 0.01 * 0.2 * std::sqrt(6.0) * step[i % kCols][i / kCols] - 0.01 * 0.05 * old;
    EXPECT_NEAR(static_cast<double>(weights[i]), expected, 1e-5);
  }
}

TEST(Muon, AnElementMayMoveLess) {
  constexpr std::size_t kRows = 6, kCols = 4;
  const std::vector<float> gradient = RandomMatrix(kRows * kCols, 1, 1),
                           start = RandomMatrix(kRows * kCols, 2, 1);
  std::vector<float> rates(kRows * kCols, 1);
  rates[3] = 0;
  rates[5] = 0.25f;
  std::vector<float> even = start, uneven = start, momentum(kRows * kCols), same = momentum;
  MuonUpdate({}, 0.01, 0.05, 0.5, gradient, kRows, kCols, {}, even, momentum);
  MuonUpdate({}, 0.01, 0.05, 0.5, gradient, kRows, kCols, rates, uneven, same);
  EXPECT_EQ(same, momentum);
  for (std::size_t i = 0; i < kRows * kCols; ++i) {
    EXPECT_NEAR(uneven[i] - start[i], rates[i] * (even[i] - start[i]), 1e-6) << i;
  }
  EXPECT_EQ(uneven[3], start[3]);
  EXPECT_NE(uneven[5], start[5]);
}

TEST(Muon, MovesTheMatricesOfTheBlocksAlone) {
  const Layout layout = TrainingLayout(SmallConfig());
  const std::vector<llm::ParameterView> matrices = MuonMatrices(layout);
  EXPECT_EQ(matrices.size(), 7 * SmallConfig().layers);
  for (const llm::ParameterView& matrix : matrices) {
    EXPECT_NE(matrix.name.find("_proj.weight"), std::string::npos) << matrix.name;
  }
}

}  // namespace
}  // namespace txvm::neural::train

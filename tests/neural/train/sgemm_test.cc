// Products against double precision, on every SIMD target.
#include "vm/tensor/sgemm.h"

#include <gtest/gtest.h>

#include <cmath>
#include <tuple>
#include <vector>

#include "neural/train/random.h"
#include "vm/tensor/simd_target.h"

namespace txvm::vm {
namespace {

std::vector<float> Normal(std::size_t n, std::uint64_t seed) {
  neural::train::Random random(seed);
  std::vector<float> values(n);
  for (float& value : values) value = static_cast<float>(random.Normal());
  return values;
}

void Check(std::size_t m, std::size_t n, std::size_t k, bool transpose_a, bool transpose_b,
           bool accumulate) {
  const std::vector<float> a = Normal(m * k, 1), b = Normal(k * n, 2);
  const std::size_t stride = n + 3;
  const std::vector<float> before = Normal(m * stride, 3);
  std::vector<float> c = before;
  const MatrixView va = transpose_a ? Transposed(a.data(), m) : Plain(a.data(), k);
  const MatrixView vb = transpose_b ? Transposed(b.data(), k) : Plain(b.data(), n);
  Sgemm(va, vb, c.data(), stride, m, n, k, accumulate);
  for (std::size_t i = 0; i < m; ++i) {
    for (std::size_t j = 0; j < stride; ++j) {
      double sum = accumulate && j < n ? static_cast<double>(before[i * stride + j]) : 0;
      for (std::size_t l = 0; l < k && j < n; ++l) {
        sum += static_cast<double>(va.data[i * va.row_stride + l * va.col_stride]) *
               static_cast<double>(vb.data[l * vb.row_stride + j * vb.col_stride]);
      }
      if (j >= n) sum = static_cast<double>(before[i * stride + j]);  // beyond the row: untouched
      ASSERT_NEAR(static_cast<double>(c[i * stride + j]), sum, 1e-5 * std::sqrt(double(k)) * 10)
          << m << "x" << n << "x" << k << " at " << i << "," << j;
    }
  }
}

TEST(Sgemm, EqualsDoublePrecisionOnEveryTarget) {
  for (const std::int64_t target : SimdTargets()) {
    SelectSimdTarget(target);
    for (const auto& [m, n, k] : {std::tuple<std::size_t, std::size_t, std::size_t>{1, 1, 1},
                                  {6, 32, 16},
                                  {24, 64, 48},
                                  {7, 33, 5},
                                  {13, 70, 600},
                                  {50, 3, 1100}}) {
      for (int form = 0; form < 8; ++form) {
        Check(m, n, k, (form & 1) != 0, (form & 2) != 0, (form & 4) != 0);
      }
    }
  }
  SelectSimdTarget(0);
}

TEST(Sgemm, AnElementDoesNotDependOnTheShapeAroundIt) {
  const std::vector<float> a = Normal(40 * 100, 4), b = Normal(100 * 90, 5);
  std::vector<float> whole(40 * 90), part(40 * 90);
  Sgemm(Plain(a.data(), 100), Plain(b.data(), 90), whole.data(), 90, 40, 90, 100, false);
  for (std::size_t i = 0; i < 40; ++i) {
    Sgemm(Plain(a.data() + i * 100, 100), Plain(b.data(), 90), part.data() + i * 90, 90, 1, 90, 100,
          false);
  }
  EXPECT_EQ(whole, part);
}

}  // namespace
}  // namespace txvm::vm

// Products of bfloat16 through oneDNN against sums in double.
#include "vm/tensor/gemm_bf16.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "neural/llm/element.h"

namespace txvm::vm {
namespace {

using neural::llm::BfloatToFloat;
using neural::llm::FloatToBfloat;

constexpr float kUntouched = -77;

std::vector<std::uint16_t> Random(std::size_t n, std::mt19937& random) {
  std::normal_distribution<float> normal;
  std::vector<std::uint16_t> values(n);
  for (std::uint16_t& value : values) value = FloatToBfloat(normal(random));
  return values;
}

TEST(RoundToBf16, IsTheNearestForEveryKindOfFloat) {
  std::mt19937 random(1);
  std::vector<float> values = {0.0f,
                               -0.0f,
                               1e-45f,
                               std::numeric_limits<float>::max(),
                               std::numeric_limits<float>::infinity(),
                               -std::numeric_limits<float>::infinity()};
  for (int i = 0; i < 100'000; ++i) {
    const auto value = std::bit_cast<float>(static_cast<std::uint32_t>(random()));
    if (!std::isnan(value)) values.push_back(value);
  }
  for (const std::uint32_t tie : {0x3F808000u, 0x3F818000u}) {
    values.push_back(std::bit_cast<float>(tie));
  }
  std::vector<std::uint16_t> rounded(values.size());
  RoundToBf16(values, rounded.data());
  for (std::size_t i = 0; i < values.size(); ++i) {
    ASSERT_EQ(rounded[i], FloatToBfloat(values[i])) << values[i];
  }
}

TEST(RoundToBf16, KeepsNan) {
  const std::vector<float> values = {std::bit_cast<float>(0x7F800001u),
                                     std::bit_cast<float>(0xFFFFFFFFu)};
  std::uint16_t rounded[2];
  RoundToBf16(values, rounded);
  for (const std::uint16_t bits : rounded) EXPECT_TRUE(std::isnan(BfloatToFloat(bits)));
}

TEST(MultiplyTransposedBf16, IsTheProductForEveryShapeAndStride) {
  if (!HasBf16Gemm()) GTEST_SKIP() << "no oneDNN, or a processor without AMX";
  std::mt19937 random(2);
  struct Case {
    std::size_t m, n, k, stride;
  };
  for (const Case& c : {Case{1, 1, 1, 1}, Case{3, 5, 7, 9}, Case{32, 256, 1024, 256},
                        Case{33, 19, 1152, 275}, Case{100, 256, 64, 1000}, Case{7, 130, 33, 130}}) {
    // One element in: files align their weights to no more.
    const auto a = Random(c.m * c.k + 1, random), b = Random(c.n * c.k + 1, random);
    std::vector<float> out(c.m * c.stride, kUntouched);
    MultiplyTransposedBf16(a.data() + 1, b.data() + 1, out.data(), c.m, c.n, c.k, c.stride);
    for (std::size_t i = 0; i < c.m; ++i) {
      for (std::size_t j = 0; j < c.n; ++j) {
        double sum = 0, size = 0;
        for (std::size_t l = 0; l < c.k; ++l) {
          const double term = static_cast<double>(BfloatToFloat(a[1 + i * c.k + l])) *
                              static_cast<double>(BfloatToFloat(b[1 + j * c.k + l]));
          sum += term;
          size += std::fabs(term);
        }
        ASSERT_NEAR(out[i * c.stride + j], sum, 1e-6 * size) << c.m << " " << c.n << " " << c.k;
      }
      for (std::size_t j = c.n; j < c.stride && i + 1 < c.m; ++j) {
        ASSERT_EQ(out[i * c.stride + j], kUntouched);
      }
    }
  }
}

TEST(MultiplyTransposedBf16, RemembersMoreShapesThanItKeeps) {
  if (!HasBf16Gemm()) GTEST_SKIP() << "no oneDNN, or a processor without AMX";
  constexpr std::size_t kShapes = 70, kColumns = 8;
  const std::vector<std::uint16_t> ones(kShapes * kColumns, FloatToBfloat(1));
  for (const int round : {0, 1}) {
    for (std::size_t m = 1; m <= kShapes; ++m) {
      std::vector<float> out(m * 2);
      MultiplyTransposedBf16(ones.data(), ones.data(), out.data(), m, 2, kColumns, 2);
      EXPECT_EQ(out, std::vector<float>(m * 2, kColumns)) << round;
    }
  }
}

}  // namespace
}  // namespace txvm::vm

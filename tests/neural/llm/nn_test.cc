// The vector kernels against plain loops, on every SIMD target.
#include "vm/tensor/nn.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

#include "neural/llm/element.h"
#include "vm/tensor/simd_target.h"

namespace txvm::vm {
namespace {

using neural::llm::Element;

class EveryTarget : public testing::TestWithParam<std::int64_t> {
 protected:
  void SetUp() override { SelectSimdTarget(GetParam()); }
  void TearDown() override { SelectSimdTarget(0); }

  std::vector<float> Random(std::size_t n) {
    std::normal_distribution<float> normal;
    std::vector<float> values(n);
    for (float& value : values) value = normal(random_);
    return values;
  }
  std::mt19937 random_{7};
};

struct Format {
  WeightFormat kernel;
  Element element;
};
constexpr Format kFormats[] = {{WeightFormat::kF32, Element::kF32},
                               {WeightFormat::kF16, Element::kF16},
                               {WeightFormat::kBf16, Element::kBF16},
                               {WeightFormat::kQ8, Element::kQ8_0}};

TEST_P(EveryTarget, ProductsEqualPlainLoopsForEveryShape) {
  for (const Format& format : kFormats) {
    for (const std::size_t cols : {32u, 64u, 96u, 224u, 1u, 7u, 33u, 129u}) {
      const auto row_bytes = neural::llm::RowBytes(format.element, cols);
      if (!row_bytes) continue;
      const std::size_t rows = 11, tokens = 7, stride = 13;
      const std::vector<float> w = Random(rows * cols), x = Random(tokens * cols);
      std::vector<float> stored((rows * *row_bytes + 3) / 4), exact(rows * cols), wide(cols);
      auto* bytes = reinterpret_cast<std::uint8_t*>(stored.data());
      for (std::size_t r = 0; r < rows; ++r) {
        neural::llm::EncodeRow(format.element, std::span(w).subspan(r * cols, cols),
                               bytes + r * *row_bytes);
        neural::llm::DecodeRow(format.element, bytes + r * *row_bytes, cols,
                               exact.data() + r * cols);
        WidenRow(format.kernel, bytes + r * *row_bytes, cols, wide.data());
        EXPECT_TRUE(std::equal(wide.begin(), wide.end(), exact.data() + r * cols));
      }
      std::vector<float> y(tokens * stride, -1);
      MultiplyRows({format.kernel, bytes, *row_bytes, rows, cols}, x.data(), tokens, y.data(),
                   stride);
      for (std::size_t t = 0; t < tokens; ++t) {
        for (std::size_t r = 0; r < rows; ++r) {
          double sum = 0, size = 0;
          for (std::size_t k = 0; k < cols; ++k) {
            const double term = double{exact[r * cols + k]} * x[t * cols + k];
            sum += term;
            size += std::fabs(term);
          }
          // One rounding of 2^-24 a step, fewer steps than columns.
          EXPECT_NEAR(y[t * stride + r], sum, size * double(cols) * 0x1p-24) << cols;
        }
        EXPECT_EQ(y[t * stride + rows], -1);
      }
    }
  }
}

// Formats that nothing here encodes: random bytes, their halves kept from infinity.
TEST_P(EveryTarget, ProductsOfHalfBytesEqualPlainLoops) {
  constexpr Format kHalfBytes[] = {{WeightFormat::kQ4_0, Element::kQ4_0},
                                   {WeightFormat::kQ4_1, Element::kQ4_1},
                                   {WeightFormat::kQ4K, Element::kQ4_K}};
  constexpr std::size_t kRows = 11, kTokens = 7, kStride = 13;
  for (const Format& format : kHalfBytes) {
    const auto& info = neural::llm::Info(format.element);
    for (const std::size_t blocks : {1u, 3u}) {
      const std::size_t cols = blocks * info.block, row_bytes = blocks * info.bytes;
      std::vector<std::uint8_t> bytes(kRows * row_bytes);
      for (std::uint8_t& byte : bytes) byte = static_cast<std::uint8_t>(random_());
      for (std::size_t at = 0; at < bytes.size(); at += info.bytes) {
        for (const std::size_t high : {1u, 3u}) bytes[at + high] &= 0xBB;
      }
      std::vector<float> exact(kRows * cols), wide(cols);
      for (std::size_t r = 0; r < kRows; ++r) {
        neural::llm::DecodeRow(format.element, &bytes[r * row_bytes], cols, &exact[r * cols]);
        WidenRow(format.kernel, &bytes[r * row_bytes], cols, wide.data());
        EXPECT_TRUE(std::equal(wide.begin(), wide.end(), &exact[r * cols])) << info.name;
      }
      const std::vector<float> x = Random(kTokens * cols);
      std::vector<float> y(kTokens * kStride, -1);
      MultiplyRows({format.kernel, bytes.data(), row_bytes, kRows, cols}, x.data(), kTokens,
                   y.data(), kStride);
      for (std::size_t t = 0; t < kTokens; ++t) {
        for (std::size_t r = 0; r < kRows; ++r) {
          double sum = 0, size = 0;
          for (std::size_t k = 0; k < cols; ++k) {
            sum += double{exact[r * cols + k]} * x[t * cols + k];
            size += std::fabs(double{exact[r * cols + k]}) * std::fabs(double{x[t * cols + k]});
          }
          // Zero points are subtracted after the products, which may be 16 times as large.
          EXPECT_NEAR(y[t * kStride + r], sum, 16 * size * double(cols) * 0x1p-24) << info.name;
          float one = 0;
          MultiplyRows({format.kernel, &bytes[r * row_bytes], row_bytes, 1, cols},
                       x.data() + t * cols, 1, &one, 1);
          EXPECT_EQ(one, y[t * kStride + r]);
        }
        EXPECT_EQ(y[t * kStride + kRows], -1);
      }
    }
  }
}

TEST_P(EveryTarget, RoundingToBfloat16IsThatOfElements) {
  std::vector<float> values = Random(101);
  values[3] = std::numeric_limits<float>::quiet_NaN();
  values[50] = std::numeric_limits<float>::infinity();
  values[70] = std::numeric_limits<float>::max();
  values[100] = -0.0f;
  std::vector<std::uint16_t> bits(values.size());
  RoundRowToBf16(values.data(), values.size(), bits.data());
  for (std::size_t i = 0; i < values.size(); ++i) {
    EXPECT_EQ(bits[i], neural::llm::FloatToBfloat(values[i])) << i;
  }
}

TEST_P(EveryTarget, AProductDoesNotDependOnItsCompany) {
  const std::size_t rows = 23, cols = 131, tokens = 9;
  const std::vector<float> w = Random(rows * cols), x = Random(tokens * cols);
  const auto* bytes = reinterpret_cast<const std::uint8_t*>(w.data());
  std::vector<float> all(tokens * rows);
  MultiplyRows({WeightFormat::kF32, bytes, cols * 4, rows, cols}, x.data(), tokens, all.data(),
               rows);
  for (std::size_t t = 0; t < tokens; ++t) {
    for (std::size_t r = 0; r < rows; ++r) {
      float one = 0;
      MultiplyRows({WeightFormat::kF32, bytes + r * cols * 4, cols * 4, 1, cols},
                   x.data() + t * cols, 1, &one, 1);
      EXPECT_EQ(one, all[t * rows + r]);
    }
  }
}

TEST_P(EveryTarget, NormalisationsEqualTheirDefinition) {
  for (const std::size_t n : {1u, 5u, 16u, 100u}) {
    const std::vector<float> x = Random(n), w = Random(n);
    double squares = 0, most = -1e30, sum = 0;
    for (const float value : x) {
      squares += double{value} * value;
      most = std::max(most, double{value});
    }
    for (const float value : x) sum += std::exp(value - most);
    std::vector<float> normed(n), soft = x, gate = x, sigmoid = x;
    RmsNorm(x.data(), w.data(), 1e-5f, n, normed.data());
    EXPECT_NEAR(Softmax(soft.data(), n), most + std::log(sum), 1e-6);
    SiluMultiply(gate.data(), w.data(), n);
    Sigmoid(sigmoid.data(), n);
    for (std::size_t i = 0; i < n; ++i) {
      EXPECT_NEAR(normed[i], x[i] / std::sqrt(squares / double(n) + 1e-5) * w[i], 1e-5);
      EXPECT_NEAR(soft[i], std::exp(x[i] - most) / sum, 1e-6);
      EXPECT_NEAR(gate[i], x[i] / (1 + std::exp(-double{x[i]})) * w[i], 1e-5);
      EXPECT_NEAR(sigmoid[i], 1 / (1 + std::exp(-double{x[i]})), 1e-6);
    }
  }
  std::vector<float> far = {-1000, 0, 88, 1000}, ones(4, 1);
  SiluMultiply(far.data(), ones.data(), 4);
  EXPECT_NEAR(far[0], 0, 1e-30);
  EXPECT_EQ(std::vector(far.begin() + 1, far.end()), (std::vector<float>{0, 88, 1000}));
  std::vector<float> limits = {-1000, 0, 1000};
  Sigmoid(limits.data(), 3);
  EXPECT_NEAR(limits[0], 0, 1e-30);
  EXPECT_EQ(std::vector(limits.begin() + 1, limits.end()), (std::vector<float>{0.5, 1}));
  std::vector<float> wide = {-1000, 1000, 1000};
  EXPECT_NEAR(Softmax(wide.data(), 3), 1000 + std::log(2), 1e-6);
  EXPECT_EQ(wide, (std::vector<float>{0, 0.5, 0.5}));
}

TEST_P(EveryTarget, AttentionKernelsEqualPlainLoops) {
  const std::size_t n = 37, stride = 50, count = 9;
  const std::vector<float> q = Random(n), rows = Random(stride * count), weights = Random(count);
  std::vector<float> dots(count), sum = q;
  DotRows(q.data(), n, rows.data(), stride, count, 0.5f, dots.data());
  AddScaledRows(rows.data(), stride, count, weights.data(), n, sum.data());
  for (std::size_t i = 0; i < count; ++i) {
    double expected = 0;
    for (std::size_t k = 0; k < n; ++k) expected += double{q[k]} * rows[i * stride + k];
    EXPECT_NEAR(dots[i], expected / 2, 1e-5);
  }
  for (std::size_t k = 0; k < n; ++k) {
    double expected = q[k];
    for (std::size_t i = 0; i < count; ++i) expected += double{weights[i]} * rows[i * stride + k];
    EXPECT_NEAR(sum[k], expected, 1e-5);
  }
  double total = 0;
  for (const float value : rows) total += value;
  EXPECT_NEAR(SumOf(rows.data(), rows.size()), total, 1e-3);
}

INSTANTIATE_TEST_SUITE_P(Nn, EveryTarget, testing::ValuesIn(SimdTargets()));

}  // namespace
}  // namespace txvm::vm

// Element types: exact decoding, rounding of what is encoded.
#include "neural/llm/element.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>

namespace txvm::neural::llm {
namespace {

constexpr std::uint32_t kHalves = 1u << 16;

TEST(Element, EveryHalfSurvivesAFloat) {
  for (std::uint32_t i = 0; i < kHalves; ++i) {
    const auto half = static_cast<std::uint16_t>(i);
    const float value = HalfToFloat(half);
    if (std::isnan(value)) {
      EXPECT_TRUE(std::isnan(HalfToFloat(FloatToHalf(value))));
    } else {
      EXPECT_EQ(FloatToHalf(value), half) << i;
    }
    const float wide = BfloatToFloat(half);
    if (!std::isnan(wide)) {
      EXPECT_EQ(FloatToBfloat(wide), half) << i;
    }
  }
}

TEST(Element, HalvesAndBfloatsRoundToNearestEven) {
  for (std::uint32_t i = 0; i + 1 < 0x7C00; ++i) {
    const double low = HalfToFloat(static_cast<std::uint16_t>(i));
    const double high = HalfToFloat(static_cast<std::uint16_t>(i + 1));
    const std::uint32_t even = i % 2 == 0 ? i : i + 1;
    if (std::isinf(high)) continue;
    EXPECT_EQ(FloatToHalf(static_cast<float>((low + high) / 2)), even) << i;
    EXPECT_EQ(FloatToHalf(static_cast<float>(low * 0.75 + high * 0.25)), i);
    EXPECT_EQ(FloatToHalf(static_cast<float>(low * 0.25 + high * 0.75)), i + 1);
  }
  EXPECT_EQ(FloatToHalf(65519.996f), 0x7BFF);
  EXPECT_EQ(FloatToHalf(65520.0f), 0x7C00);
  EXPECT_EQ(FloatToBfloat(1.00390625f), 0x3F80);  // halfway: to even
  EXPECT_EQ(FloatToBfloat(1.01171875f), 0x3F82);
  EXPECT_TRUE(std::isnan(BfloatToFloat(FloatToBfloat(std::numeric_limits<float>::quiet_NaN()))));
}

TEST(Element, BytesDecodeToWithinHalfAStep) {
  std::mt19937 random(1);
  std::normal_distribution<float> normal(0, 3);
  std::vector<float> values(32 * 50), back(values.size());
  for (float& value : values) value = normal(random);
  std::vector<std::uint8_t> bytes(*RowBytes(Element::kQ8_0, values.size()));
  EncodeRow(Element::kQ8_0, values, bytes.data());
  DecodeRow(Element::kQ8_0, bytes.data(), values.size(), back.data());
  for (std::size_t block = 0; block < values.size(); block += 32) {
    float most = 0;
    for (std::size_t i = 0; i < 32; ++i) most = std::max(most, std::fabs(values[block + i]));
    // Half a step, and the scale's own rounding to a half: 127 steps of 2^-11 each.
    const float bound = most / 127 * (0.5f + 127 * 0x1p-11f);
    for (std::size_t i = 0; i < 32; ++i) {
      EXPECT_LE(std::fabs(back[block + i] - values[block + i]), bound);
    }
  }
}

TEST(Element, ExtremeBlocksStayInTheByte) {
  std::vector<float> values(32, 0.0f), back(32);
  std::vector<std::uint8_t> bytes(34);
  EncodeRow(Element::kQ8_0, values, bytes.data());
  EXPECT_EQ(bytes, std::vector<std::uint8_t>(34));
  values.assign(32, std::numeric_limits<float>::denorm_min());
  EncodeRow(Element::kQ8_0, values, bytes.data());
  DecodeRow(Element::kQ8_0, bytes.data(), 32, back.data());
  for (const float value : back) EXPECT_EQ(value, 0);
  values.assign(32, std::numeric_limits<float>::quiet_NaN());
  EncodeRow(Element::kQ8_0, values, bytes.data());
  EXPECT_EQ(bytes, std::vector<std::uint8_t>(34));
  values[7] = 127;  // what is no number is 0 beside what is one
  EncodeRow(Element::kQ8_0, values, bytes.data());
  DecodeRow(Element::kQ8_0, bytes.data(), 32, back.data());
  for (std::size_t i = 0; i < back.size(); ++i) EXPECT_EQ(back[i], i == 7 ? 127.0f : 0.0f) << i;
  values.assign(32, 0.0f);
  values[7] = -1e9F;  // more than 127 times the largest scale
  EncodeRow(Element::kQ8_0, values, bytes.data());
  DecodeRow(Element::kQ8_0, bytes.data(), 32, back.data());
  for (std::size_t i = 0; i < back.size(); ++i) {
    EXPECT_EQ(back[i], i == 7 ? -127 * 65504.0f : 0.0f) << i;
  }
}

// Hand-worked blocks; the independent reader of tests/interop checks the rest on random ones.
TEST(Element, SmallTypesDecodeByHand) {
  std::vector<std::uint8_t> q4(18, 0);
  q4[1] = 0x3C;  // d = 1
  q4[2] = 0xF0;  // element 0 is 0 - 8, element 16 is 15 - 8
  std::vector<float> values(32);
  DecodeRow(Element::kQ4_0, q4.data(), 32, values.data());
  EXPECT_EQ(values[0], -8);
  EXPECT_EQ(values[16], 7);
  std::vector<std::uint8_t> q5(24, 0);
  q5[1] = 0x40;  // d = 2
  q5[3] = 0x3C;  // m = 1
  q5[4] = 1;     // the fifth bit of element 0
  q5[8] = 0x03;
  DecodeRow(Element::kQ5_1, q5.data(), 32, values.data());
  EXPECT_EQ(values[0], 2 * 19 + 1);
  EXPECT_EQ(values[16], 1);
  std::vector<std::uint8_t> q6(210, 0);
  q6[209] = 0x3C;
  q6[192 + 15] = 3;  // the scale of the last 16
  q6[127] = 0xA0;    // element 255 is the high nibble of the last low byte
  q6[191] = 0xC0;    // and the top pair of the last high byte
  std::vector<float> many(256);
  DecodeRow(Element::kQ6_K, q6.data(), 256, many.data());
  EXPECT_EQ(many[255], 3 * ((10 | 3 << 4) - 32));
  EXPECT_EQ(many[0], 0);
}

TEST(Element, NamesAreFound) {
  EXPECT_EQ(ElementNamed("bf16"), Element::kBF16);
  EXPECT_EQ(ElementNamed("q4_k"), Element::kQ4_K);
  EXPECT_FALSE(ElementNamed("bf1"));
  EXPECT_EQ(ElementOfGguf(14), Element::kQ6_K);
  EXPECT_FALSE(ElementOfGguf(10));
  EXPECT_FALSE(RowBytes(Element::kQ4_K, 128));
}

}  // namespace
}  // namespace txvm::neural::llm

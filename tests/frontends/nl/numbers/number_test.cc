// Numbers in lowest terms: how they are read from decimal text, scaled and printed.
#include "frontends/nl/numbers/number.h"

#include <gtest/gtest.h>

#include <string>

namespace txvm::frontends::nl {
namespace {

TEST(Number, ReadsLongTextsCheaplyAndNamesThemShortly) {
  const std::string digits(1'000'000, '9');
  const auto refused = ParseDecimal(digits);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().message,
            "the number " + digits.substr(0, 90) + "... (1000000 digits) does not fit in 256 bits");
  EXPECT_FALSE(ParseDecimal("." + std::string(1'000'000, '0') + "1"));
  EXPECT_EQ(ToText(*ParseDecimal(std::string(1'000'000, '0') + "7")), "7");
  EXPECT_EQ(ToText(*ParseDecimal("7." + std::string(1'000'000, '0'))), "7");
  EXPECT_LT(ParseDecimal(digits + "x").error().message.size(), 200u);
}

TEST(Number, ScalesByPowersOfTen) {
  EXPECT_EQ(ToText(*ParseDecimal("-1.25", 2)), "-125");
  EXPECT_EQ(ToText(*ParseDecimal("1.25", -1)), "1/8");
  EXPECT_EQ(ToText(*ParseDecimal("0", 999)), "0");
  EXPECT_EQ(ToText(*ParseMixed("-1", {1, 2})), "-3/2");
  EXPECT_EQ(ToText(*ParseMixed("-", {3, 8}, 3)), "-375");
  EXPECT_EQ(ToText(*ParseMixed("", {1, 7}, 1)), "10/7");
  EXPECT_FALSE(ParseMixed("1", {1, 2}, 1'000'000'000));
  EXPECT_FALSE(ParseMixed("1" + std::string(76, '0'), {1, 10}));
}

TEST(Number, PrintsExactly) {
  EXPECT_EQ(ToText(*ParseDecimal("-0.50")), "-1/2");
  EXPECT_EQ(*ToPoint(*ParseDecimal("-0.50")), "-0.5");
  EXPECT_EQ(*ToPoint(*ParseDecimal("12.0625")), "12.0625");
  EXPECT_FALSE(ToPoint(*ParseDecimal("12")));
  Rational third;
  third.numerator = Limbs{1};
  third.denominator = Limbs{3};
  EXPECT_FALSE(ToPoint(third));
  EXPECT_EQ(ToText(Rational::FromInt(INT64_MIN)), "-9223372036854775808");
  EXPECT_FALSE(ParseDecimal("1.2.3"));
  EXPECT_FALSE(ParseDecimal("."));
  EXPECT_FALSE(ParseDecimal(""));
  Limbs least{};
  least.back() = 1u << 31;
  EXPECT_EQ(ToDecimal(least),
            "-57896044618658097711785492504343953926634992332820282019728792003956564819968");
}

}  // namespace
}  // namespace txvm::frontends::nl

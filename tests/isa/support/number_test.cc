// Numbers of the command line.
#include "isa/support/number.h"

#include <gtest/gtest.h>

#include <limits>

#include "isa/support/shown_text.h"

namespace txvm::isa {
namespace {

constexpr std::uint64_t kMost = std::numeric_limits<std::uint64_t>::max();

TEST(ParseCount, TakesDecimalSuffixes) {
  EXPECT_EQ(ParseCount("x", "0", kMost), 0u);
  EXPECT_EQ(ParseCount("x", "250", kMost), 250u);
  EXPECT_EQ(ParseCount("x", "10k", kMost), 10'000u);
  EXPECT_EQ(ParseCount("x", "10K", kMost), 10'000u);
  EXPECT_EQ(ParseCount("x", "10M", kMost), 10'000'000u);
  EXPECT_EQ(ParseCount("x", "2G", kMost), 2'000'000'000u);
  EXPECT_EQ(ParseCount("x", "1_000_000", kMost), 1'000'000u);
  EXPECT_EQ(ParseCount("x", "18446744073709551615", kMost), kMost);
}

TEST(ParseCount, RefusesWhatIsNoCount) {
  for (const char* text : {"", "k", "-1", "+1", "1.5", "0x10", "10T", "10kk", " 1", "1 "}) {
    const auto count = ParseCount("--fuel", text, kMost);
    ASSERT_FALSE(count) << text;
    EXPECT_EQ(count.error().message,
              "--fuel wants a count such as 250, 10k, 10M or 2G, not '" + std::string(text) + "'");
  }
}

TEST(ParseCount, RefusesWhatIsAboveTheLimit) {
  EXPECT_EQ(ParseCount("--n", "11", 10).error().message, "--n 11 is above the limit of 10");
  EXPECT_EQ(ParseCount("--n", "18446744074G", kMost).error().message,
            "--n 18446744074G is above the limit of 18446744073709551615");
  for (const char* text :
       {"18446744073709551616", "99999999999999999999", "99999999999999999999k"}) {
    EXPECT_EQ(ParseCount("--n", text, kMost).error().message,
              "--n " + std::string(text) + " is above the limit of 18446744073709551615");
  }
}

TEST(ParseSeconds, TakesUnits) {
  EXPECT_DOUBLE_EQ(*ParseSeconds("x", "2"), 2);
  EXPECT_DOUBLE_EQ(*ParseSeconds("x", "0.5"), 0.5);
  EXPECT_DOUBLE_EQ(*ParseSeconds("x", "500ms"), 0.5);
  EXPECT_DOUBLE_EQ(*ParseSeconds("x", "2s"), 2);
  EXPECT_DOUBLE_EQ(*ParseSeconds("x", "5m"), 300);
}

TEST(ParseSeconds, RefusesTheRest) {
  for (const char* text : {"", "s", "0", "-1", "1h", "nan", "inf", "1e300", "2 s"}) {
    EXPECT_FALSE(ParseSeconds("--timeout", text)) << text;
  }
}

TEST(ParseWord, TakesBothSignsAndHex) {
  EXPECT_EQ(ParseWord(1, "0"), 0u);
  EXPECT_EQ(ParseWord(1, "-1"), 0xFFFFFFFFu);
  EXPECT_EQ(ParseWord(1, "+7"), 7u);
  EXPECT_EQ(ParseWord(1, "-2147483648"), 0x80000000u);
  EXPECT_EQ(ParseWord(1, "4294967295"), 0xFFFFFFFFu);
  EXPECT_EQ(ParseWord(1, "0xfF"), 255u);
  EXPECT_EQ(ParseWord(1, "-0x80000000"), 0x80000000u);
}

TEST(ParseWord, RefusesTheRestByPosition) {
  for (const char* text : {"", "-", "--1", "-2147483649", "4294967296", "1.0", "0x", "x"}) {
    const auto word = ParseWord(3, text);
    ASSERT_FALSE(word) << text;
    EXPECT_TRUE(word.error().message.starts_with("argument 3 '")) << word.error().message;
  }
}

TEST(Text, NumbersForPeople) {
  EXPECT_EQ(Grouped(0), "0");
  EXPECT_EQ(Grouped(999), "999");
  EXPECT_EQ(Grouped(1'234'567), "1,234,567");
  EXPECT_EQ(TimeText(12.34e-6), "12.3 us");
  EXPECT_EQ(TimeText(4.567e-3), "4.57 ms");
  EXPECT_EQ(TimeText(1.2345), "1.234 s");
  EXPECT_EQ(SpeedText(2'000'000, 0.5), "4.0 M steps/s");
  EXPECT_EQ(SpeedText(1, 0), "-");
}

}  // namespace
}  // namespace txvm::isa

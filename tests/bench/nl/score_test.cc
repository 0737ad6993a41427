// Shares and their intervals.
#include "bench/nl/score.h"

#include <gtest/gtest.h>

namespace txvm::bench::nl {
namespace {

constexpr double kClose = 5e-5;

// Source: Newcombe, Statistics in Medicine 17, 1998, table I, method 3.
TEST(Wilson, AgreesWithPublishedIntervals) {
  EXPECT_NEAR(Wilson(81, 263).low, 0.2553, kClose);
  EXPECT_NEAR(Wilson(81, 263).high, 0.3662, kClose);
  EXPECT_NEAR(Wilson(15, 148).low, 0.0624, kClose);
  EXPECT_NEAR(Wilson(15, 148).high, 0.1605, kClose);
  EXPECT_NEAR(Wilson(0, 20).high, 0.1611, kClose);
  EXPECT_NEAR(Wilson(1, 29).low, 0.0061, kClose);
  EXPECT_NEAR(Wilson(1, 29).high, 0.1718, kClose);
}

TEST(Wilson, TwelveOfTwelveIsNotCertainty) {
  EXPECT_NEAR(Wilson(12, 12).low, 0.7575, kClose);
  EXPECT_DOUBLE_EQ(Wilson(12, 12).high, 1);
  EXPECT_DOUBLE_EQ(Wilson(0, 12).low, 0);
}

TEST(Wilson, NothingSaysNothing) {
  EXPECT_DOUBLE_EQ(Wilson(0, 0).low, 0);
  EXPECT_DOUBLE_EQ(Wilson(0, 0).high, 1);
}

TEST(Split, CountsCleanAndContaminatedApart) {
  const SplitTally split =
      Split({true, true, false, true, false}, {true, false, false, true, true});
  EXPECT_EQ(CountText(split.all), "3/5");
  EXPECT_EQ(CountText(split.clean), "1/2");
  EXPECT_EQ(CountText(split.contaminated), "2/3");
}

TEST(Texts, OfShares) {
  const Tally tally{973, 1000};
  EXPECT_EQ(ShareText(tally), "97.3 % (973/1000)");
  EXPECT_EQ(IntervalText(tally), "96.1-98.1");
  EXPECT_EQ(ShareText({}), "-");
}

}  // namespace
}  // namespace txvm::bench::nl

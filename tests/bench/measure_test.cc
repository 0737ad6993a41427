// Clocks, memory and medians.
#include "bench/measure.h"

#include <gtest/gtest.h>

#include <vector>

namespace txvm::bench {
namespace {

TEST(Measure, MedianIsTheMiddleValue) {
  EXPECT_DOUBLE_EQ(Median({3}), 3);
  EXPECT_DOUBLE_EQ(Median({9, 1, 5}), 5);
  EXPECT_DOUBLE_EQ(Median({4, 1, 3, 2}), 3) << "the upper middle";
}

TEST(Measure, GeometricMeanOfRatios) {
  EXPECT_DOUBLE_EQ(GeometricMean({2, 8}), 4);
  EXPECT_DOUBLE_EQ(GeometricMean({7}), 7);
}

TEST(Measure, ThreadTimeMovesWithWork) {
  const double before = ThreadSeconds();
  std::uint64_t x = 1;
  while (ThreadSeconds() - before < 0.002) x = x * 25'214'903'917u + 11;
  EXPECT_NE(x, 0u);
  EXPECT_GT(ThreadSeconds(), before);
}

TEST(Measure, ResidentMemoryFollowsTouchedPages) {
  const std::uint64_t before = ResidentBytes();
  ASSERT_GT(before, 0u);
  const std::vector<char> touched(64u << 20, 1);
  EXPECT_GT(ResidentBytes(), before + (32u << 20)) << touched.size();
}

}  // namespace
}  // namespace txvm::bench

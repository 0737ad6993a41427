#include "bench/nl/risk.h"

#include <gtest/gtest.h>

namespace txvm::bench::nl {
namespace {

TEST(Risk, AThresholdTurnsUnsureAnswersIntoAbstentions) {
  const std::vector<Item> items = {
      {"a", "1", {}, 0, 0}, {"b", "2", {}, 0, 0}, {"c", "3", {}, 0, 0}};
  const std::vector<Outcome> outcomes = {{"p", "1", 0.9}, {"p", "5", 0.4}, {"?chat", "", 0.7}};
  const std::vector<Judged> judged = Judge(items, outcomes);

  const AtThreshold none = Apply(judged, 0);
  EXPECT_EQ(none.covered.successes, 2u);
  EXPECT_EQ(none.covered.total, 3u);
  EXPECT_EQ(none.right.successes, 1u);
  EXPECT_EQ(none.right.total, 2u);

  const AtThreshold half = Apply(judged, 0.5);
  EXPECT_EQ(half.covered.successes, 1u);
  EXPECT_EQ(half.right.successes, 1u);
  EXPECT_EQ(half.right.total, 1u);
}

TEST(Risk, AnAbstentionCoversNothing) {
  const std::vector<Item> items = {{"a", "", {}, 0, 0}};
  const std::vector<Judged> judged = Judge(items, {{"?missing", "", 0.9}});
  EXPECT_EQ(Apply(judged, 0).covered.successes, 0u);
  EXPECT_TRUE(judged.front().is_right);
}

}  // namespace
}  // namespace txvm::bench::nl

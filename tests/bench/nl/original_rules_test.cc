// The rules score what the original's did.
#include "bench/nl/original_rules.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <string_view>

#include "bench/nl/items.h"
#include "bench/nl/reader_pool.h"

namespace txvm::bench::nl {
namespace {

constexpr std::uint64_t kFuel = 1'000'000;

using Rule = std::optional<std::string> (*)(std::string_view);

std::size_t Right(Rule rule, const std::vector<Item>& items) {
  return static_cast<std::size_t>(std::ranges::count_if(items, [rule](const Item& item) {
    const auto program = rule(item.question);
    return program && ValueOf(*program, {}, kFuel) == item.answer;
  }));
}

std::size_t Right(Rule rule, std::string_view set) {
  const std::vector<ItemSet> sets = ReadSentenceSets({})->fixed;
  return Right(rule, std::ranges::find(sets, set, &ItemSet::name)->items);
}

TEST(OriginalRules, ScoreAsPublished) {
  EXPECT_EQ(Right(ReadTwoOperations, "multi-op"), 8u);
  EXPECT_EQ(Right(ReadLoop, "loop"), 9u);
  EXPECT_EQ(Right(ReadComparison, "comparison"), 12u) << "the eight in words need a model";
}

TEST(OriginalRules, TogetherLoseNothing) {
  EXPECT_EQ(Right(ReadByRules, "multi-op"), 8u);
  EXPECT_EQ(Right(ReadByRules, "loop"), 9u);
  EXPECT_EQ(Right(ReadByRules, "comparison"), 12u);
}

TEST(OriginalRules, DropWhatFollowsAMatch) {
  EXPECT_EQ(ReadTwoOperations("(8 + 4) * 3 + 2"), "(8 + 4) * 3");
  EXPECT_EQ(ReadTwoOperations("16 - 3, then multiply by 5, then add 2"), "(16 - 3) * 5");
  EXPECT_EQ(ReadLoop("Count from 5 to 2"), "count 5 to 0");
}

TEST(OriginalRules, KnowNoOtherWords) {
  for (const char* text :
       {"Start with 50, subtract 20, then divide by 3", "Subtract 5 from 20, then multiply by 3",
        "10 + 5 * 2", "100 - 40 and then divide by 2"}) {
    EXPECT_FALSE(ReadTwoOperations(text)) << text;
  }
  for (const char* text : {"Add the numbers from 5 to 15", "Sum of 1 to 10",
                           "Sum all integers from 1 through 10", "Multiply the numbers 2 to 4"}) {
    EXPECT_FALSE(ReadLoop(text)) << text;
  }
}

TEST(OriginalRules, FormulasAreNothingButSignsAndDigits) {
  EXPECT_EQ(ValueOf(*ReadFormula("12 * (5 + 2) ="), {}, kFuel), "84");
  EXPECT_FALSE(ReadFormula("12 times 9"));
  EXPECT_FALSE(ReadFormula("()"));
}

// Its authors' own file of two-operation questions, where there is a copy beside the project.
TEST(OriginalRules, ReadSixInTenOfTheTwoOperationFile) {
  const std::filesystem::path path =
      std::filesystem::path(TXVM_SOURCE_DIR) / "../shared/data/nl/multiop_val.jsonl";
  if (!std::filesystem::exists(path)) GTEST_SKIP() << "no file of two-operation questions here";
  const auto set = ReadItems(path.string());
  ASSERT_TRUE(set) << set.error().message;
  EXPECT_EQ(set->items.size(), 300u);
  EXPECT_EQ(Right(ReadTwoOperations, set->items), 177u);
}

}  // namespace
}  // namespace txvm::bench::nl

// Questions that only looking up answers: they say what they should, and the shipped model answers
// them.
#include "bench/nl/lookups.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <string>

#include "bench/nl/reader_pool.h"
#include "frontends/nl/numbers/lexer.h"

namespace txvm::bench::nl {
namespace {

constexpr std::uint64_t kFuel = 1'000'000;

TEST(Lookups, ProgramsGiveTheAnswers) {
  for (const LookupSet& lookup : LookupSets(50, 3)) {
    ASSERT_EQ(lookup.set.items.size(), 50u) << lookup.set.name;
    for (const Item& item : lookup.set.items) {
      const auto lexed = frontends::nl::Lex(item.question);
      ASSERT_TRUE(lexed) << item.question;
      EXPECT_EQ(ValueOf(item.program, lexed->numbers, kFuel), item.answer) << item.question;
    }
  }
}

TEST(Lookups, NothingButTheTextTellsWhich) {
  for (const LookupSet& lookup : LookupSets(400, 4)) {
    // Whoever gives one program to all is right by chance.
    std::map<std::string, int> programs;
    for (const Item& item : lookup.set.items) ++programs[item.program];
    EXPECT_EQ(programs.size(), static_cast<std::size_t>(1 / lookup.by_chance)) << lookup.set.name;
    for (const auto& [program, count] : programs) {
      EXPECT_NEAR(count / 400.0, lookup.by_chance, 0.1) << lookup.set.name << " " << program;
    }
  }
}

TEST(Lookups, AreTheSameForTheSameSeed) {
  const auto first = LookupSets(5, 1), again = LookupSets(5, 1), other = LookupSets(5, 2);
  for (std::size_t i = 0; i < first.size(); ++i) {
    for (std::size_t k = 0; k < 5; ++k) {
      EXPECT_EQ(first[i].set.items[k].question, again[i].set.items[k].question);
    }
    EXPECT_NE(first[i].set.items[0].question, other[i].set.items[0].question);
  }
}

// Most of the prices, nearly all of the others (docs/NL-RESULTS.md).
TEST(Lookups, TheShippedModelAnswersThem) {
  const std::filesystem::path model =
      std::filesystem::path(TXVM_SOURCE_DIR) / "models/nl.safetensors";
  auto pool = ReaderPool::Open(model.string(), {.threads = 2, .fuel = kFuel});
  ASSERT_TRUE(pool) << pool.error().message;
  for (const LookupSet& lookup : LookupSets(50, 5)) {
    const int least = lookup.set.name == "several at one of two prices" ? 38 : 45;
    const std::vector<Item>& items = lookup.set.items;
    const std::vector<bool> right = RightOnes(items, pool->Answer(items, lookup.set.name));
    EXPECT_GE(std::ranges::count(right, true), least) << lookup.set.name << ", of 50";
  }
}

}  // namespace
}  // namespace txvm::bench::nl

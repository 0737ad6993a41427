// Exchanged words: the tables are as swap.h says, and a text stays what it was but for them.
#include "neural/questions/swap.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <set>
#include <string>

#include "neural/questions/expander.h"
#include "neural/questions/surface.h"
#include "tests/neural/questions/bank.h"

namespace txvm::neural::questions {
namespace {

using ::testing::AnyOf;
using ::testing::Contains;
using ::testing::Not;

/// Words that mean a number or decide on an operation: never exchanged, never put in.
const std::set<std::string, std::less<>> kFixedWords = {
    "half",  "twice",   "thrice", "double", "triple",  "dozen", "dozens", "pair",
    "pairs", "percent", "fewer",  "one",    "quarter", "third", "times"};

std::vector<std::string> Words(std::string_view phrase) {
  std::vector<std::string> out(1);
  for (const char c : phrase) {
    if (c == ' ') {
      out.emplace_back();
    } else {
      out.back() += c;
    }
  }
  return out;
}

TEST(Swaps, PhrasesAreSmallWordsWithoutNumbers) {
  const Swaps& swaps = Bank().swaps();
  EXPECT_GT(swaps.rows().size(), 1000u);
  std::vector<std::string_view> phrases;
  for (const Swap& row : swaps.rows()) {
    EXPECT_FALSE(row.to.empty()) << row.from;
    EXPECT_THAT(row.to, Not(Contains(row.from)));
    phrases.push_back(row.from);
    phrases.insert(phrases.end(), row.to.begin(), row.to.end());
  }
  for (const std::string_view phrase : phrases) {
    EXPECT_TRUE(std::ranges::all_of(phrase, [](char c) {
      return (c >= 'a' && c <= 'z') || c == ' ' || c == '\'' || c == '-';
    })) << phrase;
    for (const std::string& word : Words(phrase)) {
      EXPECT_FALSE(word.empty()) << phrase;
      EXPECT_FALSE(IsNumberWord(word)) << phrase;
      EXPECT_FALSE(kFixedWords.contains(word)) << phrase;
    }
  }
}

TEST(Swaps, HaveOneRowAPhrase) {
  std::set<std::string_view> seen;
  const Swaps& swaps = Bank().swaps();
  for (const Swap& row : swaps.rows()) {
    EXPECT_TRUE(seen.insert(row.from).second) << row.from;
  }
}

TEST(Swaps, ReplacePhrasesAndNothingElse) {
  const Swaps& swaps = Bank().swaps();
  Random random(1);
  EXPECT_THAT(swaps.Apply("How many are there in total?", 100, random),
              AnyOf("How many are there in all?", "How many are there altogether?",
                    "How many are there all told?"));
  EXPECT_EQ(swaps.Apply("How many are there in total?", 0, random), "How many are there in total?");
  EXPECT_EQ(swaps.Apply("xyzzy qwerty.", 100, random), "xyzzy qwerty.");
  EXPECT_EQ(swaps.Apply("", 100, random), "");
}

TEST(Swaps, LeaveNamesAndMarkedWordsAlone) {
  const Swaps& swaps = Bank().swaps();
  Random random(2);
  ASSERT_NE(swaps.Apply("the children", 100, random), "the children");
  EXPECT_EQ(swaps.Apply("Mr Children", 100, random), "Mr Children");
  const std::string marked = {'\x01',      '0', ' ', kPluralMark, 'k', 'i',       'd',
                              kPluralThen, 'k', 'i', 'd',         's', kPluralEnd};
  EXPECT_EQ(swaps.Apply(marked, 100, random), marked);
}

TEST(Swaps, KeepWordsThatAStoryTellsApart) {
  const Swaps& swaps = Bank().swaps();
  Random random(4);
  ASSERT_NE(swaps.Apply("boxes", 100, random), "boxes");
  const std::string_view story = "5 boxes and 4 crates. How many boxes?";
  for (int i = 0; i < 20; ++i) EXPECT_EQ(swaps.Apply(story, 100, random), story);
}

TEST(Swaps, KeepCapitalsAndNumbers) {
  const Swaps& swaps = Bank().swaps();
  Random random(3);
  for (int i = 0; i < 20; ++i) {
    const std::string out = swaps.Apply(
        "\x01"
        "0 wins. Children won \x01"
        "1.",
        100, random);
    EXPECT_NE(out.find("\x01"
                       "0"),
              std::string::npos)
        << out;
    EXPECT_NE(out.find("\x01"
                       "1."),
              std::string::npos)
        << out;
    const std::size_t second = out.find(". ");
    ASSERT_NE(second, std::string::npos);
    EXPECT_TRUE(std::isupper(static_cast<unsigned char>(out[second + 2]))) << out;
  }
}

}  // namespace
}  // namespace txvm::neural::questions

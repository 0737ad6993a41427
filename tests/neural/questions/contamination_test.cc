#include "neural/questions/contamination.h"

#include <gtest/gtest.h>

#include "neural/questions/random.h"
#include "tests/neural/questions/bank.h"

namespace txvm::neural::questions {
namespace {

std::vector<std::string> Words(std::initializer_list<const char*> words) {
  return {words.begin(), words.end()};
}

TEST(Contamination, NumbersAndNamesAreMasked) {
  const Lexicon& lexicon = Bank().lexicon();
  EXPECT_EQ(MaskedWords(lexicon, "Zoe has 1,200 pens and Quibble has twenty-five. Why?"),
            Words({"@", "has", "#", "pens", "and", "@", "has", "#", "why"}));
}

TEST(Contamination, EditsOfWordsAreCounted) {
  const auto a = Words({"a", "b", "c", "d"});
  EXPECT_TRUE(WithinEdits(a, Words({"a", "b", "c", "d"}), 0));
  EXPECT_TRUE(WithinEdits(a, Words({"a", "x", "c"}), 2));
  EXPECT_FALSE(WithinEdits(a, Words({"x", "y", "z", "d"}), 2));
  EXPECT_FALSE(WithinEdits(a, Words({"a"}), 2));
}

TEST(Contamination, ASentenceCollidesUpToTwoWords) {
  const Lexicon& lexicon = Bank().lexicon();
  ContaminationIndex index(lexicon);
  index.Add("Zoe has 3 pens. She loses 2 pens. How many pens are left?");
  EXPECT_EQ(index.Colliding("Hugo has 40 pens. He loses 12 pens. How many pens are left").size(),
            1u);
  EXPECT_EQ(index.Colliding("Hugo has 40 pens. He sells 12 pens. How many cups are left").size(),
            0u);
}

// The parts find what looking at every pair finds.
TEST(Contamination, TheIndexMissesNothing) {
  const Lexicon& lexicon = Bank().lexicon();
  ContaminationIndex index(lexicon);
  Random random(5);
  std::vector<std::string> sentences;
  const auto sentence = [&] {
    std::string out;
    for (std::size_t n = random.Below(9); n > 0; --n) out += random.Chance(50) ? "go " : "up ";
    return out;
  };
  for (int i = 0; i < 60; ++i) {
    sentences.push_back(sentence());
    index.Add(sentences.back());
  }
  for (int i = 0; i < 300; ++i) {
    const std::string query = sentence();
    std::vector<std::size_t> expected;
    for (std::size_t s = 0; s < sentences.size(); ++s) {
      if (WithinEdits(MaskedWords(lexicon, query), MaskedWords(lexicon, sentences[s]))) {
        expected.push_back(s);
      }
    }
    EXPECT_EQ(index.Colliding(query), expected) << query;
  }
}

}  // namespace
}  // namespace txvm::neural::questions

// The vocabulary: what it learns, and that the tokenizer reads it.
#include "neural/train/bpe.h"

#include <gtest/gtest.h>

#include "neural/llm/tokenizer.h"

namespace txvm::neural::train {
namespace {

WordCounts Counted(std::string_view text) {
  WordCounts counts;
  CountWords(text, counts);
  return counts;
}

TEST(Bpe, WordsKeepTheirSpaceAndLeaveTheirPunctuation) {
  const WordCounts counts = Counted("how many? many");
  const std::string mark(llm::kSpaceMark);
  EXPECT_EQ(counts, (WordCounts{{mark + "how", 1}, {mark + "many", 2}, {"?", 1}}));
  EXPECT_EQ(Counted("a (b)"), (WordCounts{{mark + "a", 1}, {mark + "(", 1}, {"b", 1}, {")", 1}}));
}

TEST(Bpe, FrequentWordsBecomeOnePieceAndTextComesBack) {
  WordCounts counts;
  for (int i = 0; i < 50; ++i) CountWords("how many apples remain", counts);
  CountWords("how much is left?", counts);
  const auto json = TrainBpe(counts, {.vocabulary = 320, .added = {"<N0>", "<sum>"}});
  ASSERT_TRUE(json) << json.error().message;
  const auto spec = llm::SpecFromJson(*json);
  ASSERT_TRUE(spec) << spec.error().message;
  const auto tokenizer = llm::Tokenizer::Make(*spec);
  ASSERT_TRUE(tokenizer) << tokenizer.error().message;
  EXPECT_LE(tokenizer->size(), 320u);
  EXPECT_EQ(tokenizer->Encode("how many apples").size(), 3u);
  EXPECT_TRUE(tokenizer->Find("<N0>").has_value());
  EXPECT_EQ(tokenizer->Encode("<sum>").size(), 1u);
  for (const char* text : {"how many apples remain?", "zebra \xC3\xA9t\xC3\xA9 <N0>", ""}) {
    EXPECT_EQ(tokenizer->Decode(tokenizer->Encode(text), true), text);
  }
}

TEST(Bpe, TheSameWordsGiveTheSameFile) {
  const WordCounts counts = Counted("one two two three three three, four four four four");
  const BpeOptions options{.vocabulary = 300, .added = {}};
  EXPECT_EQ(*TrainBpe(counts, options), *TrainBpe(counts, options));
}

TEST(Bpe, ATooSmallVocabularyIsRefused) {
  const auto json = TrainBpe(Counted("ab"), {.vocabulary = 100, .added = {}});
  ASSERT_FALSE(json);
  EXPECT_EQ(json.error().message, "a vocabulary of 100 cannot hold the 262 tokens it starts with");
}

}  // namespace
}  // namespace txvm::neural::train

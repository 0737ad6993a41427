// What is put into stories besides says nothing of numbers and leaves the story in its order.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <string>

#include "neural/data/draft.h"
#include "neural/data/surface.h"

namespace txvm::neural::data {
namespace {

class EmbellishTest : public testing::Test {
 protected:
  std::string Expanded(std::string_view text) {
    Expander expander(lexicon_, rules_, random_, {});
    return expander.Expand(text);
  }
  std::string Embellished(std::string_view text) {
    Expander expander(lexicon_, rules_, random_, {});
    const GeneratorOptions options;
    const Workshop workshop{lexicon_, rules_, random_, expander, options};
    Draft draft;
    draft.marked = text;
    Embellish(workshop, draft);
    return draft.marked;
  }

  Lexicon lexicon_;
  Rules rules_;
  Random random_{7};
};

TEST_F(EmbellishTest, TextsHaveNoNumbers) {
  for (const std::string_view name :
       {"filler", "filler_person", "ahead", "ahead_person", "behind"}) {
    for (const std::string_view text : rules_.Texts(name)) {
      for (int i = 0; i < 10; ++i) {
        const std::string expanded = Expanded(text);
        EXPECT_EQ(VariablesOfText(expanded), 0u) << text;
        EXPECT_TRUE(Surface(expanded, {}, {}, random_)) << expanded;  // refuses number words
      }
    }
  }
}

TEST_F(EmbellishTest, NumbersAndTheQuestionStayInOrder) {
  const std::string story =
      "There were \x01"
      "0 \x02"
      "apple\x03"
      "apples\x04. Then \x01"
      "1 were sold. how many are left?";
  bool has_changed = false;
  for (int i = 0; i < 200; ++i) {
    const std::string told = Embellished(story);
    has_changed = has_changed || told != story;
    const std::size_t first = told.find(
                          "\x01"
                          "0 "),
                      second = told.find(
                          "\x01"
                          "1 were sold");
    EXPECT_LT(first, second) << told;
    EXPECT_NE(second, std::string::npos) << told;
    EXPECT_TRUE(told.ends_with("how many are left?")) << told;
    EXPECT_NE(told.find("\x02"
                        "apple\x03"
                        "apples\x04"),
              std::string::npos)
        << told;
  }
  EXPECT_TRUE(has_changed);
}

TEST_F(EmbellishTest, ALoneSentenceGetsAdjectivesOnly) {
  const std::string question =
      "how many are \x01"
      "0 and \x01"
      "1?";
  for (int i = 0; i < 50; ++i) EXPECT_EQ(Embellished(question), question);
}

}  // namespace
}  // namespace txvm::neural::data

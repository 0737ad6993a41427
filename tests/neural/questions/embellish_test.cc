// What is put into stories besides says nothing of numbers and leaves the story in its order.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <string>

#include "neural/questions/draft.h"
#include "neural/questions/surface.h"
#include "tests/neural/questions/bank.h"

namespace txvm::neural::questions {
namespace {

class EmbellishTest : public testing::Test {
 protected:
  std::string Expanded(std::string_view text) {
    Expander expander(Bank().lexicon(), Bank().rules(), random_, {});
    return expander.Expand(text);
  }
  /// The text after `change` has been at it.
  template <typename Change>
  std::string Changed(std::string_view text, Change change) {
    Expander expander(Bank().lexicon(), Bank().rules(), random_, {});
    const GeneratorOptions options;
    const Workshop workshop{Bank(), random_, expander, options};
    Draft draft;
    draft.marked = text;
    change(workshop, draft);
    return draft.marked;
  }
  std::string Embellished(std::string_view text) { return Changed(text, Embellish); }
  std::string Addressed(std::string_view text) {
    return Changed(text, [](const Workshop& workshop, Draft& draft) {
      Address(workshop, /*is_story=*/false, draft);
    });
  }

  Random random_{7};
};

TEST_F(EmbellishTest, TextsHaveNoNumbers) {
  for (const std::string_view name :
       {"filler", "filler_person", "ahead", "ahead_person", "behind", "address", "parting"}) {
    for (const std::string_view text : Bank().rules().Texts(name)) {
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

TEST_F(EmbellishTest, WhoSpeaksToTheMachineLeavesTheCommandWhole) {
  const std::string command =
      "add \x01"
      "0 and \x01"
      "1";
  std::size_t ahead = 0, behind = 0;
  constexpr std::size_t kTimes = 600;
  for (std::size_t i = 0; i < kTimes; ++i) {
    const std::string told = Addressed(command);
    const std::size_t at = told.find(command);
    ASSERT_NE(at, std::string::npos) << told;
    ahead += at > 0 ? 1 : 0;
    behind += told.ends_with(command) ? 0 : 1;
  }
  EXPECT_GT(ahead, 0u);
  EXPECT_LT(ahead, kTimes / 2);
  EXPECT_GT(behind, 0u);
  EXPECT_LT(behind, kTimes / 2);
}

}  // namespace
}  // namespace txvm::neural::questions

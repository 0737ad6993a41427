// Stories that cannot be answered, beside the same stories told whole (unanswerable.cc).
#include <gtest/gtest.h>

#include <map>
#include <set>
#include <string>

#include "neural/questions/draft.h"
#include "neural/questions/generator.h"
#include "tests/neural/questions/drafts.h"

namespace txvm::neural::questions {
namespace {

void ExpectWhole(const Draft& draft) {
  EXPECT_EQ(draft.marked.find_first_of("{}[]<>%#~^"), std::string::npos) << draft.marked;
}

// All four reasons, and most of them after numbers that a story tells.
TEST(Unanswerable, HasAllReasonsAndNumbersThatWouldDo) {
  constexpr std::size_t kTries = 4'000;
  std::map<std::string, std::size_t> reasons;
  std::set<std::string> texts;
  std::size_t with_two = 0;
  const std::size_t drafts = ForDrafts(kTries, DraftUnanswerable, [&](const Draft& draft) {
    ExpectWhole(draft);
    ++reasons[draft.abstention];
    texts.insert(draft.marked);
    const std::uint64_t numbers = VariablesOfText(draft.marked);
    with_two += (numbers & (numbers - 1)) != 0 ? 1 : 0;
  });
  EXPECT_GT(drafts, kTries * 9 / 10);
  EXPECT_EQ(reasons.size(), 4u);
  for (const char* reason : {"?unsupported", "?unclear", "?chat", "?missing"}) {
    EXPECT_GT(reasons[reason], drafts / 6) << reason;
  }
  EXPECT_GT(texts.size(), drafts * 8 / 10);
  EXPECT_GT(with_two, drafts / 2);
}

// What is spoilt there is told whole here, and then each question of each plan comes.
TEST(Unanswerable, TwinsHaveTheirPrograms) {
  constexpr std::size_t kTries = 6'000;
  std::set<int> questions;
  const std::size_t drafts = ForDrafts(kTries, DraftAnswerableTwin, [&](const Draft& draft) {
    ExpectWhole(draft);
    EXPECT_TRUE(draft.abstention.empty()) << draft.marked;
    questions.insert(draft.phrasing);
  });
  EXPECT_GT(drafts, kTries * 9 / 10);
  const std::size_t all = CountUnanswerableQuestions();
  EXPECT_EQ(all, 40u);
  EXPECT_EQ(questions.size(), all);
}

// Both families, as training has them at its end, read back and have the programs of the twins.
TEST(Unanswerable, ExamplesReadBack) {
  constexpr std::uint64_t kExamples = 3'000;
  std::map<std::string, std::size_t> programs;
  for (const Family family : {Family::kAbstain, Family::kExtra}) {
    ForExamples(family, kExamples, OfLastMix(), [&](const Example& example) {
      ++programs[example.canonical];
      EXPECT_EQ(example.answerable, family != Family::kAbstain) << About(example);
    });
  }
  for (const char* any : {"?missing =", "?unclear =", "?unsupported =", "?chat =", "N0 - N1 =",
                          "N0 + N1 =", "N0 * N1 =", "N0 / N1 =", "N1 - N0 =", "N1 / N0 ="}) {
    EXPECT_GT(programs[any], 0u) << any;
  }
}

}  // namespace
}  // namespace txvm::neural::questions

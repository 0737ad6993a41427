// Stories by plot (plots.cc): every question comes, all that is open in a text is filled, and
// numbers can be drawn.
#include <gtest/gtest.h>

#include <map>
#include <set>
#include <string>

#include "neural/questions/draft.h"
#include "tests/neural/questions/bank.h"
#include "tests/neural/questions/drafts.h"

namespace txvm::neural::questions {
namespace {

TEST(Plots, EveryQuestionComesAndItsNumbersCanBeDrawn) {
  constexpr std::size_t kExamples = 20'000;
  Random random(5);
  std::size_t numbered = 0;
  std::set<int> questions;
  std::map<int, std::set<std::string>> texts;
  const std::size_t drafts = ForDrafts(kExamples, DraftPlot, [&](const Draft& draft) {
    EXPECT_EQ(draft.marked.find_first_of("{}[]%<>~"), std::string::npos) << draft.marked;
    const DrawOptions drawing{.variables = VariablesOfText(draft.marked), .is_story = true};
    const bool is_drawn =
        DrawNumbers(draft.specification, draft.program, drawing, random).has_value();
    numbered += is_drawn ? 1 : 0;
    if (is_drawn) questions.insert(draft.phrasing);
    texts[draft.phrasing].insert(draft.marked);
  });
  EXPECT_GT(drafts, kExamples * 9 / 10);
  EXPECT_GT(numbered, drafts * 8 / 10);
  EXPECT_EQ(questions.size(), Bank().plots().size());
  for (const auto& [question, of_question] : texts) EXPECT_GT(of_question.size(), 9u) << question;
}

TEST(Plots, ProgramsAreOfManyKinds) {
  constexpr std::uint64_t kExamples = 5'000;
  auto programs = ProgramsOf(Family::kTwoStep, kExamples, OfLastMix());
  for (const char* any :
       {"N0 * N1 + N2 * N3 =", "N0 * N1 - N2 * N3 =", "abs ( N0 * N1 - N2 * N3 ) =",
        "( N0 - N1 - N2 ) / N3 =", "( N0 + N1 + N2 ) / N3 =", "ceil ( ( N0 + N1 ) / N2 ) =",
        "floor ( ( N0 - N1 ) / N2 ) =", "( N0 + N1 ) mod N2 =", "N0 / ( N1 + 1 ) =",
        "( N0 + N1 ) * N2 * 2 =", "N0 * ( N1 - N2 ) =", "N0 + N0 + N1 ="}) {
    EXPECT_GT(programs[any], 0u) << any;
  }
}

}  // namespace
}  // namespace txvm::neural::questions

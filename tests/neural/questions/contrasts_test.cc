// Stories of many amounts of the same things (contrasts.cc).
#include <gtest/gtest.h>

#include <map>
#include <set>
#include <string>
#include <utility>

#include "neural/questions/draft.h"
#include "tests/neural/questions/bank.h"
#include "tests/neural/questions/drafts.h"

namespace txvm::neural::questions {
namespace {

/// The questions of all stories: those that ask for the same of the same story are one.
std::size_t CountQuestions() {
  std::set<std::pair<std::string_view, std::string_view>> questions;
  for (const Contrasts::Ask& ask : Bank().contrasts().asks) questions.emplace(ask.story, ask.asked);
  return questions.size();
}

// Every opening filled, numbers for all that is asked, and seldom none.
TEST(Contrasts, DraftsAreWholeAndSeldomFail) {
  constexpr std::size_t kTries = 20'000;
  Random random(3);
  std::size_t numbered = 0, with_unneeded = 0;
  std::set<int> schemas, phrasings;
  const std::size_t drafts = ForDrafts(kTries, DraftContrast, [&](const Draft& draft) {
    EXPECT_EQ(draft.marked.find_first_of("{}[]%~"), std::string::npos) << draft.marked;
    const std::uint64_t told = VariablesOfText(draft.marked), asked = VariablesOf(draft.program);
    EXPECT_EQ(asked & ~told, 0u) << draft.marked;
    with_unneeded += (told & ~asked) != 0 ? 1 : 0;
    const DrawOptions options{.variables = told, .is_story = true};
    numbered += DrawNumbers(draft.specification, draft.program, options, random) ? 1 : 0;
    schemas.insert(draft.schema);
    phrasings.insert(draft.phrasing);
  });
  EXPECT_GT(drafts, kTries * 85 / 100);
  EXPECT_GT(numbered, drafts * 85 / 100);
  // About one in eight needs all of its numbers.
  EXPECT_GT(with_unneeded, drafts * 80 / 100);
  EXPECT_LT(with_unneeded, drafts * 95 / 100);
  EXPECT_GT(schemas.size(), 60u);
  EXPECT_EQ(phrasings.size(), CountQuestions());
}

// Whatever stands where, each kind of program comes, from its own slots.
TEST(Contrasts, ExamplesHaveAllKindsOfPrograms) {
  constexpr std::uint64_t kExamples = 3'000;
  auto programs = ProgramsOf(Family::kExtra, kExamples, OfLastMix());
  for (const char* any :
       {"N0 + N1 =", "N0 + N2 =", "N1 + N2 =", "N1 + N3 =", "N0 - N1 =", "N1 - N0 =", "N0 - N2 =",
        "N2 - N0 =", "N1 - N2 =", "N2 - N1 =", "N0 * N1 =", "N0 * N2 =", "N1 * N2 =", "N0 / N1 =",
        "N0 / N2 =", "N1 / N2 =", "N0 - N1 - N2 =", "N0 + N1 - N2 ="}) {
    EXPECT_GT(programs[any], 2u) << any;
  }
  EXPECT_GT(programs.size(), 120u);
}

}  // namespace
}  // namespace txvm::neural::questions

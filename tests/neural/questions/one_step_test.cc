// Plain stories of one operation (one_step.cc): every kind that it can make does come, few drafts
// fail, and the examples read back.
#include <gtest/gtest.h>

#include <array>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "neural/questions/draft.h"
#include "neural/questions/generator.h"
#include "tests/neural/questions/drafts.h"

namespace txvm::neural::questions {
namespace {

constexpr std::array kFamiliesOfIt = {Family::kChange,  Family::kCombine, Family::kCompare,
                                      Family::kGroups,  Family::kRate,    Family::kScale,
                                      Family::kTimeAge, Family::kMoney,   Family::kAverage};

/// The programs of some drafts of a family, and the kinds of story and question that they have.
struct Drawn {
  std::size_t drafts = 0;
  std::set<std::string> texts;
  std::map<std::pair<int, int>, std::size_t> kinds;
};
Drawn Draw(Family family, std::size_t examples) {
  Drawn drawn;
  const auto make = [family](const Workshop& workshop) { return DraftOneStep(workshop, family); };
  drawn.drafts = ForDrafts(examples, make, [&](const Draft& draft) {
    drawn.texts.insert(draft.marked);
    ++drawn.kinds[{draft.schema, draft.phrasing}];
    EXPECT_EQ(draft.marked.find_first_of("{}[]%@&^<>"), std::string::npos) << draft.marked;
    EXPECT_TRUE(draft.marked.ends_with('?') || draft.marked.ends_with('.')) << draft.marked;
  });
  return drawn;
}

TEST(OneStep, MakesAllKindsOfItsFamiliesAndSeldomFails) {
  constexpr std::size_t kExamples = 1'500;
  const std::size_t questions = CountOneStepQuestions();
  std::size_t kinds = 0;
  for (const Family family : kFamiliesOfIt) {
    const Drawn drawn = Draw(family, kExamples);
    EXPECT_GT(drawn.drafts, kExamples * 98 / 100) << FamilyName(family);
    EXPECT_GT(drawn.texts.size(), kExamples / 2) << FamilyName(family);
    for (const auto& [kind, count] : drawn.kinds) EXPECT_GT(count, 4u) << FamilyName(family);
    kinds += drawn.kinds.size();
  }
  EXPECT_EQ(questions, 103u);
  EXPECT_EQ(kinds, questions);
}

TEST(OneStep, ProgramsOfTheLastMixReadBack) {
  constexpr std::uint64_t kExamples = 1'500;
  const std::map<Family, std::set<std::string>> wanted = {
      {Family::kChange, {"N0 + N1 =", "N0 - N1 =", "N1 - N0 ="}},
      {Family::kCombine, {"N0 + N1 =", "N0 - N1 =", "N1 - N0 =", "N0 + N1 + N2 ="}},
      {Family::kCompare, {"N0 + N1 =", "N0 - N1 =", "N1 - N0 ="}},
      {Family::kGroups,
       {"N0 * N1 =", "N0 / N1 =", "N1 / N0 =", "N0 mod N1 =", "ceil ( N0 / N1 ) ="}},
      {Family::kRate, {"N0 * N1 =", "N0 / N1 =", "N1 / N0 ="}},
      {Family::kScale, {"N0 * N1 =", "N0 / N1 =", "N0 * 2 =", "N0 / 2 =", "N0 * N1 / 100 ="}},
      {Family::kTimeAge, {"N0 + N1 =", "N0 - N1 =", "N1 - N0 ="}},
      {Family::kMoney, {"N0 * N1 =", "N0 / N1 =", "N0 - N1 =", "N0 + N1 ="}},
      {Family::kAverage, {"N0 * N1 =", "N0 / N1 =", "( N0 + N1 ) / 2 ="}}};
  for (const auto& [family, programs] : wanted) {
    auto counts = ProgramsOf(family, kExamples, OfLastMix());
    for (const std::string& program : programs) {
      EXPECT_GT(counts[program], kExamples / 200) << FamilyName(family) << " " << program;
    }
  }
}

}  // namespace
}  // namespace txvm::neural::questions

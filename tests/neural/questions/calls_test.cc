// Formal questions put together of parts (sentences/rules/calls.txt), as the families have them.
#include <gtest/gtest.h>

#include <array>
#include <map>
#include <set>
#include <string>

#include "neural/questions/draft.h"
#include "tests/neural/questions/drafts.h"

namespace txvm::neural::questions {
namespace {

constexpr std::array kFamilies = {Family::kFunction,   Family::kComparison, Family::kConditional,
                                  Family::kNumberList, Family::kRange,      Family::kExpression,
                                  Family::kLive};

// Every opening is filled, and hardly a text comes twice.
TEST(Calls, DraftsAreWholeAndVaried) {
  constexpr std::size_t kDrafts = 1'000;
  for (const Family family : kFamilies) {
    std::set<std::string> texts;
    std::set<int> schemas;
    const auto make = [family](const Workshop& workshop) { return DraftCall(workshop, family); };
    const std::size_t drafts = ForDrafts(kDrafts, make, [&](const Draft& draft) {
      EXPECT_EQ(draft.marked.find_first_of("{}[]<>%"), std::string::npos) << draft.marked;
      texts.insert(draft.marked);
      schemas.insert(draft.schema);
    });
    EXPECT_EQ(drafts, kDrafts) << FamilyName(family);
    EXPECT_GT(texts.size(), kDrafts * 7 / 10) << FamilyName(family);
    EXPECT_GT(schemas.size(), 20u) << FamilyName(family);
  }
  const auto of_change = [](const Workshop& workshop) {
    return DraftCall(workshop, Family::kChange);
  };
  EXPECT_EQ(ForDrafts(1, of_change, [](const Draft&) {}), 0u);
}

// As training has them at its end, read back and worked out again.
TEST(Calls, EachKindOfProgramComes) {
  constexpr std::uint64_t kExamples = 1'500;
  std::map<std::string, std::size_t> programs;
  for (const Family family : kFamilies) {
    ForExamples(family, kExamples, OfLastMix(),
                [&](const Example& example) { ++programs[example.canonical]; });
  }
  for (const char* any : {"abs ( N0 - N1 ) =",
                          "abs ( N0 - N1 * N2 ) =",
                          "abs ( N0 + N1 - N2 ) =",
                          "abs ( N0 * N1 ) =",
                          "fact N0 =",
                          "fact ( N0 + N1 ) =",
                          "fact ( N0 - N1 ) =",
                          "fact N0 + fact N1 =",
                          "N0 ^ N1 =",
                          "N1 ^ N0 =",
                          "N0 * 2 ^ N1 =",
                          "N0 * N1 ^ N2 =",
                          "N0 ^ 2 =",
                          "N0 ^ 3 =",
                          "N1 - N0 =",
                          "max [ N0 , N1 ] =",
                          "min [ N0 , N1 ] =",
                          "min [ N0 * N1 , N2 ] =",
                          "max [ N0 , N1 , N2 ] - min [ N0 , N1 , N2 ] =",
                          "sum N0 to N1 =",
                          "product N0 to N1 =",
                          "sum N1 to N0 =",
                          "product 1 to N0 =",
                          "sum N0 to N1 * N2 =",
                          "N0 > N1 =",
                          "N1 > N0 =",
                          "N0 * N1 >= N2 =",
                          "abs ( N0 - N1 ) <= N2 =",
                          "if N0 > N1 then N2 else N3 =",
                          "if N3 > N0 then N1 else N2 =",
                          "if N0 >= N1 then N0 * N2 else N0 * N3 =",
                          "( N0 + N1 ) * ( N2 - N3 ) =",
                          "N2 - N0 * N1 =",
                          "( N0 + N1 ) / 2 =",
                          "T0 := N0 + N1 ; T1 := N2 * N3 ; T0 - T1 =",
                          "T0 := N0 + N1 ; T1 := N2 * N3 ; T1 - T0 =",
                          "T0 := N0 + N1 ; T1 := N2 * N3 ; abs ( T0 - T1 ) ="}) {
    EXPECT_GT(programs[any], 0u) << any;
  }
}

}  // namespace
}  // namespace txvm::neural::questions

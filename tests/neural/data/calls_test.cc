// Formal questions put together of parts (rules_calls.def), as the families have them.
#include <gtest/gtest.h>

#include <array>
#include <map>
#include <set>
#include <string>

#include "neural/data/draft.h"
#include "neural/data/generator.h"
#include "tests/neural/data/read_back.h"

namespace txvm::neural::data {
namespace {

constexpr std::array kFamilies = {Family::kFunction,   Family::kComparison, Family::kConditional,
                                  Family::kNumberList, Family::kRange,      Family::kExpression,
                                  Family::kLive};

// Every opening is filled, and hardly a text comes twice.
TEST(Calls, DraftsAreWholeAndVaried) {
  constexpr std::size_t kDrafts = 1'000;
  const Lexicon lexicon;
  const Rules rules;
  const GeneratorOptions options;
  Random random(5);
  for (const Family family : kFamilies) {
    std::set<std::string> texts;
    std::set<int> schemas;
    for (std::size_t i = 0; i < kDrafts; ++i) {
      Expander expander(lexicon, rules, random, {});
      const auto draft = DraftCall({lexicon, rules, random, expander, options}, family);
      ASSERT_TRUE(draft);
      EXPECT_EQ(draft->marked.find_first_of("{}[]<>%"), std::string::npos) << draft->marked;
      texts.insert(draft->marked);
      schemas.insert(draft->schema);
    }
    EXPECT_GT(texts.size(), kDrafts * 7 / 10) << FamilyName(family);
    EXPECT_GT(schemas.size(), 20u) << FamilyName(family);
  }
  Expander expander(lexicon, rules, random, {});
  EXPECT_FALSE(DraftCall({lexicon, rules, random, expander, options}, Family::kChange));
}

// As the end of training has them, read back and worked out again.
TEST(Calls, EachKindOfProgramComes) {
  constexpr std::uint64_t kExamples = 1'500;
  std::map<std::string, std::size_t> programs;
  for (const Family family : kFamilies) {
    GeneratorOptions late;
    late.split = Split::kHeldOut;
    late.axis = Axis::kMakers;
    late.family = family;
    const Generator generator(late);
    for (std::uint64_t i = 0; i < kExamples && !HasFailure(); ++i) {
      const Example example = generator.Make(i);
      Check(example);
      ++programs[example.canonical];
    }
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
}  // namespace txvm::neural::data

// Which operator comes first, and which of them the lens is to read.
#include "frontends/nl/language/lens_label.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "frontends/nl/language/parser.h"
#include "frontends/nl/language/text.h"
#include "frontends/nl/lens/lens.h"

namespace txvm::frontends::nl {
namespace {

Ast Program(const std::string& text) {
  const auto canonical = ReadCanonical(text, std::vector<Number>(kMaxSlots));
  EXPECT_TRUE(canonical) << text;
  auto ast = Parse(canonical->tokens, kMaxSlots);
  EXPECT_TRUE(ast) << text;
  return *std::move(ast);
}

std::string First(const std::string& text) {
  const auto first = FirstOperation(Program(text));
  return first ? TokenText(*first) : "none";
}

std::string Label(const std::string& text) {
  const auto label = LensLabel(Program(text));
  return label ? TokenText(*label) : "n/a";
}

TEST(LensLabel, OperandsComeBeforeTheirOperator) {
  EXPECT_EQ(Label("N0 - N1 ="), "-");
  EXPECT_EQ(Label("N0 + N1 * N2 ="), "*");
  EXPECT_EQ(Label("( N0 + N1 ) * N2 ="), "+");
  EXPECT_EQ(Label("N0 / N1 - N2 * N3 ="), "/");
  EXPECT_EQ(Label("N0 ^ N1 div N2 mod N3 ="), "^");
  EXPECT_EQ(Label("- N0 ="), "-");
  EXPECT_EQ(Label("max [ N0 * N1 , N2 ] ="), "*");
  EXPECT_EQ(Label("max [ N0 , N2 ] ="), "max");
  EXPECT_EQ(Label("fact ( N0 - 1 ) ="), "-");
  EXPECT_EQ(Label("abs N0 ="), "abs");
}

TEST(LensLabel, TemporariesComeBeforeTheResult) {
  EXPECT_EQ(Label("T0 := N0 * N1 ; T1 := N2 + N3 ; T0 - T1 ="), "*");
  EXPECT_EQ(Label("T0 := N0 ; T0 / N1 ="), "/");
}

TEST(LensLabel, LoopsComparisonsAndChoicesHaveNone) {
  for (const char* text : {"sum 1 to N0 =", "product N0 to N1 =", "count N0 to 0 =",
                           "sum [ N0 , N1 ] =", "N0 > N1 =", "N0 == N1 =", "N0 =", "7 =", "?chat =",
                           "if N0 > N1 then N0 - N1 else 0 =", "if N0 then N1 + N2 else 0 ="}) {
    EXPECT_EQ(Label(text), "n/a") << text;
  }
  EXPECT_EQ(First("N0 > N1 ="), ">");
  EXPECT_EQ(First("sum 1 to N0 ="), "sum");
  EXPECT_EQ(First("if N0 then N1 + N2 else 0 ="), "if");
  EXPECT_EQ(First("N0 ="), "none");
  EXPECT_EQ(First("?chat ="), "none");
}

TEST(LensLabel, AnOperandThatIsComputedGivesALoopOrAComparisonItsLabel) {
  EXPECT_EQ(Label("N0 + N1 > N2 ="), "+");
  EXPECT_EQ(Label("sum 1 to ( N0 * 2 ) ="), "*");
  EXPECT_EQ(Label("if N0 mod 2 == 0 then 1 else 0 ="), "mod");
}

TEST(LensLabel, TheDecisionLayerIsTruncated) {
  EXPECT_EQ(DecisionLayer(22), 12u);
  EXPECT_EQ(DecisionLayer(5), 2u);
  EXPECT_EQ(DecisionLayer(4), 2u);
  EXPECT_EQ(DecisionLayer(1), 0u);
  EXPECT_EQ(DecisionLayer(20), 11u);
}

}  // namespace
}  // namespace txvm::frontends::nl

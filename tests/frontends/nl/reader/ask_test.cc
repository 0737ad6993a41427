// A question through a reader to its report.
#include "frontends/nl/reader/ask.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "frontends/nl/language/grammar.h"

namespace txvm::frontends::nl {
namespace {

/// A reader as a model is one: it lexes, then decodes under the grammar. This one always says
/// N0 - N1, or that a number is missing, and hopes for more than the grammar allows.
isa::Result<Reading> ReadAsDifference(std::string_view question) {
  TXVM_TRY(Lexed lexed, Lex(question));
  GrammarOptions options;
  options.slots = lexed.numbers.size();
  CanonicalGrammar grammar(options);
  Reading reading;
  reading.numbers = std::move(lexed.numbers);
  reading.confidence = 0.75;
  for (const Token wish : {SlotToken(0), Token::kMinus, SlotToken(1), Token::kEnd}) {
    if (grammar.Advance(wish)) reading.tokens.push_back(wish);
  }
  if (!grammar.finished()) reading.tokens = {Token::kNoNumber, Token::kEnd};
  return reading;
}

TEST(Ask, AReaderMakesAProgramOfAQuestion) {
  const auto report = Ask("Janet has 1,050 apples. She gives away fifteen.", ReadAsDifference);
  ASSERT_TRUE(report);
  EXPECT_EQ(report->AnswerText(), "1035");
  EXPECT_EQ(report->CanonicalText(), "1050 - 15");
  EXPECT_FALSE(report->abstained());
  EXPECT_EQ(report->Reason(), "");
  EXPECT_EQ(report->reading.confidence, 0.75);
}

TEST(Ask, AnAbstentionHasAReasonAndNoRun) {
  const auto report = Ask("Janet has some apples.", ReadAsDifference);
  ASSERT_TRUE(report);
  EXPECT_TRUE(report->abstained());
  EXPECT_EQ(report->AnswerText(), "");
  EXPECT_EQ(report->Reason(), "a number that is needed is not given");
  EXPECT_FALSE(report->answer);
}

TEST(Ask, ARefusalIsAnAbstentionWithTheRunsReason) {
  const auto report = Ask("7 / 0", CanonicalReader());
  ASSERT_TRUE(report);
  EXPECT_TRUE(report->abstained());
  EXPECT_EQ(report->Reason(), "division by zero; '/' (token 2) of 7 and 0");
  EXPECT_EQ(report->answer->refusal->kind, RefusalKind::kDivideZero);
}

TEST(Ask, CanonicalTextShowsNumbersAsTheyWereWritten) {
  EXPECT_EQ(Ask("2.50 * 4", CanonicalReader())->CanonicalText(), "2.50 * 4");
  const auto lexed = Lex("-5 and 0.125 and half a million");
  ASSERT_TRUE(lexed);
  const auto report = Ask("N0 + N1 - N2", CanonicalReader(lexed->numbers));
  ASSERT_TRUE(report) << report.error().message;
  EXPECT_EQ(report->CanonicalText(), "(-5) + 0.125 - 1000000");
  EXPECT_EQ(report->AnswerText(), "-8000039/8");
  // What it shows can be asked again, -2^255 as well.
  const std::string least =
      "(-57896044618658097711785492504343953926634992332820282019728792003956564819968)";
  const auto shown = Ask("1 + " + least, CanonicalReader());
  ASSERT_TRUE(shown) << shown.error().message;
  EXPECT_EQ(shown->CanonicalText(), "1 + " + least);
  EXPECT_EQ(shown->AnswerText(),
            "-57896044618658097711785492504343953926634992332820282019728792003956564819967");
  EXPECT_FALSE(Ask("1" + least.substr(1), CanonicalReader()));
}

TEST(Ask, SyntaxErrorsShowTheirPlaceInTheText) {
  const auto shown = [](std::string_view text) {
    const auto report = Ask(text, CanonicalReader());
    return report ? "parsed" : report.error().ToString();
  };
  const std::string at_end =
      "canonical:1:4: error: the end of the program where an operand was expected\n  1 +\n     ^";
  EXPECT_EQ(shown("1 +"), at_end);
  EXPECT_EQ(shown("1 + \n\n"), at_end.substr(0, at_end.find('\n')) + "\n  1 + \n     ^");
  EXPECT_EQ(shown("1 + ="),
            "canonical:1:5: error: '=' where an operand was expected\n  1 + =\n      ^");
  EXPECT_EQ(shown("max [500,\n3 4]"),
            "canonical:2:3: error: '4' where ']' was expected\n  3 4]\n    ^");
  EXPECT_EQ(shown("1 2"),
            "canonical:1:3: error: '2' where the end of the program was expected\n  1 2\n    ^");
  EXPECT_EQ(shown("1 500.0 + 3"),
            "canonical:1:3: error: '500.0' where the end of the program was expected\n"
            "  1 500.0 + 3\n    ^");
  EXPECT_EQ(
      shown("T1 := 5; T1"),
      "canonical:1:1: error: T1 has no value here: temporaries are defined in order, T0 first, "
      "and read after their definition\n  T1 := 5; T1\n  ^");
  EXPECT_EQ(shown("T0"),
            "canonical:1:1: error: T0 has no value here: temporaries are defined in order, T0 "
            "first, and read after their definition\n  T0\n  ^");
  EXPECT_EQ(shown(""),
            "canonical:1:1: error: the end of the program where an operand was expected");
}

TEST(Ask, AReadersErrorAndBadTokensAreErrors) {
  EXPECT_FALSE(Ask("1 + + 2", CanonicalReader()));
  const auto unknown = Ask("50 + N0", CanonicalReader());
  ASSERT_FALSE(unknown);
  EXPECT_EQ(unknown.error().message, "N0 has no number; 0 given");
  EXPECT_EQ(unknown.error().place.column, 6u);
  EXPECT_EQ(Ask("N32", CanonicalReader()).error().message,
            "there is no slot N32: they are N0 to N31");
  EXPECT_EQ(Ask("sqrt 16", CanonicalReader()).error().message,
            "'sqrt' is no token of the canonical language");
  EXPECT_EQ(Ask("5 \xC3\x97 3", CanonicalReader()).error().message,
            "'\xC3\x97' is no token of the canonical language");
  EXPECT_EQ(Ask("5 \xFF 3", CanonicalReader()).error().message,
            "'\uFFFD' is no token of the canonical language");
  const Reader bad = [](std::string_view) -> isa::Result<Reading> {
    Reading reading;
    reading.tokens = {Token::kPlus};
    return reading;
  };
  EXPECT_FALSE(Ask("anything", bad));
}

}  // namespace
}  // namespace txvm::frontends::nl

// A question through a reader to its report, and batch lines.
#include "frontends/nl/ask.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "frontends/nl/grammar.h"

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
}

TEST(Ask, AReadersErrorAndBadTokensAreErrors) {
  EXPECT_FALSE(Ask("1 + + 2", CanonicalReader()));
  EXPECT_FALSE(Ask("N0", CanonicalReader()));
  const Reader bad = [](std::string_view) -> isa::Result<Reading> {
    Reading reading;
    reading.tokens = {Token::kPlus};
    return reading;
  };
  EXPECT_FALSE(Ask("anything", bad));
}

TEST(BatchLine, TakesTextOrJson) {
  const auto question = [](std::string_view line) { return ReadBatchLine(line).question; };
  EXPECT_EQ(question("Add 1 and 2"), "Add 1 and 2");
  EXPECT_EQ(question(R"({"question": "a\nb"})"), "a\nb");
  EXPECT_EQ(question(R"({"nl_input": "b", "text": "c"})"), "b");
  EXPECT_EQ(question(R"({"text": "c"})"), "c");
  EXPECT_EQ(question(R"({"other": 1})"), R"({"other": 1})");
  EXPECT_EQ(question(R"({"question": 3})"), R"({"question": 3})");
  EXPECT_EQ(question("{1, 2}"), "{1, 2}");
  EXPECT_EQ(question(""), "");
}

TEST(BatchLine, KeepsIds) {
  const BatchItem number = ReadBatchLine(R"({"text": "x", "id": 12})");
  EXPECT_EQ(number.id, "12");
  EXPECT_TRUE(number.id_is_number);
  const BatchItem text = ReadBatchLine(R"({"text": "x", "id": "12"})");
  EXPECT_EQ(text.id, "12");
  EXPECT_FALSE(text.id_is_number);
  EXPECT_EQ(ReadBatchLine(R"({"text": "x", "id": 18446744073709551615})").id,
            "18446744073709551615");
  EXPECT_EQ(ReadBatchLine(R"({"text": "x", "id": 1.5})").id, "1.5");
  EXPECT_EQ(ReadBatchLine(R"({"text": "x", "id": [1]})").id, "");
  EXPECT_EQ(ReadBatchLine(R"({"text": "x"})").id, "");
}

// Hostile lines: deep nesting and text that is no UTF-8.
TEST(BatchLine, SurvivesHostileJson) {
  const std::string deep = "{\"a\": " + std::string(100'000, '[');
  EXPECT_EQ(ReadBatchLine(deep).question, deep);
  const std::string bytes = "{\"text\": \"\xFF\xFE\"}";
  EXPECT_EQ(ReadBatchLine(bytes).question, bytes);
}

}  // namespace
}  // namespace txvm::frontends::nl

// Examples of the generator read back as the English front end reads them, and worked out by an
// independent oracle.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "frontends/nl/language/ast.h"
#include "frontends/nl/language/token.h"
#include "frontends/nl/numbers/lexer.h"
#include "neural/questions/generator.h"
#include "tests/frontends/nl/language/oracle.h"

namespace txvm::neural::questions {

namespace nl = frontends::nl;

inline constexpr std::uint64_t kLongRange = 1'000'000;

inline std::vector<nl::Token> TokensOf(std::string_view canonical) {
  std::vector<nl::Token> tokens;
  while (!canonical.empty()) {
    const std::size_t end = std::min(canonical.find(' '), canonical.size());
    const auto token = nl::FindToken(canonical.substr(0, end));
    EXPECT_TRUE(token) << canonical;
    if (!token) return {};
    tokens.push_back(*token);
    canonical.remove_prefix(std::min(end + 1, canonical.size()));
  }
  return tokens;
}

inline std::string About(const Example& example) {
  return std::string(FamilyName(example.family)) + ": " + example.question + "  " +
         example.canonical;
}

/// The numbers the lexer finds are those the generator wrote.
inline nl::Lexed CheckNumbers(const Example& example) {
  auto lexed = nl::Lex(example.question);
  EXPECT_TRUE(lexed) << About(example);
  if (!lexed) return {};
  std::vector<std::string> written;
  for (const TextPiece& piece : example.pieces) {
    if (piece.is_number) written.push_back(piece.text);
  }
  std::vector<std::string> found;
  for (const nl::Number& number : lexed->numbers) found.push_back(number.text);
  EXPECT_EQ(written, found) << About(example);
  return *std::move(lexed);
}

/// The program parses, is in printed form, and is worth what the generator says.
inline void Check(const Example& example) {
  const nl::Lexed lexed = CheckNumbers(example);
  const std::vector<nl::Token> tokens = TokensOf(example.canonical);
  const auto ast = nl::Parse(tokens, lexed.numbers.size());
  ASSERT_TRUE(ast) << About(example) << "  " << ast.error().message;
  EXPECT_EQ(nl::Print(*ast), tokens) << About(example);
  EXPECT_EQ(ast->abstention.has_value(), !example.answerable) << About(example);
  if (!example.answerable) return;
  std::vector<nl::Rational> numbers;
  for (const nl::Number& number : lexed.numbers) numbers.push_back(number.value);
  const nl::Expected expected = nl::EvaluateExactly(*ast, numbers, kLongRange);
  EXPECT_EQ(expected.value, example.answer) << About(example);
}

}  // namespace txvm::neural::questions

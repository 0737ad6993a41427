#include "frontends/nl/reader/ask.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <utility>

#include "frontends/nl/language/parser.h"
#include "frontends/nl/language/text.h"
#include "frontends/nl/reader/plain_prompt.h"
#include "frontends/nl/reader/rank.h"

namespace txvm::frontends::nl {
using isa::Result;

std::vector<Rational> Reading::Values() const {
  std::vector<Rational> values;
  for (const Number& number : numbers) values.push_back(number.value);
  return values;
}

Reader CanonicalReader(std::vector<Number> given) {
  return [given = std::move(given)](std::string_view question) -> Result<Reading> {
    TXVM_TRY(CanonicalText text, ReadCanonical(question, given));
    // Who runs it parses it, but has no text to show what is wrong in.
    TXVM_CHECK_OK(Parse(text.tokens, text.numbers.size(), {question, text.places}));
    Reading reading;
    reading.tokens = std::move(text.tokens);
    reading.numbers = std::move(text.numbers);
    return reading;
  };
}

bool AsksAmount(std::string_view question) {
  constexpr std::size_t kWordsOfAStory = 3;  // before "how much"
  std::vector<std::string> words;
  for (const char c : question) {
    const bool is_letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
    if (!is_letter && (words.empty() || !words.back().empty())) words.emplace_back();
    if (is_letter && words.empty()) words.emplace_back();
    if (is_letter) words.back() += static_cast<char>(c | 0x20);
  }
  for (std::size_t i = 1; i < words.size(); ++i) {
    if (words[i - 1] != "how") continue;
    if (words[i] == "many" || (words[i] == "much" && i > kWordsOfAStory)) return true;
  }
  return false;
}

std::string AskReport::AnswerText() const { return abstained() ? "" : ToText(*answer->value); }

std::string AskReport::Reason() const {
  if (!abstained()) return {};
  if (answer) return answer->refusal->text;
  if (reading.IsUnsure()) {
    return fmt::format("the confidence {:.6g} is below the threshold {:g}",
                       reading.confidence.value_or(0), reading.least_confidence);
  }
  return std::string(TokenWhat(reading.tokens.front()));
}

std::string AskReport::CanonicalText() const {
  return ProgramText(reading.tokens, reading.numbers);
}

Result<AskReport> Ask(std::string_view question, const Reader& reader,
                      const EvaluateOptions& options) {
  const auto begin = std::chrono::steady_clock::now();
  AskReport report;
  report.question = question;
  TXVM_TRY(report.reading, reader(question));
  report.reading.asks_amount = AsksAmount(question);
  TXVM_TRY(Belief belief, Rank(report.reading, options));
  report.ast = std::move(belief.ast);
  report.answer = std::move(belief.answer);
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - begin;
  report.seconds = seconds.count();
  return report;
}

}  // namespace txvm::frontends::nl

#include "frontends/nl/reader/plain_prompt.h"

#include "frontends/nl/language/printer.h"
#include "frontends/nl/reader/codec.h"

namespace txvm::frontends::nl {
namespace {

namespace llm = neural::llm;

// What a user writes is text, even where it looks like an added token.
constexpr llm::EncodeOptions kTextOnly{
    .add_special = false, .match_special = false, .match_added = false};

/// A number as an operand: as it was written when that is a decimal, else its value.
std::string OperandText(const Number& number) {
  const auto as_written = ParseDecimal(number.text);
  std::string text = as_written && *as_written == number.value ? number.text : ToText(number.value);
  const bool needs_group = text.starts_with('-') || text.find('/') != std::string::npos;
  return needs_group ? "(" + text + ")" : text;
}

}  // namespace

std::vector<llm::Token> PlainPrompt(const llm::Tokenizer& tokenizer, std::string_view question) {
  std::vector<llm::Token> prompt = tokenizer.spec().before;
  const auto text = tokenizer.Encode(Tidied(question) + "\n", kTextOnly);
  prompt.insert(prompt.end(), text.begin(), text.end());
  return prompt;
}

std::string ProgramText(std::span<const Token> tokens, std::span<const Number> numbers) {
  std::vector<std::string> operands;
  for (const Number& number : numbers) operands.push_back(OperandText(number));
  return TokensText(tokens, operands);
}

std::vector<llm::Token> PlainProgram(const llm::Tokenizer& tokenizer, std::span<const Token> tokens,
                                     std::span<const Number> numbers) {
  return tokenizer.Encode(ProgramText(tokens, numbers) + " =", kTextOnly);
}

}  // namespace txvm::frontends::nl

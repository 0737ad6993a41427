#include "frontends/nl/lens/suffix_data.h"

#include <fmt/format.h>

#include <utility>

#include "frontends/nl/numbers/lexer.h"

namespace txvm::frontends::nl {
namespace {

struct Form {
  std::string_view words;
  Token value, claim;
};

constexpr Form kComparisons[] = {
    {">", Token::kMinus, Token::kGreater},
    {"<", Token::kMinus, Token::kLess},
    {">=", Token::kMinus, Token::kGreaterEqual},
    {"<=", Token::kMinus, Token::kLessEqual},
    {"==", Token::kMinus, Token::kEqual},
    {"!=", Token::kMinus, Token::kNotEqual},
    {"greater than", Token::kMinus, Token::kGreater},
    {"less than", Token::kMinus, Token::kLess},
    {"more than", Token::kMinus, Token::kGreater},
    {"fewer than", Token::kMinus, Token::kLess},
    {"bigger than", Token::kMinus, Token::kGreater},
    {"smaller than", Token::kMinus, Token::kLess},
    {"above", Token::kMinus, Token::kGreater},
    {"below", Token::kMinus, Token::kLess},
    {"over", Token::kMinus, Token::kGreater},
    {"under", Token::kMinus, Token::kLess},
    {"at least", Token::kMinus, Token::kGreaterEqual},
    {"at most", Token::kMinus, Token::kLessEqual},
    {"no less than", Token::kMinus, Token::kGreaterEqual},
    {"no more than", Token::kMinus, Token::kLessEqual},
    {"equals", Token::kMinus, Token::kEqual},
    {"equal to", Token::kMinus, Token::kEqual},
    {"the same as", Token::kMinus, Token::kEqual},
    {"different from", Token::kMinus, Token::kNotEqual},
};
constexpr Form kArithmetic[] = {
    {"+", Token::kPlus, Token::kPlus},   {"plus", Token::kPlus, Token::kPlus},
    {"-", Token::kMinus, Token::kMinus}, {"minus", Token::kMinus, Token::kMinus},
    {"*", Token::kTimes, Token::kTimes}, {"times", Token::kTimes, Token::kTimes},
    {"/", Token::kOver, Token::kOver},   {"divided by", Token::kOver, Token::kOver},
};
constexpr std::string_view kOpenings[] = {"", "so ", "now ", "well, ", "here "};
constexpr std::size_t kHeldOutEvery = 4;  // the first of every four comparisons

void AddBodies(const Form& form, bool held_out, std::vector<SuffixBody>& bodies) {
  for (const std::string_view opening : kOpenings) {
    // Any two numbers: the model sees their slots.
    bodies.push_back(
        {fmt::format("{}15 {} 10", opening, form.words), form.value, form.claim, held_out});
  }
}

}  // namespace

std::vector<SuffixBody> SuffixBodies() {
  std::vector<SuffixBody> bodies;
  std::size_t number = 0;
  for (const Form& form : kComparisons) AddBodies(form, number++ % kHeldOutEvery == 0, bodies);
  for (const Form& form : kArithmetic) AddBodies(form, false, bodies);
  return bodies;
}

isa::Result<std::vector<neural::llm::Token>> SuffixPrompt(const Codec& codec,
                                                          const std::string& body,
                                                          std::string_view suffix,
                                                          bool after_program) {
  TXVM_TRY(const Lexed lexed, Lex(suffix.empty() ? body : fmt::format("{} {}", body, suffix)));
  std::vector<neural::llm::Token> prompt = codec.Prompt(lexed);
  if (!after_program) prompt.pop_back();
  return prompt;
}

neural::train::Sequence SuffixSequence(const Codec& codec, std::vector<neural::llm::Token> prompt,
                                       Token operation) {
  neural::train::Sequence sequence;
  sequence.tokens = std::move(prompt);
  sequence.prompt = sequence.tokens.size();
  for (const Token token : {SlotToken(0), operation, SlotToken(1), Token::kEnd}) {
    sequence.tokens.push_back(codec.IdOf(token));
  }
  sequence.lens = codec.IdOf(operation);
  return sequence;
}

}  // namespace txvm::frontends::nl

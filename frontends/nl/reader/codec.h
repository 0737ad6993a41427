// Questions and canonical programs as a language model's tokens: slots and canonical tokens are
// added tokens of the tokenizer, everything between is text.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "frontends/nl/language/token.h"
#include "frontends/nl/numbers/lexer.h"
#include "isa/support/result.h"
#include "neural/llm/tokenizer.h"

namespace txvm::frontends::nl {

/// The added token between a question and its program.
inline constexpr std::string_view kProgramPiece = "<program>";
/// The added token of a canonical token: "<sum>", "<N3>".
std::string PieceText(Token token);
/// All of them, canonical tokens in the order of their ids, kProgramPiece last.
std::vector<std::string> AddedPieces();

/// A question as a model reads it: letters lower-case, white space single, none at the ends, signs
/// and quotation marks in ASCII.
std::string Plain(std::string_view text);
/// The same, but letters keep their case: what a model that learnt English elsewhere reads.
std::string Tidied(std::string_view text);

/// The correspondence for one tokenizer. Copyable; immutable.
class Codec {
 public:
  /// kInvalid names the added token that the tokenizer lacks.
  static isa::Result<Codec> Of(const neural::llm::Tokenizer& tokenizer);

  /// Beginning-of-text if the tokenizer has one, the question with its numbers as slots, and the
  /// token after which the program follows. "$4" becomes "N0 $", as "4 dollars" would be: a
  /// number stands as near to what it is said of as any other does. So does "€4" where the question
  /// has one currency. Implied products get their sign: "2(3 + 4)" reads as "2 * (3 + 4)".
  std::vector<neural::llm::Token> Prompt(const Lexed& question) const;

  neural::llm::Token IdOf(Token token) const { return ids_[Id(token)]; }

 private:
  explicit Codec(const neural::llm::Tokenizer& tokenizer) : tokenizer_(tokenizer) {}

  neural::llm::Tokenizer tokenizer_;
  std::array<neural::llm::Token, kTokenCount> ids_{};
  neural::llm::Token program_ = 0;
};

}  // namespace txvm::frontends::nl

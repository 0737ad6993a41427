// Questions and programs as text between which a model with an adapter of `txvm train adapter`
// translates: the question on a line, the program after it, numbers as figures.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "frontends/nl/language/token.h"
#include "frontends/nl/numbers/lexer.h"
#include "neural/llm/tokenizer.h"

namespace txvm::frontends::nl {

/// The tokens before the program: what the tokenizer puts before every text, the question (Tidied)
/// and a line end. Nothing in the question counts as a special token.
std::vector<neural::llm::Token> PlainPrompt(const neural::llm::Tokenizer& tokenizer,
                                            std::string_view question);

/// The program with its numbers in place, for people: "(50 + 15) * 2". REQUIRES: `numbers` has
/// every slot that a token names.
std::string ProgramText(std::span<const Token> tokens, std::span<const Number> numbers);

/// The tokens that such a model is to write, the "=" at the end included.
std::vector<neural::llm::Token> PlainProgram(const neural::llm::Tokenizer& tokenizer,
                                             std::span<const Token> tokens,
                                             std::span<const Number> numbers);

}  // namespace txvm::frontends::nl

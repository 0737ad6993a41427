// From a tree to tokens, and tokens as text.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "frontends/nl/language/ast.h"
#include "frontends/nl/language/token.h"

namespace txvm::frontends::nl {

/// The tokens of a program, with no parentheses but the needed ones. Parse gives the program back.
std::vector<Token> Print(const Ast& ast);

/// The tokens as a line for people, without the final "=": "(N0 + N1) * 2".
std::string TokensText(std::span<const Token> tokens);
/// The same with `numbers[k]` in place of Nk.
std::string TokensText(std::span<const Token> tokens, std::span<const std::string> numbers);

}  // namespace txvm::frontends::nl

// Which operator a program executes first: what the middle end's lens is to read.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "frontends/nl/language/ast.h"
#include "frontends/nl/language/token.h"
#include "isa/support/result.h"

namespace txvm::frontends::nl {

/// The operator whose operands are all there first: temporaries in order before the result, left
/// operands before right ones, a condition before what it chooses. None for an abstention and for a
/// program that is a number or a slot. `if` itself only where its condition computes nothing.
std::optional<Token> FirstOperation(const Ast& ast);

/// FirstOperation where it is one of LensClasses. None (n/a) for loops, that is sum, product and
/// count, for comparisons and for choices.
std::optional<Token> LensLabel(const Ast& ast);
/// The same of tokens, kEnd included. Errors as Parse's.
isa::Result<std::optional<Token>> LensLabel(std::span<const Token> tokens);

/// The operators that the lens tells apart, in the order of tokens.def: + - * / div mod ^ max min
/// mean gcd abs floor ceil fact fib.
std::span<const Token> LensClasses();

}  // namespace txvm::frontends::nl

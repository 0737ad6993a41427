// From tokens to a tree.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

#include "frontends/nl/language/ast.h"
#include "frontends/nl/language/token.h"
#include "isa/support/result.h"

namespace txvm::frontends::nl {

/// Where the tokens of a text stand in it.
struct TokenPlaces {
  std::string_view text;
  std::span<const std::size_t> at;  // (tokens,): bytes of the text, or its end
};

/// Parses a program, its kEnd included, whose slots are N0..N(slots - 1).
///
///   program    := { Tk ":=" expression ";" } expression "=" | abstention "="
///   expression := "if" expression "then" expression "else" expression | comparison
///   comparison := sum [ ("==" | "!=" | "<" | "<=" | ">" | ">=") sum ]
///   sum        := term { ("+" | "-") term }
///   term       := negative { ("*" | "/" | "div" | "mod") negative }
///   negative   := "-" negative | power
///   power      := primary [ "^" negative ]
///   primary    := literal | slot | temporary | "(" expression ")"
///               | ("abs" | "floor" | "ceil" | "fact" | "fib") primary
///               | ("sum" | "product" | "count") (bound "to" bound | list)
///               | ("max" | "min" | "mean" | "gcd") list
///   bound      := ["-"] primary
///   list       := "[" [ expression { "," expression } ] "]"      at most 32 elements
///
/// Temporaries are defined in order, T0 first, at most 8, and read only after their definition.
/// Errors: kSyntax with the token's text and what was expected; kLimit beyond kMaxTokens or
/// kMostElements. They name the token by its number, or, with `places`, by its line and column in
/// "canonical"; a kEnd that the text leaves out is the end of the program.
isa::Result<Ast> Parse(std::span<const Token> tokens, std::size_t slots,
                       const TokenPlaces& places = {});

}  // namespace txvm::frontends::nl

// A canonical program as a tree, and its way from and to tokens.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "frontends/nl/language/token.h"
#include "isa/support/result.h"

namespace txvm::frontends::nl {

enum class NodeKind : std::uint8_t {
#define TXVM_NODE(Name, token, form, level, wide) k##Name,
#include "frontends/nl/language/nodes.def"
#undef TXVM_NODE
};

enum class NodeForm : std::uint8_t { kLeaf, kPrefix, kInfix, kCall, kRange, kList, kChoice };

/// A row of nodes.def.
struct NodeInfo {
  std::string_view name;
  Token token;
  NodeForm form;
  int level;
  std::string_view wide;
};
const NodeInfo& Info(NodeKind kind);

/// One operation or operand. `value`: slot, literal or temporary of a leaf. `place`: its token's
/// index.
struct Node {
  NodeKind kind = NodeKind::kLiteral;
  std::uint32_t value = 0;
  std::uint32_t place = 0;
  std::vector<std::uint32_t> args;  // indices of nodes
};

/// INVARIANT: operands come before their node; temps[k] is the value of Tk, which only later
/// temporaries and the result read; an abstention has no nodes.
struct Ast {
  std::vector<Node> nodes;
  std::vector<std::uint32_t> temps;  // nodes
  std::uint32_t result = 0;          // node
  std::optional<Token> abstention;
};

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

/// The tokens of a program, with no parentheses but the needed ones. Parse gives the program back.
std::vector<Token> Print(const Ast& ast);

/// The tokens as a line for people, without the final "=": "(N0 + N1) * 2".
std::string TokensText(std::span<const Token> tokens);
/// The same with `numbers[k]` in place of Nk.
std::string TokensText(std::span<const Token> tokens, std::span<const std::string> numbers);

}  // namespace txvm::frontends::nl

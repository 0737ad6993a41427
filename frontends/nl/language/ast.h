// A canonical program as a tree. parser.h makes it from tokens, printer.h gives them back.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "frontends/nl/language/token.h"

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

}  // namespace txvm::frontends::nl

#include "vm/folded/dead_values.h"

#include <cstdint>
#include <utility>

namespace txvm::vm::folded {
namespace {

using Stored = std::vector<std::pair<std::uint32_t, Value>>;

void Count(Block& block, Value value) {
  if (value != kNone) ++block.nodes[value].uses;
}

void Count(Block& block, const Stored& stored) {
  for (const auto& [where, value] : stored) Count(block, value);
}

void CountExit(Block& block, const std::vector<Exit>& exits, std::uint32_t index) {
  if (index == kNone) return;
  Count(block, exits[index].cells);
  Count(block, exits[index].locals);
}

}  // namespace

bool HasEffect(const Node& node) {
  return node.op == Op::kStore || node.op == Op::kWideStore || node.op == Op::kGlobalSet ||
         node.exit != kNone;
}

void CountUses(Block& block, const std::vector<Exit>& exits) {
  Count(block, block.end.condition);
  Count(block, block.end.cells);
  Count(block, block.end.locals);
  Count(block, block.assigned);
  CountExit(block, exits, block.check_exit);
  CountExit(block, exits, block.end.exit);
  for (std::size_t i = block.nodes.size(); i-- > 0;) {
    const Node node = block.nodes[i];
    if (node.uses == 0 && !HasEffect(node)) continue;
    Count(block, node.a);
    Count(block, node.b);
    Count(block, node.c);
    CountExit(block, exits, node.exit);
  }
}

}  // namespace txvm::vm::folded

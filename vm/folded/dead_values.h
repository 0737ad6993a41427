// Which values of a block somebody needs.
#pragma once

#include <vector>

#include "vm/folded/ir.h"

namespace txvm::vm::folded {

/// Whether a node does something beyond its value: it is kept though nobody uses that.
bool HasEffect(const Node& node);

/// Counts Node::uses of a block, from its end on: what nobody uses is not computed, nor what only
/// that uses. Cost O(nodes + what the exits store).
void CountUses(Block& block, const std::vector<Exit>& exits);

}  // namespace txvm::vm::folded

// Locals of two words, and of one that holds a float: where they are kept between blocks.
#pragma once

#include "vm/folded/ir.h"

namespace txvm::vm::folded {

/// Finds locals that are one long, single or double: `known` types of the first ones say so, or
/// most blocks use them so. Gives each one variable (FunctionIr::types) and rewrites the blocks,
/// where words that together are a long become one. Which locals those are is a matter of time
/// alone: a word of a wide variable is a part of it. REQUIRES: uses are not counted yet. O(nodes +
/// blocks * locals).
void WidenVariables(FunctionIr& ir, const std::vector<isa::ValueType>& known);

}  // namespace txvm::vm::folded

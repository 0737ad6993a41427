// Locals of two words, and of one that holds a float: where they are kept between blocks.
#pragma once

#include "vm/folded/ir.h"

namespace txvm::vm::folded {

/// Finds locals that most blocks use as one long, single or double, gives each one variable
/// (FunctionIr::types) and rewrites the blocks. What a function computes stays the same: a word of
/// such a variable is a part of it. REQUIRES: uses are not counted yet. O(nodes + blocks * locals).
void WidenVariables(FunctionIr& ir);

}  // namespace txvm::vm::folded

// What is known of the stack length at every instruction of a TASM program.
#pragma once

#include <cstddef>
#include <vector>

#include "neural/triton/tasm/program.h"

namespace txvm::triton {

/// For every instruction a number of words that certainly lie above the 16 lowest when it is
/// reached from the start of the program; 0 where nothing is known, which is always true. Functions
/// must leave the same net effect on every path for more to be known. O(instructions) times the
/// depth of the call graph.
std::vector<std::size_t> KnownHeights(const TasmProgram& program);

/// True when no instruction can see the five words of the program's own digest, which are the
/// lowest of the initial stack: they are never nearer to the top than st11 plus the known height.
bool IgnoresOwnDigest(const TasmProgram& program);

}  // namespace txvm::triton

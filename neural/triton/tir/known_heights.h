// What is known of the stack length at every instruction of a TASM program.
#pragma once

#include <cstddef>
#include <vector>

#include "neural/triton/tasm/program.h"

namespace txvm::triton {

/// For every instruction, a number of words that certainly lie above the 16 lowest when the program
/// reaches it from its start. 0 is always true, and stands where nothing is known: for example
/// where a function has different net effects on different paths. O(instructions) times the depth
/// of the call graph.
std::vector<std::size_t> KnownHeights(const TasmProgram& program);

/// True when no instruction can see the five words of the program's own digest, which are the
/// lowest of the initial stack: they are never nearer to the top than st11 plus the known height.
bool IgnoresOwnDigest(const TasmProgram& program);

}  // namespace txvm::triton

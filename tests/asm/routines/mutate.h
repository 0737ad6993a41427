// One small change to a routine, such as a slip of the hand makes.
#pragma once

#include <string>
#include <vector>

#include "asm/routines/routines.h"
#include "tests/support/random.h"

namespace txvm::assembler {

/// The routine's code with one constant off by one or by one bit, one local exchanged for another,
/// or one opcode for another with the same operands. `what` says which.
std::vector<isa::Instruction> Mutate(const Routine& routine, support::Random& random,
                                     std::string& what);

}  // namespace txvm::assembler

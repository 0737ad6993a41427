// Local improvements of flat code, for what front ends produce. `--no-opt` leaves them out.
//
// Goals: fewer steps at equal results; safe across jump targets, functions and exports; linear
// cost. Non-goals: anything that needs more than a few neighbouring instructions or the whole
// function.
#pragma once

#include <cstdint>

#include "isa/program.h"

namespace txvm::assembler {

/// What Peephole did.
struct PeepholeStats {
  std::uint32_t instructions_before = 0;
  std::uint32_t instructions_after = 0;
};

/// Rewrites the code of every function: negations fold into the jump or compare after them, a
/// value that is stored and read again stays on the stack, constants fold, jumps lead straight to
/// their last target, jumps to the next instruction and code that no path reaches go away, and a
/// jump back to a short loop condition becomes a copy of that condition. Routines (isa/routine.h)
/// stay as they are, so that an engine knows them. Exports, entry, init,
/// calls, line marks and trap notes move with the code. An accepted program stays accepted;
/// results, memory, globals, host calls, traps and their notes stay the same; steps, digests and
/// addresses do not, and an operand stack that was exhausted may suffice now. REQUIRES: Verify
/// accepts the program. Cost O(code), at most kMaxCopied + 3 new instructions per
/// jump, twice.
PeepholeStats Peephole(isa::Program& program);

inline constexpr std::uint32_t kMaxCopied = 8;  // instructions of a loop condition worth a copy

}  // namespace txvm::assembler

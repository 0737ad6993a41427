// Jumps, as the peephole optimiser sees and changes them. Internal to asm/.
#pragma once

#include <optional>
#include <vector>

#include "asm/peephole_body.h"

namespace txvm::assembler {

/// Whether `jump` right after the constant push `before` is taken; nullopt when it depends.
std::optional<bool> Decided(const Item& before, const Item& jump);

/// Points every jump whose target is itself an unconditional jump, or a NOP, to the last target.
void ThreadJumps(Body& body);

/// Replaces jumps back to a short loop condition, and jumps to the condition at a loop's end, by a
/// copy of it. Whether anything changed.
bool CopyConditions(Body& body);

/// The items some path reaches. (body,)
std::vector<bool> Reached(const Body& body);

/// The items some reached jump goes to. (body,)
std::vector<bool> Targets(const Body& body, const std::vector<bool>& reached);

}  // namespace txvm::assembler

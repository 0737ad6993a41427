// Atomic instructions, on a machine with one thread.
#pragma once

#include "frontends/wasm/module.h"

namespace txvm::frontends::wat {

/// Replaces every kAtomic by plain loads and stores, or by a call of a function that is added for
/// the instruction and its offset. An address that is not a multiple of the size traps. A wait
/// answers 1 (not equal) or 2 (timed out, at once); it traps where it could never end, or where
/// the memory is not shared. A notify answers 0. REQUIRES: i64 values are not words yet.
/// Cost O(instructions); a module without atomic instructions is left as it is.
Module LowerAtomics(Module module);

}  // namespace txvm::frontends::wat

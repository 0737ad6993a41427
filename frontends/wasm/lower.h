// From a structured module to a flat program.
#pragma once

#include <cstdint>

#include "frontends/wasm/module.h"
#include "isa/program.h"
#include "isa/support/result.h"

namespace txvm::frontends::wat {

inline constexpr std::uint32_t kMaxCode = 1u << 23;   // instructions of a small module; unwinding
                                                      // can make code quadratic in a hostile source
inline constexpr std::uint32_t kMaxCodeForInstr = 4;  // and this many for each of a large one's

/// Lowers a module. A value that is no i32 counts as one slot, so that signatures stay consistent;
/// a function that would create or read one becomes `TRAP unsupported instruction` with a note that
/// names the instruction and its place. Memory, tables and globals must be the module's own: an
/// embedding that provides them puts them in first.
/// `optimize` runs the peephole over the code and makes constants of immutable globals.
/// Errors: kUnsupported (an import that is no function), kInvalid (an element segment outside its
/// table), kLimit (more than kMaxCode instructions, or
/// kMaxCodeForInstr for each of the module's where that is more).
isa::Result<isa::Program> Lower(const Module& module, bool optimize);

}  // namespace txvm::frontends::wat

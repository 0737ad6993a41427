// Numbers on a machine of 32-bit words: an i64 or an f64 becomes a pair of words, an f32 one word,
// a v128 four words.
// Goals: exact, traps included; code on i32 alone stays as it is; signatures of imports and exports
// become what C programmers expect of a 32-bit machine, low word first.
// Non-goals: references (references.h). Where an instruction txvm lacks is reached the program
// traps.
#pragma once

#include "frontends/wasm/load.h"
#include "frontends/wasm/module.h"
#include "isa/support/result.h"

namespace txvm::frontends::wat {

/// The same module on i32 alone: a parameter, result, local or global of type i64 or f64 becomes
/// two of type i32, low word first, one of type v128 four, and one of type f32 becomes one that
/// holds its bits. So an
/// import or export `(f64, i32) -> i64` is `(i32, i32, i32) -> (i32, i32)`. Function, table and
/// signature indices stay; signatures that become equal stay different for call_indirect. The types
/// as they were are kept as source_signatures and source_locals.
/// An instruction that takes more than a few words' instructions becomes a call: of a routine
/// (asm/routines), or of a helper function, which is appended when used. An instruction txvm lacks
/// becomes kMissing, which traps when reached, instead of making its whole function a stub.
/// Errors: kLimit (a signature of more than kMaxValues words). Cost O(code).
isa::Result<Module> Legalize(Module module);

/// Where the module uses i64 and floats. Cost O(code).
WideUse WideUseOf(const Module& module);

}  // namespace txvm::frontends::wat

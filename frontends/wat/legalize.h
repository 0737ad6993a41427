// i64 on a machine of 32-bit words: every i64 becomes a pair of words.
// Goals: exact, traps included; code that does not use i64 stays as it is; signatures of imports
// and exports become what C programmers expect of a 32-bit machine, low word first.
// Non-goals: floats. Where an instruction with a float is reached the program traps.
#pragma once

#include "frontends/wat/load.h"
#include "frontends/wat/module.h"
#include "isa/support/result.h"

namespace txvm::frontends::wat {

/// The same module without i64: parameters, results, locals and globals of type i64 become two of
/// type i32 each, low word first, so an import or export `(i64, i32) -> i64` is
/// `(i32, i32, i32) -> (i32, i32)`. Function, table and signature indices stay; signatures that
/// become equal stay different for call_indirect. Helper functions (multiplication, division,
/// shifts by a variable) are appended when used. An instruction txvm lacks becomes kMissing, which
/// traps when reached, instead of making its whole function a stub.
/// Errors: kInternal (a helper that cannot be parsed), kLimit (a signature of more than kMaxValues
/// words). Cost O(code).
isa::Result<Module> LegalizeI64(Module module);

/// Where the module uses i64. Cost O(code).
WideUse I64UseOf(const Module& module);

}  // namespace txvm::frontends::wat

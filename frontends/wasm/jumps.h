// setjmp and longjmp as Emscripten's scheme has them, on a machine whose calls end only by a
// return.
#pragma once

#include "frontends/wasm/module.h"

namespace txvm::frontends::wat {

/// Defines the functions of the scheme that a host would: `env._emscripten_throw_longjmp`, which
/// throws, and every `env.invoke_...` (function, arguments...), which calls a function of table 0
/// and ends what was thrown in it. A module without the first import stays as it is.
/// To throw is to set a global. A function returns at once, with zeros, when that is set after a
/// call that may throw: 2 steps for each such call. A call may throw if its callee calls
/// the first import, or a function that may throw; an indirect call if one of its type may.
/// An invocation that ends a throw gives the first mutable i32 global of the module, which is the
/// stack pointer in what wasm-ld links, its value of before. A throw outside every invocation traps
/// with a note. REQUIRES: functions in a table come from its element segments or from ref.func.
/// Cost O(code * log code).
Module LowerJumps(Module module);

/// Whether the module imports what throws, so that LowerJumps changes it.
bool MayThrowJumps(const Module& module);

}  // namespace txvm::frontends::wat

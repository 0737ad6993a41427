// Routines as functions of a module: what floats need to become provable code.
#pragma once

#include "frontends/wasm/module.h"

namespace txvm::frontends::provable {

/// Whether a function of the module calls a routine (asm/routines). Cost O(code).
bool UsesRoutines(const wat::Module& module);

/// The same module with a function for each routine that it uses; calls of routines are calls of
/// these functions. They have no place of their own. Cost O(code).
wat::Module WithRoutines(wat::Module module);

}  // namespace txvm::frontends::provable

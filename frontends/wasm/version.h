// What WebAssembly 3.0 has beyond 2.0.
#pragma once

#include "frontends/wasm/module.h"

namespace txvm::frontends::wasm {

/// What the module has that 2.0 has not, in the words of its test suite; nullptr: nothing. Cost
/// O(module).
const char* BeyondVersion2(const wat::Module& module);

}  // namespace txvm::frontends::wasm

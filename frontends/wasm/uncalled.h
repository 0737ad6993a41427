// Leaves out what a program can never call.
#pragma once

#include "frontends/wasm/module.h"

namespace txvm::frontends::wat {

/// Removes the functions that no export, no start function and no call from those leads to, and
/// renumbers the others. An indirect call leads to every element of its table that has its type.
/// Names stay what Lower would have made them. REQUIRES: the passes of load.h have run. Cost
/// O(code + elements).
void DropUncalled(Module& module);

}  // namespace txvm::frontends::wat

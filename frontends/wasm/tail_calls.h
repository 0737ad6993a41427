// Tail calls, on a machine that has none.
#pragma once

#include "frontends/wasm/module.h"

namespace txvm::frontends::wat {

/// Replaces every tail call. Functions that can call each other in a circle of tail calls become
/// cases of one function, a loop, in which a tail call is a jump: any number of such calls takes
/// one frame. The functions themselves become calls of it. A tail call that is in no circle is a
/// call and a return: it takes a frame, and at most one for each function.
/// `merge`: false makes each a call and a return. REQUIRES when true: all values are words.
Module LowerTailCalls(Module module, bool merge);

}  // namespace txvm::frontends::wat

// Emits the word instructions that stand for one float instruction.
#pragma once

#include "frontends/wasm/float.h"
#include "frontends/wasm/module.h"
#include "frontends/wasm/wide_code.h"

namespace txvm::frontends::wat {

/// `instr` as the integer instruction that moves the same bits: a constant, a load or a store. Any
/// other instruction is returned as it is.
Instr WithoutFloatMove(const Instr& instr);

/// Appends what the float instruction `op` does to the words on the stack. REQUIRES: `op` is no
/// load and no store.
void EmitFloat(WideCode& code, FloatOp op);

}  // namespace txvm::frontends::wat

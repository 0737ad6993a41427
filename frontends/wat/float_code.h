// Emits the word instructions that stand for one float instruction.
#pragma once

#include "frontends/wat/float.h"
#include "frontends/wat/module.h"
#include "frontends/wat/wide_code.h"

namespace txvm::frontends::wat {

/// `instr` as the integer instruction that moves the same bits: a constant, a load or a store. Any
/// other instruction is returned as it is.
Instr WithoutFloatMove(const Instr& instr);

/// Appends what the float instruction `op` does to the words on the stack. REQUIRES: `op` is no
/// load and no store.
void EmitFloat(WideCode& code, FloatOp op);

}  // namespace txvm::frontends::wat

// The asm operation of TIR: lines of straight-line TASM run in place.
#pragma once

#include "isa/support/result.h"
#include "neural/triton/tasm/program.h"
#include "neural/triton/tir/op.h"

namespace txvm::triton {

/// The instructions of an asm operation, with the error_ids of its assertions.
/// Errors: kInvalid for text that does not assemble, at its place in the file, for labels and for
/// control instructions.
isa::Result<TasmProgram> AssembleAsm(const TirOp& op);

}  // namespace txvm::triton

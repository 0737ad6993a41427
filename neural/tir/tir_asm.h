// The asm operation of TIR: lines of straight-line TASM run in place.
#pragma once

#include "isa/result.h"
#include "neural/tir/tir_op.h"
#include "neural/tir/tir_tasm_step.h"

namespace txvm::neural {

/// The instructions of an asm operation, with the error_ids of its assertions.
/// Errors: kInvalid for text that does not assemble, at its place in the file, for labels and for
/// control instructions.
isa::Result<TasmProgram> AssembleAsm(const TirOp& op);

/// Runs an asm operation that CheckAsm accepted.
template <class D>
void RunAsm(StackMachine<D>& m, const TirOp& op) {
  const auto program = AssembleAsm(op);
  for (const TasmInstruction& instruction : program->code) {
    if (m.domain().failed()) return;
    StepTasm(m, instruction);
  }
}

}  // namespace txvm::neural

// The asm operation of TIR: lines of straight-line TASM run in place.
#pragma once

#include "isa/result.h"
#include "neural/tir/tir_op.h"
#include "neural/tir/tir_tasm_step.h"

namespace txvm::neural {

/// The instructions of an asm operation.
/// Errors: kInvalid for text that does not assemble, for labels and for control instructions.
isa::Result<std::vector<TasmInstruction>> AssembleAsm(const TirOp& op);

/// Runs an asm operation that CheckAsm accepted.
template <class D>
void RunAsm(StackMachine<D>& m, const TirOp& op) {
  const auto code = AssembleAsm(op);
  for (const TasmInstruction& instruction : *code) {
    if (m.domain().failed()) return;
    StepTasm(m, instruction);
  }
}

}  // namespace txvm::neural

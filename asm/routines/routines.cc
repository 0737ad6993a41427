#include "asm/routines/routines.h"

#include "asm/routines/routine_code.h"

namespace txvm::assembler {

Routine CodeOf(RoutineId id) {
  const AssembledRoutine& assembled = AssembledRoutines()[static_cast<std::size_t>(id)];
  return {Info(id), assembled.locals, assembled.code};
}

std::uint32_t AppendRoutine(RoutineId id, std::vector<isa::Instruction>& code) {
  const auto first = static_cast<std::uint32_t>(code.size());
  for (isa::Instruction instruction : CodeOf(id).code) {
    if (isa::Info(instruction.op()).operand == isa::Operand::kTarget) instruction.arg += first;
    code.push_back(instruction);
  }
  return first;
}

}  // namespace txvm::assembler

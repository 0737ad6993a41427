#include "vm/folded/routine_map.h"

#include "isa/opcode.h"

namespace txvm::vm::folded {

RoutineMap::RoutineMap(const isa::Program& program, bool (*can_compute)(isa::RoutineId)) {
  for (const isa::Function& function : program.functions) {
    const std::optional<isa::RoutineId> id = isa::RecognizeRoutine(program, function);
    if (id && can_compute(*id)) by_first_.emplace(function.first, *id);
  }
}

std::optional<isa::RoutineId> RoutineMap::CalledBy(isa::Instruction instruction) const {
  if (instruction.op() != isa::Opcode::kCall || by_first_.empty()) return std::nullopt;
  const auto found = by_first_.find(instruction.arg);
  if (found == by_first_.end()) return std::nullopt;
  return found->second;
}

std::uint32_t RoutineMap::StepsOf(isa::Instruction instruction) const {
  const std::optional<isa::RoutineId> id = CalledBy(instruction);
  return id ? isa::Info(*id).steps : 1;
}

}  // namespace txvm::vm::folded

// Where asmjit is missing or the machine is another than x86-64: the engine runs as native.
// Declared in vm/folded/machine_code.h.
#include "vm/folded/machine_code.h"

namespace txvm::vm::folded {

bool CanMakeCode() { return false; }
bool CanCompute(isa::RoutineId) { return false; }
DefaultRounding::DefaultRounding() = default;
DefaultRounding::~DefaultRounding() = default;
Thunks MakeThunks(CodeRoom&) { return {}; }
FunctionCode MakeCode(const FunctionIr&, const std::byte* const*, const Thunks&, CodeRoom&) {
  return {};
}

}  // namespace txvm::vm::folded

// Where asmjit is missing or the machine is another than x86-64: the engine runs as native.
// Declared in vm/folded/machine_code.h and vm/folded/code_room.h.
#include "vm/folded/machine_code.h"

namespace txvm::vm::folded {

CodeRoom::~CodeRoom() = default;
const std::byte* CodeRoom::Place(std::size_t, const std::function<bool(std::byte* start)>&) {
  return nullptr;
}
bool CanMakeCode() { return false; }
bool CanCompute(isa::RoutineId) { return false; }
DefaultRounding::DefaultRounding() = default;
DefaultRounding::~DefaultRounding() = default;
Thunks MakeThunks(CodeRoom&) { return {}; }
FunctionCode MakeCode(const FunctionIr&, const std::byte* const*, const Thunks&, CodeRoom&) {
  return {};
}

}  // namespace txvm::vm::folded

// Machine code for x86-64, through asmjit.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "vm/folded/code_room.h"
#include "vm/folded/context.h"
#include "vm/folded/ir.h"

namespace txvm::vm::folded {

/// Whether this build and this machine can make and run machine code.
bool CanMakeCode();

/// Whether this machine has an instruction, or a few, for the operation of a routine.
bool CanCompute(isa::RoutineId id);

/// While it lives, floats of this thread round to nearest, keep subnormals and raise no signal,
/// whatever the program around has set.
class DefaultRounding {
 public:
  DefaultRounding();
  ~DefaultRounding();
  DefaultRounding(const DefaultRounding&) = delete;
  DefaultRounding& operator=(const DefaultRounding&) = delete;

 private:
  std::uint32_t before_ = 0;
};

/// Code that every function shares.
struct Thunks {
  /// Runs `code`, a FunctionCode::start, on a context until something leaves.
  void (*enter)(Context*, const std::byte* code) = nullptr;
  const std::byte* leave = nullptr;     // where exits jump to
  const std::byte* unfolded = nullptr;  // the code of a function that has none yet
};

/// nullptr members when the system refuses.
Thunks MakeThunks(CodeRoom& room);

/// A folded function in machine code.
struct FunctionCode {
  const std::byte* start = nullptr;  // nullptr: it could not be made
  std::size_t bytes = 0;
  std::uint32_t frame_bytes = 0;  // of the machine's stack that a call takes, at most
  std::vector<std::pair<std::uint32_t, std::uint32_t>> entries;  // (ip, Context::entry), by ip
};

/// Makes the code of a function. `table` holds the code of every function, by index; it has to
/// outlive the code.
FunctionCode MakeCode(const FunctionIr& ir, const std::byte* const* table, const Thunks& thunks,
                      CodeRoom& room);

}  // namespace txvm::vm::folded

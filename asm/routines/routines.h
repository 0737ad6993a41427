// Operations the machine has no opcode for, as programs over the opcodes it has: f32, f64 and i64.
// One .txa file each; the build assembles them, so that a program that uses none pays nothing.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "isa/program.h"

namespace txvm::assembler {

/// A routine; a projection of routines.def.
enum class RoutineId : std::uint8_t {
#define TXVM_ROUTINE(Name, text, in, out, steps, traps) k##Name,
#include "asm/routines/routines.def"
#undef TXVM_ROUTINE
};

/// What a caller, and an engine that computes the operation itself, has to know of a routine. Tests
/// hold every column against the code.
struct RoutineInfo {
  RoutineId id{};
  std::string_view name;       // the WebAssembly instruction's: "f32.add"
  std::uint8_t cells_in = 0;   // operands, the first deepest; two cells are low word first
  std::uint8_t cells_out = 0;  // results, the same way
  std::uint16_t steps = 0;     // of a call that does not trap, CALL and RETURN included
  bool may_trap = false;       // the steps of a call that traps are fewer
};

inline constexpr RoutineInfo kRoutines[] = {
#define TXVM_ROUTINE(Name, text, in, out, steps, traps) \
  {RoutineId::k##Name, text, in, out, steps, traps},
#include "asm/routines/routines.def"
#undef TXVM_ROUTINE
};
inline constexpr std::size_t kRoutineCount = std::size(kRoutines);

/// The row of a routine.
constexpr const RoutineInfo& Info(RoutineId id) { return kRoutines[static_cast<std::size_t>(id)]; }

/// The routine of a WebAssembly instruction's name, or nullptr. O(routines), no allocation.
const RoutineInfo* FindRoutine(std::string_view name);

/// The code of a routine. Its first instruction is where a CALL goes; jump targets count from it.
/// It ends in RETURN, calls nothing, and uses no memory and no globals.
struct Routine {
  const RoutineInfo& info;
  std::uint32_t locals;                    // slots of its frame
  std::span<const isa::Instruction> code;  // static
};

/// The code of a routine; a constant of the program. Thread-safe, O(1), no allocation.
Routine CodeOf(RoutineId id);

/// Appends the code to a program's, its jumps moved to where it now is; returns the index of its
/// first instruction. The caller enters a function of {first, last, cells_in, cells_out, locals}.
std::uint32_t AppendRoutine(RoutineId id, std::vector<isa::Instruction>& code);

}  // namespace txvm::assembler

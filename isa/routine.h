// Routines: operations the machine has no opcode for, as programs over the opcodes it has. What
// everyone has to know of them who links one or meets one in a program; the code is in
// asm/routines/.
#pragma once

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "isa/program.h"

namespace txvm::isa {

/// A routine; a projection of routines.def.
enum class RoutineId : std::uint16_t {
#define TXVM_ROUTINE(Name, text, in, out, steps, traps) k##Name,
#include "isa/routines.def"
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
#include "isa/routines.def"
#undef TXVM_ROUTINE
};
inline constexpr std::size_t kRoutineCount = std::size(kRoutines);

/// The row of a routine.
constexpr const RoutineInfo& Info(RoutineId id) { return kRoutines[static_cast<std::size_t>(id)]; }

/// The routine of a WebAssembly instruction's name, or nullptr. O(routines), no allocation.
const RoutineInfo* FindRoutine(std::string_view name);

/// What makes a function a routine, as one strong number. Equal digests are equal cells, frames and
/// instructions, wherever the code stands: jump targets count from `first`. SHA-256 of words in
/// little endian: cells in and out, locals, then head and arg of each instruction. 64 hex digits.
std::string RoutineDigest(std::uint32_t cells_in, std::uint32_t cells_out, std::uint32_t locals,
                          std::span<const Instruction> code, std::uint32_t first);

/// The routine that a function is, instruction for instruction; nullopt: none. Its name does not
/// count: an engine that computes the operation itself changes nothing but time. O(its code) where
/// its length and cells are those of a routine, else O(routines). REQUIRES: Verify accepted the
/// program.
std::optional<RoutineId> RecognizeRoutine(const Program& program, const Function& function);

}  // namespace txvm::isa

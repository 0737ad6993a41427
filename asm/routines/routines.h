// Operations the machine has no opcode for, as programs over the opcodes it has: f32, f64 and i64.
// One .txa file each; the build assembles them, so that a program that uses none pays nothing.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "isa/program.h"
#include "isa/routine.h"

namespace txvm::assembler {

using isa::FindRoutine;
using isa::Info;
using isa::kRoutineCount;
using isa::kRoutines;
using isa::RoutineId;
using isa::RoutineInfo;

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

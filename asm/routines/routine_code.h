// What assemble_main.cc writes at build time: the code of every routine, in the order of
// routines.def.
#pragma once

#include <cstdint>
#include <span>

#include "isa/program.h"

namespace txvm::assembler {

struct AssembledRoutine {
  std::uint32_t locals;
  std::span<const isa::Instruction> code;
};

/// (kRoutineCount,) static.
std::span<const AssembledRoutine> AssembledRoutines();

}  // namespace txvm::assembler

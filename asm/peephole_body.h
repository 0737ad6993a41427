// A function while the peephole optimiser works on it. Internal to asm/.
#pragma once

#include <cstdint>
#include <vector>

#include "isa/opcode.h"
#include "isa/program.h"

namespace txvm::assembler {

/// An instruction with what travels with it. The arg of a jump is an index into the body.
struct Item {
  isa::Instruction instruction;
  std::uint32_t line = 0;
  std::int32_t note = -1;  // index into Program::notes, -1: none

  isa::Opcode op() const { return instruction.op(); }
};

using Body = std::vector<Item>;

inline bool IsJump(const Item& item) {
  return item.op() == isa::Opcode::kJz || item.op() == isa::Opcode::kJnz;
}

/// Whether control never goes on after it.
inline bool IsStop(const Item& item) {
  return item.op() == isa::Opcode::kHalt || item.op() == isa::Opcode::kTrap ||
         item.op() == isa::Opcode::kReturn;
}

/// JZ for JNZ and the other way round.
inline isa::Opcode Opposite(isa::Opcode jump) {
  return jump == isa::Opcode::kJz ? isa::Opcode::kJnz : isa::Opcode::kJz;
}

}  // namespace txvm::assembler

#include "tests/asm/routines/mutate.h"

#include <fmt/format.h>

namespace txvm::assembler {
namespace {

using isa::Instruction;
using isa::Opcode;

/// Another opcode that pops and pushes as many, is no move and does not trap; the same if none.
Opcode Another(Opcode op, support::Random& random) {
  const isa::OpcodeInfo& info = isa::Info(op);
  if (op == Opcode::kSwap) return Opcode::kNop;
  if (op == Opcode::kDup || info.op_class == isa::OpClass::kFlow) return op;
  std::vector<Opcode> choices;
  for (const isa::OpcodeInfo& row : isa::kOpcodes) {
    const bool is_value =
        row.op_class == isa::OpClass::kArith || row.op_class == isa::OpClass::kCompare ||
        row.op_class == isa::OpClass::kBits || row.op_class == isa::OpClass::kShift;
    if (is_value && row.op != op && row.pops == info.pops && row.pushes == info.pushes) {
      choices.push_back(row.op);
    }
  }
  if (choices.empty()) return op;
  return choices[random.Below(static_cast<std::uint32_t>(choices.size()))];
}

/// False when nothing was changed. `is_count`: the next instruction shifts by this constant, of
/// which it uses five bits.
bool Change(Instruction& instruction, bool is_count, std::uint32_t locals,
            support::Random& random) {
  const Instruction before = instruction;
  switch (instruction.op()) {
    case Opcode::kPush:
      instruction.arg = random.OneIn(2) ? instruction.arg + (random.OneIn(2) ? 1u : 0xFFFFFFFFu)
                                        : instruction.arg ^ (1u << random.Below(is_count ? 5 : 32));
      break;
    case Opcode::kLocalGet:
      instruction.arg = random.Below(locals);
      break;
    case Opcode::kLocalSet:
    case Opcode::kLocalTee:
    case Opcode::kJz:
    case Opcode::kJnz:
      return false;
    default:
      instruction = Instruction(Another(instruction.op(), random), instruction.arg);
      break;
  }
  return !(instruction == before);
}

std::string Shown(const Instruction& instruction) {
  return fmt::format("{} {:x}", isa::Info(instruction.op()).text, instruction.arg);
}

}  // namespace

std::vector<Instruction> Mutate(const Routine& routine, support::Random& random,
                                std::string& what) {
  std::vector<Instruction> code(routine.code.begin(), routine.code.end());
  for (;;) {
    const std::uint32_t at = random.Below(static_cast<std::uint32_t>(code.size()));
    Instruction& instruction = code[at];
    const bool is_count =
        at + 1 < code.size() && isa::Info(code[at + 1].op()).op_class == isa::OpClass::kShift;
    if (!Change(instruction, is_count, routine.locals, random)) continue;
    what = fmt::format("{}: {} -> {}", at, Shown(routine.code[at]), Shown(instruction));
    return code;
  }
}

}  // namespace txvm::assembler

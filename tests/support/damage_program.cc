#include <algorithm>
#include <utility>

#include "isa/opcode.h"
#include "isa/verify.h"
#include "tests/support/random_program.h"

namespace txvm::support {
namespace {

using isa::Instruction;

void DamageInstruction(isa::Program& program, Random& random) {
  const auto count = static_cast<std::uint32_t>(program.code.size());
  Instruction& instruction = program.code[random.Below(count)];
  switch (random.Below(6)) {
    case 0:
      instruction = Instruction(isa::kOpcodes[random.Below(isa::kOpcodes.size())].op,
                                instruction.arg, instruction.aux());
      return;
    case 1:
      instruction = Instruction(isa::kOpcodes[random.Below(isa::kOpcodes.size())].op);
      return;
    case 2:
      instruction.head =
          random.OneIn(2) ? random.Word() : instruction.head ^ (1u << random.Below(32));
      return;
    case 3:
      instruction.arg = random.OneIn(2) ? random.Below(count + 2) : random.InterestingWord();
      return;
    case 4:
      instruction = program.code[random.Below(count)];
      return;
    default:
      std::swap(instruction, program.code[random.Below(count)]);
  }
}

void DamageTable(isa::Program& program, Random& random) {
  const auto functions = static_cast<std::uint32_t>(program.functions.size());
  isa::Function& function = program.functions[random.Below(functions)];
  switch (random.Below(6)) {
    case 0:
      function.locals = random.Below(8);
      return;
    case 1:
      function.params = random.Below(4);
      return;
    case 2:
      function.results = random.Below(4);
      return;
    case 3:
      function.last += random.Below(3) - 1;
      return;
    case 4:
      program.entry = random.Below(static_cast<std::uint32_t>(program.code.size()) + 2);
      return;
    default:
      program.globals.resize(random.Below(4));
  }
}

}  // namespace

void Damage(isa::Program& program, Random& random, std::uint32_t count) {
  for (std::uint32_t i = random.Between(1, count); i > 0; --i) {
    if (random.OneIn(6)) {
      DamageTable(program, random);
    } else {
      DamageInstruction(program, random);
    }
  }
}

RandomCase MakeDamagedCase(std::uint64_t seed) {
  constexpr std::uint32_t kMostEdits = 6;
  RandomCase damaged = MakeRandomCase(seed);
  Random random(~seed);
  Damage(damaged.program, random, kMostEdits);
  // An accepted program is started at a function with its arguments, a rejected one anywhere.
  const bool is_rejected = !isa::Verify(damaged.program);
  if (is_rejected && random.OneIn(4)) {
    damaged.start = random.Below(static_cast<std::uint32_t>(damaged.program.code.size()) + 1);
  }
  if (is_rejected && random.OneIn(4)) damaged.args.resize(random.Below(3));
  // A frame of a damaged table must still fit: Load refuses it otherwise, and nothing is tested.
  const std::uint64_t frame =
      damaged.program.globals.size() + std::uint64_t{isa::LargestFrame(damaged.program)};
  damaged.limits.max_locals =
      std::max(damaged.limits.max_locals, static_cast<std::uint32_t>(frame));
  damaged.limits.max_slots =
      std::max(damaged.limits.max_slots, static_cast<std::uint32_t>(damaged.args.size()));
  return damaged;
}

}  // namespace txvm::support

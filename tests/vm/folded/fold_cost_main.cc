// By hand: txvm_folded_cost. What folding costs: milliseconds for one function of many blocks, by
// size.
#include <fmt/format.h>

#include <ctime>
#include <memory>

#include "isa/verify.h"
#include "vm/folded/folded_program.h"

namespace {

using txvm::isa::Instruction;
using txvm::isa::Opcode;

// Branches, loads and stores over `locals` locals, as compiled code has them.
txvm::isa::Program Large(std::uint32_t blocks, std::uint32_t locals) {
  txvm::isa::Program program;
  program.memory = txvm::isa::MemorySpec{1, 1};
  const auto add = [&](Opcode op, std::uint32_t arg = 0) { program.code.emplace_back(op, arg); };
  for (std::uint32_t i = 0; i < locals; ++i) {
    add(Opcode::kPush, i);
    add(Opcode::kLocalSet, i);
  }
  for (std::uint32_t b = 0; b < blocks; ++b) {
    const std::uint32_t x = b % locals, y = (b * 7 + 3) % locals;
    add(Opcode::kLocalGet, x);
    add(Opcode::kLoad, 8);
    add(Opcode::kLocalGet, y);
    add(Opcode::kXor);
    add(Opcode::kLocalSet, (x + 1) % locals);
    add(Opcode::kLocalGet, y);
    add(Opcode::kLocalGet, x);
    add(Opcode::kStore, 16);
    add(Opcode::kLocalGet, y);
    add(Opcode::kJz, static_cast<std::uint32_t>(program.code.size()) + 1);
  }
  add(Opcode::kHalt);
  const auto last = static_cast<std::uint32_t>(program.code.size()) - 1;
  program.functions.push_back({0, last, 0, 0, locals, "large"});
  return program;
}

double ProcessorSeconds() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

}  // namespace

int main() {
  for (const std::uint32_t locals : {4u, 40u}) {
    for (const std::uint32_t blocks : {10u, 100u, 1'000u, 4'000u}) {
      const txvm::isa::Program program = Large(blocks, locals);
      const auto paths =
          std::make_shared<const txvm::isa::PathFacts>(txvm::isa::AnalyzePaths(program).value());
      const double lift = ProcessorSeconds();
      const auto ir = txvm::vm::folded::Lift(program, *paths, 0, false);
      const double start = ProcessorSeconds();
      const auto folded = txvm::vm::folded::FoldedProgram::Create(program, paths);
      const double made = ProcessorSeconds();
      if (folded == nullptr) {
        fmt::print("this build makes no machine code\n");
        return 1;
      }
      const auto& function = folded->Function(0);
      const double end = ProcessorSeconds();
      fmt::print(
          "{:6} instructions {:3} locals: lift {:7.2f} ms, create {:6.2f} ms, fold {:8.2f} ms, {} "
          "bytes, frame {}\n",
          program.code.size(), locals, 1e3 * (start - lift), 1e3 * (made - start),
          1e3 * (end - made), function.code.bytes, function.code.frame_bytes);
    }
  }
  return 0;
}

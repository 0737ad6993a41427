// By hand: txvm_folded_cost [FILE.wasm]. What folding costs: milliseconds for one function of many
// blocks, by size, or for every function of a binary module.
#include <fmt/format.h>

#include <algorithm>
#include <ctime>
#include <fstream>
#include <iterator>
#include <memory>
#include <vector>

#include "frontends/wasm/load.h"
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

// Every function of a module, as if all were called.
int FoldModule(const char* path) {
  std::ifstream in(path, std::ios::binary);
  const std::vector<std::uint8_t> bytes{std::istreambuf_iterator<char>(in), {}};
  const auto program = txvm::frontends::wat::LoadWasm(bytes, path, {.lower_i64 = true});
  if (!program) {
    fmt::print(stderr, "{}\n", program.error().ToString());
    return 1;
  }
  const auto paths =
      std::make_shared<const txvm::isa::PathFacts>(txvm::isa::AnalyzePaths(*program).value());
  const double start = ProcessorSeconds();
  const auto folded = txvm::vm::folded::FoldedProgram::Create(*program, paths);
  const double made = ProcessorSeconds();
  if (folded == nullptr) return 1;
  std::size_t code = 0, functions = 0;
  double slowest = 0;
  for (std::size_t f = 0; f < program->functions.size(); ++f) {
    if (folded->IsRoutine(f)) continue;
    const double before = ProcessorSeconds();
    const auto& function = folded->Function(f);
    slowest = std::max(slowest, ProcessorSeconds() - before);
    code += function.code.bytes;
    functions += function.code.start != nullptr ? 1 : 0;
  }
  const double end = ProcessorSeconds();
  const double lift = [&] {
    const txvm::vm::folded::RoutineMap routines(*program, txvm::vm::folded::CanCompute);
    const double before = ProcessorSeconds();
    for (std::size_t f = 0; f < program->functions.size(); ++f) {
      if (!folded->IsRoutine(f) && folded->Function(f).code.start != nullptr) {
        static_cast<void>(txvm::vm::folded::Lift(*program, *paths, f, false, &routines));
      }
    }
    return ProcessorSeconds() - before;
  }();
  const double size = static_cast<double>(bytes.size());
  fmt::print("{}: {} bytes, {} instructions, {} functions with code\n", path, bytes.size(),
             program->code.size(), functions);
  fmt::print("create {:.2f} ms, fold {:.1f} ms (register form {:.1f}), slowest {:.1f} ms\n",
             1e3 * (made - start), 1e3 * (end - made), 1e3 * lift, 1e3 * slowest);
  fmt::print("{:.1f} ms for 100 KB, {:.1f} bytes of code for a byte\n", 1e8 * (end - made) / size,
             static_cast<double>(code) / size);
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc == 2) return FoldModule(argv[1]);
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

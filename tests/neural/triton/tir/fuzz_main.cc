// txvm_fuzz_tir --cases N --seed S: TIR interpreter against lowered TASM on random programs.
#include <fmt/format.h>

#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "tests/neural/triton/tir/fuzz.h"

int main(int argc, char** argv) {
  std::uint64_t cases = 1000;
  std::uint64_t seed = 1;
  for (int i = 1; i + 1 < argc; i += 2) {
    const std::string_view name = argv[i];
    const std::uint64_t value = std::strtoull(argv[i + 1], nullptr, 10);
    if (name == "--cases") cases = value;
    if (name == "--seed") seed = value;
  }
  std::uint64_t halted = 0;
  for (std::uint64_t i = 0; i < cases; ++i) {
    txvm::triton::TirRng rng(seed + i);
    const txvm::triton::RandomProgram program = txvm::triton::RandomTir(rng);
    const std::string difference = txvm::triton::CheckLowering(program);
    if (!difference.empty()) {
      fmt::print("--cases 1 --seed {}: {}\n", seed + i, difference);
      return 1;
    }
    halted += txvm::triton::Halts(program) ? 1 : 0;
  }
  fmt::print("{} programs agree, {} of them halt\n", cases, halted);
  return 0;
}

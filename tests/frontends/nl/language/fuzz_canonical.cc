// txvm_fuzz_canonical --programs N --seed S: random canonical programs against
// Boost.Multiprecision.
#include <fmt/format.h>

#include <cstdlib>
#include <string>

#include "tests/frontends/nl/language/differential_canonical.h"

int main(int argc, char** argv) {
  std::uint64_t programs = 10'000, seed = 1;
  for (int i = 1; i + 1 < argc; i += 2) {
    const std::string option = argv[i];
    std::uint64_t& value = option == "--seed" ? seed : programs;
    value = std::strtoull(argv[i + 1], nullptr, 10);
  }
  txvm::frontends::nl::Coverage coverage;
  int problems = 0;
  for (std::uint64_t i = 0; i < programs; ++i) {
    txvm::frontends::nl::Rng rng(seed * 1'000'003 + i);
    const std::string problem = txvm::frontends::nl::CompareOne(rng, coverage);
    if (problem.empty()) continue;
    fmt::print("program {} of seed {}: {}\n", i, seed, problem);
    if (++problems == 10) break;
  }
  fmt::print("{}{} problems\n", txvm::frontends::nl::CoverageText(coverage), problems);
  return problems == 0 ? 0 : 1;
}

// By hand: txvm_folded_random FIRST COUNT. Random programs on the folded and the native engine.
#include <fmt/format.h>

#include <cstdlib>

#include "tests/support/differential.h"

int main(int argc, char** argv) {
  using txvm::vm::EngineKind;
  if (argc != 3) {
    fmt::print(stderr, "usage: {} FIRST COUNT\n", argv[0]);
    return 2;
  }
  const std::uint64_t first = std::strtoull(argv[1], nullptr, 10);
  const std::uint64_t count = std::strtoull(argv[2], nullptr, 10);
  txvm::support::Coverage coverage;
  for (std::uint64_t seed = first; seed < first + count; ++seed) {
    const auto difference = txvm::support::FirstDifference(
        txvm::support::MakeRandomCase(seed), seed, coverage, {EngineKind::kFolded});
    if (difference) {
      fmt::print("{}\n", *difference);
      return 1;
    }
  }
  fmt::print("{}", txvm::support::CoverageText(coverage));
  return 0;
}

// By hand: txvm_folded_random programs|wasm FIRST COUNT. The folded engine on random programs
// beside the reference interpreter, or on random WebAssembly modules beside the native engine.
#include <fmt/format.h>

#include <cstdlib>
#include <string_view>

#include "tests/support/differential.h"
#include "tests/vm/folded/wasm_comparison.h"

namespace {

int Programs(std::uint64_t first, std::uint64_t count) {
  txvm::support::Coverage coverage;
  for (std::uint64_t seed = first; seed < first + count; ++seed) {
    const auto difference = txvm::support::FirstDifference(
        txvm::support::MakeRandomCase(seed), seed, coverage, {txvm::vm::EngineKind::kFolded});
    if (!difference) continue;
    fmt::print("{}\n", *difference);
    return 1;
  }
  fmt::print("{}", txvm::support::CoverageText(coverage));
  return 0;
}

int Modules(std::uint64_t first, std::uint64_t count) {
  txvm::vm::WasmCounts counts;
  for (std::uint64_t seed = first; seed < first + count; ++seed) {
    const std::string difference = txvm::vm::WasmDifference(seed, counts);
    if (difference.empty()) continue;
    fmt::print("seed {}: {}\n", seed, difference);
    return 1;
  }
  fmt::print(
      "{} modules, {} that do not load, {} steps: halted {}, trapped {}, cuts {}, snapshots {}, "
      "interrupts {}\n",
      count, counts.unfit, counts.steps, counts.halted, counts.trapped, counts.cuts,
      counts.snapshots, counts.interrupts);
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  const std::string_view what = argc == 4 ? argv[1] : "";
  if (what != "programs" && what != "wasm") {
    fmt::print(stderr, "usage: {} programs|wasm FIRST COUNT\n", argv[0]);
    return 2;
  }
  const std::uint64_t first = std::strtoull(argv[2], nullptr, 10);
  const std::uint64_t count = std::strtoull(argv[3], nullptr, 10);
  return what == "programs" ? Programs(first, count) : Modules(first, count);
}

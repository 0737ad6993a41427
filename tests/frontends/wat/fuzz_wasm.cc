// txvm_fuzz_wasm --cases N --seed S [--kind plain|references|linked|vectors]: compares random wasm
// modules with WABT's interpreter. Prints the first on which they differ and exits 1.
#include <fmt/format.h>

#include <charconv>
#include <cstdint>
#include <cstdio>
#include <string_view>

#include "tests/frontends/wat/compare_linked.h"
#include "tests/frontends/wat/compare_wabt.h"

namespace {

bool ReadOption(std::string_view name, int argc, char** argv, std::uint64_t& value) {
  for (int i = 1; i + 1 < argc; ++i) {
    if (name != argv[i]) continue;
    const std::string_view text = argv[i + 1];
    return std::from_chars(text.data(), text.data() + text.size(), value).ec == std::errc();
  }
  return true;
}

std::string_view KindOption(int argc, char** argv) {
  for (int i = 1; i + 1 < argc; ++i) {
    if (std::string_view(argv[i]) == "--kind") return argv[i + 1];
  }
  return "plain";
}

}  // namespace

int main(int argc, char** argv) {
  std::uint64_t cases = 1'000, seed = 1;
  const std::string_view kind = KindOption(argc, argv);
  const bool is_linked = kind == "linked", has_references = kind == "references";
  const bool has_vectors = kind == "vectors";
  if (!ReadOption("--cases", argc, argv, cases) || !ReadOption("--seed", argc, argv, seed) ||
      (kind != "plain" && !is_linked && !has_references && !has_vectors)) {
    fmt::print(stderr,
               "usage: txvm_fuzz_wasm [--cases N] [--seed S] "
               "[--kind plain|references|linked|vectors]\n");
    return 2;
  }
  txvm::tests::WasmCoverage coverage;
  for (std::uint64_t i = 0; i < cases; ++i) {
    const std::string difference =
        is_linked     ? txvm::tests::CompareLinked(seed + i, coverage)
        : has_vectors ? txvm::tests::CompareVectors(seed + i, coverage)
                      : txvm::tests::CompareWithWabt(seed + i, coverage, has_references);
    if (difference.empty()) continue;
    fmt::print("seed {}: {}\n", seed + i, difference);
    return 1;
  }
  fmt::print(
      "{} {} cases from seed {}: {} calls agree with WABT ({} returned, {} trapped), {} steps\n",
      cases, kind, seed, coverage.calls, coverage.halted, coverage.trapped, coverage.steps);
  return 0;
}

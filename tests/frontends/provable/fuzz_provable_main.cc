// txvm_fuzz_provable --functions 5000 --seed 1: random i32 functions, TASM and TIR against native.
#include <fmt/format.h>

#include <charconv>
#include <cstdint>
#include <string_view>

#include "tests/frontends/provable/fuzz_provable.h"

namespace {

bool Number(std::string_view text, std::uint64_t& value) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size();
}

}  // namespace

int main(int argc, char** argv) {
  std::uint64_t functions = 5'000, seed = 1;
  for (int i = 1; i + 1 < argc; i += 2) {
    const std::string_view option = argv[i];
    std::uint64_t& value = option == "--functions" ? functions : seed;
    if ((option != "--functions" && option != "--seed") || !Number(argv[i + 1], value)) {
      fmt::print(stderr, "usage: {} [--functions N] [--seed N]\n", argv[0]);
      return 2;
    }
  }
  txvm::tests::ProvableCoverage coverage;
  while (coverage.functions < functions) {
    const std::string difference = txvm::tests::CompareRandomModule(seed++, coverage);
    if (!difference.empty()) {
      fmt::print("{}\n", difference);
      return 1;
    }
  }
  fmt::print(
      "{} functions, {} calls ({} trapped), {} cycles; {} programs with locals in RAM, {} that "
      "save "
      "them: all agree\n",
      coverage.functions, coverage.calls, coverage.trapped, coverage.cycles, coverage.in_ram,
      coverage.saving);
  return 0;
}

// txvm_fuzz_engines --cases N --seed S: random programs on every engine and the reference
// interpreter. Prints what was exercised; stops with status 1 at the first difference.

#include <fmt/format.h>

#include <charconv>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <optional>
#include <string>
#include <string_view>

#include "tests/support/differential.h"

namespace {

struct Arguments {
  std::uint64_t cases = 1'000'000;
  std::uint64_t seed = 1;
  bool only_valid = false;
};

constexpr std::string_view kUsage =
    "usage: txvm_fuzz_engines [--cases N] [--seed S] [--only-valid]\n"
    "  --cases N      programs to run, by default 1000000\n"
    "  --seed S       seed of the first; the others follow it\n"
    "  --only-valid   no damaged programs; by default every fourth is one\n";

std::optional<std::uint64_t> ParseNumber(std::string_view text) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

std::optional<Arguments> Parse(int argc, char** argv) {
  Arguments arguments;
  for (int i = 1; i < argc; ++i) {
    const std::string_view name = argv[i];
    if (name == "--only-valid") {
      arguments.only_valid = true;
      continue;
    }
    const auto value = i + 1 < argc ? ParseNumber(argv[++i]) : std::nullopt;
    if (!value || (name != "--cases" && name != "--seed")) return std::nullopt;
    (name == "--cases" ? arguments.cases : arguments.seed) = *value;
  }
  return arguments;
}

}  // namespace

int main(int argc, char** argv) {
  const std::optional<Arguments> arguments = Parse(argc, argv);
  if (!arguments) {
    std::fputs(kUsage.data(), stderr);
    return 2;
  }
  constexpr std::uint64_t kDamagedEvery = 4;
  using Clock = std::chrono::steady_clock;
  const Clock::time_point begin = Clock::now();
  txvm::support::Coverage coverage;
  for (std::uint64_t i = 0; i < arguments->cases; ++i) {
    const std::uint64_t seed = arguments->seed + i;
    const bool is_damaged = !arguments->only_valid && i % kDamagedEvery == kDamagedEvery - 1;
    const txvm::support::RandomCase random_case =
        is_damaged ? txvm::support::MakeDamagedCase(seed) : txvm::support::MakeRandomCase(seed);
    if (const auto difference = FirstDifference(random_case, seed, coverage)) {
      fmt::print(stderr, "{}{}\n", is_damaged ? "damaged " : "", *difference);
      return 1;
    }
  }
  const std::chrono::duration<double> seconds = Clock::now() - begin;
  fmt::print("{}seconds {:.1f}\n", txvm::support::CoverageText(coverage), seconds.count());
  return 0;
}

// Holds the routines against the processor for as long as wanted.
//   txvm_check_routines [--op NAME|all|PREFIX*] [--pairs N] [--seed S] [--exhaustive]
// --pairs: random operand sets an operation (default 1,000,000). --exhaustive: all 2^32 operands of
// the operations that read one cell, instead of random ones; others are left out.
#include <fmt/format.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

#include "tests/asm/routines/check.h"

namespace {

using namespace txvm::assembler;

struct Options {
  std::string op = "all";
  std::uint64_t pairs = 1'000'000;
  std::uint64_t seed = 1;
  bool exhaustive = false;
};

bool Matches(const std::string& pattern, std::string_view name) {
  if (pattern == "all") return true;
  if (!pattern.empty() && pattern.back() == '*') {
    return name.starts_with(std::string_view(pattern).substr(0, pattern.size() - 1));
  }
  return name == pattern;
}

/// False when the routine is wrong.
bool Run(const RoutineInfo& info, const Options& options) {
  const auto start = std::chrono::steady_clock::now();
  Checker checker(info.id);
  const auto difference = options.exhaustive
                              ? CheckAll(checker)
                              : CheckRandom(checker, info.id, options.pairs, options.seed);
  const std::chrono::duration<double> time = std::chrono::steady_clock::now() - start;
  const std::string count = options.exhaustive ? "all 2^32" : std::to_string(options.pairs);
  fmt::print("{:<22} {:>5} steps  {:>12} operands  {:8.1f} s  {}\n", info.name, info.steps, count,
             time.count(), difference ? *difference : "equal");
  std::fflush(stdout);
  return !difference;
}

}  // namespace

int main(int argc, char** argv) {
  Options options;
  for (int i = 1; i < argc; ++i) {
    const std::string_view argument = argv[i];
    const bool has_value = i + 1 < argc;
    if (argument == "--exhaustive") {
      options.exhaustive = true;
    } else if (argument == "--op" && has_value) {
      options.op = argv[++i];
    } else if (argument == "--pairs" && has_value) {
      options.pairs = std::strtoull(argv[++i], nullptr, 10);
    } else if (argument == "--seed" && has_value) {
      options.seed = std::strtoull(argv[++i], nullptr, 10);
    } else {
      fmt::print(stderr, "usage: txvm_check_routines [--op NAME|PREFIX*|all] [--pairs N] [--seed S] "
                         "[--exhaustive]\n");
      return 2;
    }
  }
  bool found = false, right = true;
  for (const RoutineInfo& info : kRoutines) {
    if (!Matches(options.op, info.name) || (options.exhaustive && info.cells_in != 1)) continue;
    found = true;
    right = Run(info, options) && right;
  }
  if (!found) fmt::print(stderr, "no routine '{}'\n", options.op);
  return found && right ? 0 : 1;
}

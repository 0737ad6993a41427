// Holds the routines against the processor for as long as wanted.
//   txvm_check_routines [--op NAMES] [--pairs N] [--seed S] [--exhaustive]
// --op: all, or names and prefixes such as f32.add,f64.*. --pairs: random operand sets an operation
// (default 1,000,000). --exhaustive: all 2^32 operands of the operations that read one cell,
// instead of random ones; others are left out.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "tests/asm/routines/check.h"
#include "tests/asm/routines/operands.h"

namespace {

using namespace txvm::assembler;

struct Options {
  std::string op = "all";
  std::uint64_t pairs = 1'000'000;
  std::uint64_t seed = 1;
  bool exhaustive = false;
};

/// `pattern`: "all", a name, a prefix and *, or several of them with commas.
bool Matches(std::string_view pattern, std::string_view name) {
  if (const std::size_t comma = pattern.find(','); comma != pattern.npos) {
    return Matches(pattern.substr(0, comma), name) || Matches(pattern.substr(comma + 1), name);
  }
  if (pattern == "all") return true;
  if (!pattern.empty() && pattern.back() == '*') {
    return name.starts_with(pattern.substr(0, pattern.size() - 1));
  }
  return name == pattern;
}

/// One routine of a group under check.
struct Subject {
  RoutineId id;
  Checker checker;
  std::optional<std::string> difference;
};

void FillNext(OperandSource& source, std::uint64_t done, const Options& options,
              std::span<Row> rows) {
  options.exhaustive ? FillInOrder(rows, static_cast<std::uint32_t>(done)) : source.Fill(rows);
}

/// Gives the same operands to routines that read the same kinds: drawing them takes longer than
/// running a routine. False when one is wrong.
bool Run(std::vector<Subject>& group, const Options& options) {
  const auto start = std::chrono::steady_clock::now();
  const std::uint64_t count = options.exhaustive ? std::uint64_t{1} << 32 : options.pairs;
  OperandSource source(group.front().id, options.seed);
  const std::span<Row> rows = group.front().checker.operands();
  for (std::uint64_t done = 0; done < count; done += kLanes) {
    FillNext(source, done, options, rows);
    for (Subject& subject : group) {
      if (subject.difference) continue;
      if (&subject != &group.front()) std::ranges::copy(rows, subject.checker.operands().begin());
      subject.difference = subject.checker.Check();
    }
  }
  const std::chrono::duration<double> time = std::chrono::steady_clock::now() - start;
  bool right = true;
  for (const Subject& subject : group) {
    const RoutineInfo& info = Info(subject.id);
    right = right && !subject.difference;
    fmt::print("{:<22} {:>4} steps  {:>11} operands  {}\n", info.name, info.steps, count,
               subject.difference.value_or("equal"));
  }
  fmt::print("  {} routines in {:.1f} s\n", group.size(), time.count());
  std::fflush(stdout);
  return right;
}

/// The routines wanted, those with operands of the same kinds together.
std::vector<std::vector<Subject>> Groups(const Options& options) {
  std::vector<std::vector<Subject>> groups;
  for (const RoutineInfo& info : kRoutines) {
    if (!Matches(options.op, info.name) || (options.exhaustive && info.cells_in != 1)) continue;
    const auto found = std::ranges::find_if(groups, [&](const std::vector<Subject>& group) {
      return OperandSource::Alike(group.front().id, info.id);
    });
    auto& group = found != groups.end() ? *found : groups.emplace_back();
    group.push_back({info.id, Checker(info.id), {}});
  }
  return groups;
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
      fmt::print(stderr,
                 "usage: txvm_check_routines [--op NAMES] [--pairs N] [--seed S] "
                 "[--exhaustive]\n");
      return 2;
    }
  }
  std::vector<std::vector<Subject>> groups = Groups(options);
  if (groups.empty()) fmt::print(stderr, "no routine '{}'\n", options.op);
  bool right = !groups.empty();
  for (std::vector<Subject>& group : groups) right = Run(group, options) && right;
  return right ? 0 : 1;
}

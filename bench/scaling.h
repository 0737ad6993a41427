// Does a step cost the same after 10^3 and after 10^9 steps, in time and in memory?
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "isa/support/result.h"
#include "vm/outcome.h"

namespace txvm::bench {

inline constexpr std::uint64_t kFirstScale = 1'000;
inline constexpr std::uint64_t kLastScale = 1'000'000'000;

struct ScalingOptions {
  std::uint64_t max_steps = kLastScale;  // larger scales are left out
  std::size_t rounds = 5;
  std::vector<std::string> programs;    // names; empty: all six
  std::vector<vm::EngineKind> engines;  // empty: all
  std::string folder;                   // programs are taken from here where it has them
};

/// One program at one scale on one engine.
struct ScalingRow {
  std::string program, engine;
  std::uint64_t scale = 0;           // the power of ten aimed at
  std::uint32_t n = 0, reps = 0;     // arguments of the program's run(n, reps)
  std::uint64_t steps = 0;           // of one run
  double nanoseconds = 0;            // CPU time per step, median over the rounds; loading excluded
  std::uint64_t resident_bytes = 0;  // of the process right after the last run
};

struct ScalingReport {
  std::vector<ScalingRow> rows;  // by program, then scale, then engine
  bool stopped = false;
  std::string mismatch;  // which program's runs differ, and ended the measuring; or empty
};

/// The programs: fib, sum, countdown, fnv1a, bsort, collatz.
std::vector<std::string> ScalingPrograms();

/// Measures. Engines take turns within a round; runs shorter than 5 ms are repeated. `each(done,
/// total, what)` counts steps and is called at least every 100 M of them; false stops with the rows
/// there are. kUsage for an unknown program, kInvalid for one that does not halt or whose steps do
/// not grow where n has no cap.
isa::Result<ScalingReport> RunScaling(
    const ScalingOptions& options,
    const std::function<bool(std::uint64_t, std::uint64_t, std::string_view)>& each);

}  // namespace txvm::bench

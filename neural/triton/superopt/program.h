// The superoptimizer: every straight run of a program gets the shortest schedule that search finds,
// each rewrite proved, the whole never more expensive on a declared input.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "isa/support/result.h"
#include "neural/triton/superopt/guide.h"
#include "neural/triton/tasm/heights.h"
#include "neural/triton/tasm/machine.h"
#include "neural/triton/tasm/program.h"
#include "neural/triton/tir/inputs.h"

namespace txvm::triton {

struct OptimizeOptions {
  std::uint64_t milliseconds = 10'000;  // for the whole program
  std::size_t beam = 48;                // states per length for long runs
  std::size_t exact_beam = 2'000;       // states per length for runs of at most exact_length
  std::size_t exact_length = 8;
  std::size_t window = 18;  // instructions searched at a time in a longer run
  /// Of further searches, whose result counts where it is shorter; may be null.
  const ScheduleGuide* guide = nullptr;
  bool guide_alone = false;  // no searches without the guide, to compare
  /// The routines may be called from outside, so no word is known to lie above the 16 lowest where
  /// one starts, nor is one of them the digest. A program without halt is always taken for that.
  bool library = false;
  /// It starts on the stack of someone else, where its own digest is not, whatever its end.
  bool fragment = false;
  /// Called after each search of a run with (searches done, searches in all); may be empty.
  std::function<void(std::size_t, std::size_t)> progress;
};

/// What it costs to run a program on one declared input.
struct InputCost {
  std::optional<TasmCrash> crash;  // with one, the heights are those up to it
  TasmHeights heights;
  TasmCost cost;
  std::uint64_t cycles = 0;

  /// True when the run was stopped after `cycles`, by the most that is measured or by the deadline:
  /// how it would have gone on is not known.
  bool stopped() const { return crash == TasmCrash::kCycleLimit; }
};

struct OptimizeReport {
  TasmProgram program;
  std::size_t runs = 0;      // straight runs
  std::size_t improved = 0;  // of them shorter now
  std::size_t optimal = 0;   // of them as they are now: proved shortest among schedules of their
                             // values
  std::size_t instructions_before = 0;
  std::size_t instructions_after = 0;
  std::uint64_t states = 0;  // that the searches looked at
  std::size_t refused = 0;   // improvements given up because some input became more expensive
  bool timed_out = false;
  bool sees_itself = false;       // it may read its own digest, so it stays as it is
  std::vector<InputCost> before;  // by declared input
  std::vector<InputCost> after;
};

/// Optimizes a valid program or fragment. Deterministic unless it times out. Inputs that run past
/// 20 M cycles may not crash before that afterwards; their cost is not compared. A program whose
/// inputs take longer to measure than the search may (2 s at least) stays as it is.
/// Errors: as TasmMachine::Load and Run.
isa::Result<OptimizeReport> OptimizeProgram(const TasmProgram& program,
                                            const std::vector<TirInputs>& inputs,
                                            const OptimizeOptions& options = {});

/// The cost of a program on each input. A run that would go on past the deadline is stopped before
/// 20 M cycles, after 0 or 1 M of them, and so are those behind it.
isa::Result<std::vector<InputCost>> CostOnInputs(
    const TasmProgram& program, const std::vector<TirInputs>& inputs,
    std::chrono::steady_clock::time_point deadline = std::chrono::steady_clock::time_point::max());

}  // namespace txvm::triton

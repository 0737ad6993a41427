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

/// How to search.
struct OptimizeOptions {
  std::uint64_t milliseconds = 10'000;  // for the whole program
  std::size_t beam = 48;                // states per length for long runs
  std::size_t exact_beam = 2'000;       // states per length for runs of at most exact_length
  std::size_t exact_length = 8;
  std::size_t window = 18;  // instructions searched at a time in a longer run
  /// Guide of an optional second search; its result is kept only if shorter. May be null.
  const ScheduleGuide* guide = nullptr;
  bool guide_alone = false;  // no searches without the guide, to compare
  /// Other code may call the routines. So where a routine starts, no word is known to lie above the
  /// 16 lowest, and none of them is known to be the digest. A program without halt always counts as
  /// a library.
  bool library = false;
  /// The program starts on a stack that other code has left, which does not hold its own digest.
  bool fragment = false;
  /// The program's own digest is an input like any other, so that a program that reads it may
  /// change: what it does with its digest stays the same.
  bool same_digest = false;
  /// Keep what the searches found in OptimizeReport::experiences.
  bool record = false;
  /// Called after each search with (searches done, searches in all); may be empty.
  std::function<void(std::size_t, std::size_t)> progress;
};

/// What it costs to run a program on one declared input.
struct InputCost {
  std::optional<TasmCrash> crash;  // with one, the heights are those up to it
  TasmHeights heights;
  TasmCost cost;
  std::uint64_t cycles = 0;

  /// True when the measurement stopped the run after `cycles`, at its limit or at the deadline. How
  /// the run would have gone on is not known.
  bool stopped() const { return crash == TasmCrash::kCycleLimit; }
};

/// What the searches found for one straight run.
struct Experience {
  std::vector<TasmInstruction> block;     // of the program
  std::size_t known_depth = 0;            // words known above the 16 lowest where it starts
  std::vector<TasmInstruction> baseline;  // found without a guide
  std::vector<TasmInstruction> result;    // the shortest found
};

/// The optimized program, and what the searches did.
struct OptimizeReport {
  TasmProgram program;
  std::size_t runs = 0;      // straight runs
  std::size_t improved = 0;  // runs that are shorter now
  std::size_t optimal = 0;   // runs proved shortest among the schedules of their values
  std::size_t instructions_before = 0;
  std::size_t instructions_after = 0;
  std::uint64_t states = 0;  // states that the searches looked at
  std::size_t refused = 0;   // improvements dropped because some input became more expensive
  bool timed_out = false;
  bool sees_itself = false;             // it may read its own digest, so it stays as it is
  std::vector<Experience> experiences;  // of the runs searched, where OptimizeOptions::record
  std::vector<InputCost> before;        // by declared input
  std::vector<InputCost> after;
};

/// Optimizes a valid program or fragment. Deterministic unless it times out. An input that runs
/// past 20 M cycles must still run past them afterwards; its cost is not compared. A program stays
/// as it is when measuring its inputs takes longer than the time for the search (2 s at least).
/// Errors: as TasmMachine::Load and Run.
isa::Result<OptimizeReport> OptimizeProgram(const TasmProgram& program,
                                            const std::vector<TirInputs>& inputs,
                                            const OptimizeOptions& options = {});

/// The cost of a program on each input. After the deadline, this run and those that follow stop
/// early: after 0 or 1 M cycles instead of 20 M.
isa::Result<std::vector<InputCost>> CostOnInputs(
    const TasmProgram& program, const std::vector<TirInputs>& inputs,
    std::chrono::steady_clock::time_point deadline = std::chrono::steady_clock::time_point::max());

}  // namespace txvm::triton

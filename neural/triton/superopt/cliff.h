// Optimizing a whole program against the cliffs of its padded height: beyond its straight runs.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "isa/support/result.h"
#include "neural/triton/superopt/program.h"

namespace txvm::triton {

/// An optimized program, the moves that were taken, and what was not.
struct CliffReport {
  OptimizeReport straight;         // after the searches of straight runs alone
  TasmProgram program;             // the result
  std::vector<InputCost> after;    // by declared input
  std::vector<std::string> moves;  // in their order
  std::uint64_t tried = 0;         // programs that were measured
  std::uint64_t unproved = 0;      // cheaper ones that were dropped for want of a proof
  bool timed_out = false;          // moves were left
};

/// Optimizes the straight runs, then moves routines and loops, and last spells the program anew,
/// until its padded height is below the next power of two or all moves are spent. What counts is
/// the sum over the declared inputs of the padded height, then of the highest tables, of all rows,
/// and the words. Every step is proved, and no declared input gets dearer. A library, a fragment,
/// a program that may see its own digest, and one without declared inputs get their straight runs
/// optimized only. Takes up to options.milliseconds for each of the two parts. Deterministic
/// unless it times out. Errors: as OptimizeProgram.
isa::Result<CliffReport> AttackCliff(const TasmProgram& program,
                                     const std::vector<TirInputs>& inputs,
                                     const OptimizeOptions& options = {});

}  // namespace txvm::triton

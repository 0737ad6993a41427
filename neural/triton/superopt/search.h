// Search for the shortest schedule of a straight run: same values, same effects, fewer
// instructions.
#pragma once

#include <cstdint>
#include <vector>

#include "neural/triton/superopt/guide.h"
#include "neural/triton/tasm/program.h"

namespace txvm::triton {

/// How to search one run.
struct ScheduleOptions {
  std::size_t beam = 40;                 // states kept per length
  std::size_t known_depth = 0;           // words known above the 16 lowest at the start of the run
  const ScheduleGuide* guide = nullptr;  // says which states to keep; null: the estimate alone
};

/// The result of a search.
struct Schedule {
  std::vector<TasmInstruction>
      code;                  // proved equal to the run, never longer in instructions or words
  bool improved = false;     // shorter than the run
  bool optimal = false;      // no state was dropped: no schedule is shorter (docs/TIR.md)
  std::uint64_t states = 0;  // states looked at
};

/// Searches stack schedules breadth-first, shortest first. A beam keeps the states with the least
/// estimate of the work that is left, or with the best sum of that and the guide's costs. The
/// values are those that the run computes; a move makes, copies, moves or drops some of them.
/// Returns a result only when ProveStraight proves it, else the run itself. Deterministic.
Schedule FindSchedule(const std::vector<TasmInstruction>& code,
                      const ScheduleOptions& options = {});

}  // namespace txvm::triton

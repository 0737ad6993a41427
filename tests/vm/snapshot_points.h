// Cuts runs at random steps, carries them over to every engine and compares where they arrive with
// the uncut run.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tests/vm/snapshot_programs.h"
#include "vm/outcome.h"

namespace txvm::vm {

/// How much to try. The direct engines always go on to the end.
struct PointsOptions {
  std::uint64_t points = 50;  // random steps of the program, and step 0
  std::uint64_t seed = 1;
  std::uint64_t hull_steps = 2'000;      // at most, from each point
  std::uint64_t transformer_steps = 40;  // at most, from each point
  std::uint64_t transformer_tokens =
      3'000;  // longest prefix; points with a longer one are left out
};

/// What was done on one engine.
struct PointsOnEngine {
  std::uint64_t continued = 0, to_the_end = 0, steps = 0, left_out = 0;
};

struct PointsReport {
  std::uint64_t points = 0, clones = 0, chains = 0, largest_file = 0, deepest = 0;
  std::vector<PointsOnEngine> engines =
      std::vector<PointsOnEngine>(AllEngines().size());  // by EngineKind
  std::string Text() const;
};

/// Snapshots `program` at random steps on native and attention, which must give equal files;
/// restores the file on every engine, clones the source, and goes through all engines in turn. The
/// first thing that is not as in the uncut run, or nullopt.
std::optional<std::string> CheckPoints(const SnapshotProgram& program, const PointsOptions& options,
                                       PointsReport& report);

}  // namespace txvm::vm

// txvm_snapshot_points [POINTS [SEED]]: POINTS random cuts of each of twenty programs on every
// engine, 50 by default. Stops with status 1 at the first difference.
#include <fmt/format.h>

#include <chrono>
#include <cstdlib>

#include "tests/vm/snapshot_points.h"

int main(int argc, char** argv) {
  txvm::vm::PointsOptions options;
  if (argc > 1) options.points = std::strtoull(argv[1], nullptr, 10);
  if (argc > 2) options.seed = std::strtoull(argv[2], nullptr, 10);
  txvm::vm::PointsReport report;
  const auto begin = std::chrono::steady_clock::now();
  const std::vector<txvm::vm::SnapshotProgram> programs = txvm::vm::SnapshotPrograms();
  for (const txvm::vm::SnapshotProgram& program : programs) {
    if (const auto problem = CheckPoints(program, options, report)) {
      fmt::print(stderr, "{}\n", *problem);
      return 1;
    }
    ++options.seed;
  }
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - begin;
  fmt::print("{} programs: {}{:.1f} s\n", programs.size(), report.Text(), seconds.count());
  return 0;
}

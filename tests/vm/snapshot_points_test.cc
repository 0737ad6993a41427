// A few of the random cuts that txvm_snapshot_points makes many of.
#include "tests/vm/snapshot_points.h"

#include <gtest/gtest.h>

namespace txvm::vm {
namespace {

constexpr std::size_t kPrograms = 20;

class SnapshotPoints : public testing::TestWithParam<std::size_t> {};

TEST_P(SnapshotPoints, ContinueOnEveryEngineAsIfUncut) {
  const SnapshotProgram program = SnapshotPrograms().at(GetParam());
  PointsOptions options;
  options.points = 3;
  options.seed = 1 + GetParam();
  options.hull_steps = 500;
  options.transformer_steps = 4;
  options.transformer_tokens = 1'000;
  PointsReport report;
  const std::optional<std::string> problem = CheckPoints(program, options, report);
  EXPECT_FALSE(problem.has_value()) << *problem;
  EXPECT_EQ(report.points, options.points + 1);
  for (const PointsOnEngine& engine : report.engines) {
    EXPECT_EQ(engine.continued + engine.left_out, report.points);
  }
}

INSTANTIATE_TEST_SUITE_P(Programs, SnapshotPoints, testing::Range(std::size_t{0}, kPrograms));

TEST(SnapshotPrograms, AreTwenty) { EXPECT_EQ(SnapshotPrograms().size(), kPrograms); }

}  // namespace
}  // namespace txvm::vm

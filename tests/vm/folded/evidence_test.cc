// A little of what txvm_folded_evidence does much of.
#include <gtest/gtest.h>

#include "tests/vm/folded/cuts.h"
#include "tests/vm/folded/mutants.h"

namespace txvm::vm {
namespace {

TEST(FoldedEvidence, NothingIsLostByCutsAndInterrupts) {
  CutsReport report;
  EXPECT_EQ(CutAndGoOn(Workloads(false), 200, 1, report), "");
  EXPECT_GT(report.fuel_cuts, 20u);
  // The machine that runs the tests may be busy: half of them.
  EXPECT_LT(report.Latency(0.5), 1e-3);
}

TEST(FoldedEvidence, SnapshotsGoFromEngineToEngine) {
  CutsReport report;
  EXPECT_EQ(ChangeEngines(Workloads(true), 60, 2, report), "");
  EXPECT_GE(report.fuel_cuts, 60u);
}

TEST(FoldedEvidence, ChangedOperationsAreNoticed) {
  std::vector<Work> works = Workloads(true);
  for (std::uint64_t seed = 1; seed <= 40; ++seed) works.push_back(RandomWork(seed));
  MutantsReport report;
  TryMutants(works, 30, 3, report);
  EXPECT_LE(report.lost.size(), 1u) << report.Text();
}

}  // namespace
}  // namespace txvm::vm

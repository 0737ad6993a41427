// Random functions of i32 alone: TASM machine and TIR interpreter against the native engine.
#include <gtest/gtest.h>

#include "tests/frontends/provable/fuzz_provable.h"

namespace txvm::tests {
namespace {

constexpr std::uint64_t kFunctions = 300;
constexpr std::uint64_t kFirstSeed = 40'000;

TEST(RandomFunctions, AgreeWithTheNativeEngineInOutputsAndTraps) {
  ProvableCoverage coverage;
  for (std::uint64_t seed = kFirstSeed; coverage.functions < kFunctions; ++seed) {
    ASSERT_EQ(CompareRandomModule(seed, coverage), "");
  }
  EXPECT_GT(coverage.trapped, coverage.calls / 10);
  EXPECT_GT(coverage.calls - coverage.trapped, coverage.calls / 3);
  EXPECT_GT(coverage.in_ram, 0u);
  EXPECT_GT(coverage.saving, 0u);
}

}  // namespace
}  // namespace txvm::tests

// Random WebAssembly modules on the folded engine beside the native one: in one piece, in pieces of
// random fuel, interrupted, and continued from snapshots on either engine.
#include <gtest/gtest.h>

#include "tests/vm/folded/wasm_comparison.h"

namespace txvm::vm {
namespace {

TEST(FoldedWasm, AgreesWithTheNativeEngine) {
  WasmCounts counts;
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    ASSERT_EQ(WasmDifference(seed, counts), "") << "seed " << seed;
  }
  EXPECT_GT(counts.trapped, 20u);
  EXPECT_GT(counts.halted, 200u);
  EXPECT_GT(counts.cuts, 100u);
  EXPECT_GT(counts.snapshots, 50u);
  // Front ends set every local before it is read: dead writes may be left out.
  EXPECT_EQ(counts.keeping, 0u);
}

}  // namespace
}  // namespace txvm::vm

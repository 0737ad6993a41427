#include "weights/heads.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>

namespace txvm::weights {
namespace {

std::size_t NonZeros(const LaneWeights& row) {
  return static_cast<std::size_t>(std::ranges::count_if(row, [](float w) { return w != 0; }));
}

TEST(Heads, EveryReadOfEveryOpcodeHasItsHead) {
  for (const isa::OpcodeInfo& op : isa::kOpcodes) {
    std::map<ReadColumn, int> heads;
    for (const HeadSpec& head : kHeads) heads[head.column] += UsesHead(op, head) ? 1 : 0;
    EXPECT_EQ(heads[ReadColumn::kEveryStep], 1) << op.text;
    EXPECT_EQ(heads[ReadColumn::kStackReads], op.stack_reads) << op.text;
    EXPECT_EQ(heads[ReadColumn::kLocalReads], op.local_reads) << op.text;
    EXPECT_EQ(heads[ReadColumn::kMemoryReads], op.memory_reads) << op.text;
    EXPECT_EQ(heads[ReadColumn::kCallReads], op.call_reads) << op.text;
  }
}

TEST(Heads, StackReadsCoverOperandsAndRefill) {
  // An opcode that ends with sp' = sp - pops + pushes and keeps an old slot on top must read that
  // slot, and every popped slot below the top that holds an operand.
  for (const isa::OpcodeInfo& op : isa::kOpcodes) {
    const int operands_below_top = op.pops > 0 ? op.pops - 1 : 0;
    const int refill = op.pops > 0 && op.pushes == 0 ? 1 : 0;
    EXPECT_EQ(op.stack_reads, operands_below_top + refill) << op.text;
  }
}

TEST(Heads, RowsReadOneLaneEach) {
  const HeadMatrices matrices = CompileHeads();
  for (const HeadSpec& head : kHeads) {
    const HeadWeights& w = matrices[head.id];
    EXPECT_EQ(RoleOf(head.address), LaneRole::kAddress) << head.name;
    for (std::size_t i = 0; i < kKeySize; ++i) {
      EXPECT_EQ(NonZeros(w.w_q[i]), 1u) << head.name;
      EXPECT_EQ(NonZeros(w.w_k[i]), 1u) << head.name;
    }
    for (std::size_t i = 0; i < kMaxValues; ++i) {
      EXPECT_EQ(NonZeros(w.w_v[i]), i < ValueCount(head) ? 1u : 0u) << head.name;
      if (i >= ValueCount(head)) continue;
      EXPECT_EQ(RoleOf(head.values[i]), LaneRole::kValue) << head.name;
    }
    EXPECT_EQ(w.b_q[0], static_cast<float>(head.offset)) << head.name;
  }
}

TEST(Heads, ScoreIsLargestAtTheQueriedAddressAlone) {
  const HeadMatrices matrices = CompileHeads();
  const HeadWeights& w = matrices[HeadId::kStackSecond];
  const auto at = [](const LaneWeights& row, Lane lane) {
    return row[static_cast<std::size_t>(lane)];
  };
  constexpr int kAddresses = 64;
  for (int sp = 1; sp < kAddresses; ++sp) {
    const float q0 = at(w.w_q[0], Lane::kSp) * static_cast<float>(sp) + w.b_q[0];
    const float q1 = at(w.w_q[1], Lane::kOne);
    for (int k = 0; k < kAddresses; ++k) {
      const float key = static_cast<float>(k);
      const float score =
          q0 * at(w.w_k[0], Lane::kKey) * key + q1 * at(w.w_k[1], Lane::kKeySquare) * key * key;
      EXPECT_EQ(score == q0 * q0, k == sp - 1);
      EXPECT_LE(score, q0 * q0);
    }
  }
}

}  // namespace
}  // namespace txvm::weights

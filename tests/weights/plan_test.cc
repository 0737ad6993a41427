#include "weights/plan.h"

#include <gtest/gtest.h>

#include <limits>
#include <string>

namespace txvm::weights {
namespace {

std::size_t Index(Lane lane) { return static_cast<std::size_t>(lane); }

std::string MessageFor(const HeadMatrices& matrices) {
  const auto plan = DerivePlan(matrices);
  return plan ? "accepted" : plan.error().message;
}

TEST(Plan, CompiledMatricesGiveTheTable) {
  const auto plan = DerivePlan(CompileHeads());
  ASSERT_TRUE(plan);
  for (const HeadSpec& head : kHeads) {
    const HeadRead& read = (*plan)[head.id];
    EXPECT_EQ(read.id, head.id);
    EXPECT_EQ(read.space, head.space);
    EXPECT_EQ(read.address, head.address);
    EXPECT_EQ(read.bias, head.offset);
    EXPECT_EQ(read.values, head.values);
  }
}

TEST(Plan, EditedBiasIsFollowed) {
  HeadMatrices matrices = CompileHeads();
  matrices[HeadId::kStackSecond].b_q[0] = -3;
  matrices[HeadId::kByte1].b_q[0] = 4096;
  const auto plan = DerivePlan(matrices);
  ASSERT_TRUE(plan);
  EXPECT_EQ((*plan)[HeadId::kStackSecond].bias, -3);
  EXPECT_EQ((*plan)[HeadId::kByte1].bias, 4096);
}

TEST(Plan, BiasThatIsNoSmallIntegerIsRefused) {
  HeadMatrices matrices = CompileHeads();
  matrices[HeadId::kLocal].b_q[0] = 0.5f;
  EXPECT_EQ(MessageFor(matrices),
            "head Local: weight b_q[0] is 0.5, must be an integer within +-32768");
  matrices[HeadId::kLocal].b_q[0] = static_cast<float>(kMaxBias + 1);
  EXPECT_EQ(MessageFor(matrices),
            "head Local: weight b_q[0] is 32769, must be an integer within +-32768");
  matrices[HeadId::kLocal].b_q[0] = std::numeric_limits<float>::quiet_NaN();
  EXPECT_EQ(MessageFor(matrices),
            "head Local: weight b_q[0] is nan, must be an integer within +-32768");
}

TEST(Plan, EditedQueryLaneIsRefused) {
  HeadMatrices matrices = CompileHeads();
  matrices[HeadId::kFetch].w_q[0][Index(Lane::kIp)] = 0;
  matrices[HeadId::kFetch].w_q[0][Index(Lane::kSp)] = 1;
  EXPECT_EQ(MessageFor(matrices), "head Fetch: weight w_q[0, Ip] is 0, must be 1");
}

TEST(Plan, EveryChangedMatrixEntryIsRefused) {
  const HeadMatrices compiled = CompileHeads();
  for (const HeadSpec& head : kHeads) {
    const auto expect_refused = [&](auto member, std::size_t rows) {
      for (std::size_t row = 0; row < rows; ++row) {
        for (std::size_t lane = 0; lane < kLaneCount; ++lane) {
          HeadMatrices edited = compiled;
          (edited[head.id].*member)[row][lane] += 1;
          EXPECT_NE(MessageFor(edited), "accepted")
              << head.name << " row " << row << " lane " << lane;
        }
      }
    };
    expect_refused(&HeadWeights::w_q, kKeySize);
    expect_refused(&HeadWeights::w_k, kKeySize);
    expect_refused(&HeadWeights::w_v, kMaxValues);
    for (std::size_t row = 0; row < kKeySize; ++row) {
      HeadMatrices edited = compiled;
      edited[head.id].b_k[row] = 1;
      EXPECT_NE(MessageFor(edited), "accepted") << head.name;
    }
    HeadMatrices edited = compiled;
    edited[head.id].b_q[1] = 1;
    EXPECT_EQ(MessageFor(edited),
              std::string("head ") + std::string(head.name) + ": weight b_q[1] is 1, must be 0");
  }
}

TEST(Plan, TileKeysAreParabolic) {
  const HeadMatrices matrices = CompileHeads();
  for (const HeadSpec& head : kHeads) {
    const KeyRows rows = TileKeys(matrices, head.id, kMaxTile);
    ASSERT_EQ(rows.k0.size(), kMaxTile);
    for (int i = 0; i < static_cast<int>(kMaxTile); ++i) {
      EXPECT_EQ(rows.k0[static_cast<std::size_t>(i)], 2 * i);
      EXPECT_EQ(rows.k1[static_cast<std::size_t>(i)], -i * i);
    }
  }
}

TEST(Plan, QueryRowIsTheDigitAndOne) {
  const HeadMatrices matrices = CompileHeads();
  for (const HeadSpec& head : kHeads) {
    for (std::int16_t digit = 0; digit < 16; ++digit) {
      const auto query = QueryRow(matrices, head.id, digit);
      EXPECT_EQ(query[0], digit) << head.name;
      EXPECT_EQ(query[1], 1) << head.name;
    }
  }
}

}  // namespace
}  // namespace txvm::weights

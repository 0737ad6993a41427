#include "tests/neural/triton/support/block_encoding.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <utility>

#include "neural/triton/random/programs.h"

namespace txvm::triton {
namespace {

// The operations that a block was made from, without comments and places.
std::vector<TirOp> OpsAt(const TirModule& module, const BlockPlace& place) {
  const std::vector<TirOp>* ops = &module.ops;
  for (std::size_t i = 0; i + 1 < place.path.size(); i += 2) {
    const TirOp& op = (*ops)[place.path[i]];
    ops = place.path[i + 1] == 0 ? &op.body : &op.other;
  }
  std::vector<TirOp> found;
  for (std::size_t i = place.start; i < place.start + place.length; ++i) {
    if ((*ops)[i].code != TirCode::kComment) found.push_back((*ops)[i]);
  }
  return found;
}

std::uint64_t Left(const EncodedBlock& block, std::size_t node) {
  return block.nodes[node * kNodeWords] >> 9 & 31;
}
std::uint64_t Right(const EncodedBlock& block, std::size_t node) {
  return block.nodes[node * kNodeWords] >> 14 & 31;
}

TEST(BlockEncoding, EveryBlockOfRandomProgramsComesBack) {
  std::size_t blocks = 0;
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    TirRng rng(seed);
    const TirModule module = RandomTir(rng).module;
    for (const PlacedBlock& placed : EncodeBlocks(module)) {
      ++blocks;
      const auto ops = DecodeBlock(placed.block);
      ASSERT_TRUE(ops.has_value()) << ops.error().ToString();
      ASSERT_EQ(*ops, OpsAt(module, placed.place));
      TirModule again;
      again.ops = *ops;
      const EncodedBlock twice = EncodeBlocks(again)[0].block;
      EXPECT_EQ(twice.nodes, placed.block.nodes);
    }
  }
  EXPECT_GT(blocks, 1000u);
}

TEST(BlockEncoding, ReferencesNameProducersOrSlots) {
  const auto blocks = EncodeBlocks(*ParseTir("push 7 push 8 add mul"));
  ASSERT_EQ(blocks.size(), 1u);
  const EncodedBlock& block = blocks[0].block;
  EXPECT_EQ(block.size, 4u);
  EXPECT_EQ(Left(block, 2), 0u);
  EXPECT_EQ(Right(block, 2), 1u);
  EXPECT_EQ(Right(block, 3), 2u);  // the sum
  EXPECT_EQ(Left(block, 3), 0u);   // slot 0 before the block, not node 0:
  EXPECT_EQ(block.nodes[3 * kNodeWords] >> 19 & 3, 1u);
  EXPECT_EQ(Left(block, 0), kNoReference);
  EXPECT_EQ(block.nodes[2 * kNodeWords + 2], 3u);            // the sum is used by node 3
  EXPECT_EQ(block.nodes[3 * kNodeWords + 2], kNoReference);  // the product leaves the block
  EXPECT_EQ(block.nodes[1 * kNodeWords + 3], 8u);
}

TEST(BlockEncoding, LongRunsSplitAndCarryTheirContext) {
  std::string text = "push 42 ";
  for (int i = 0; i < 40; ++i) text += "dup 0 ";
  const auto blocks = EncodeBlocks(*ParseTir(text));
  ASSERT_EQ(blocks.size(), 2u);
  EXPECT_EQ(blocks[0].block.size, kBlockOps);
  EXPECT_EQ(blocks[1].block.size, 10u);
  EXPECT_EQ(blocks[1].block.context[0], (std::uint64_t{1} << 63) | 42);
  EXPECT_EQ(blocks[0].block.context[0], 0u);
}

TEST(BlockEncoding, CommentsDoNotSplitAndBodiesAreNotSkipped) {
  const auto blocks =
      EncodeBlocks(*ParseTir("push 1 // note\n push 2 if_else { add } else { pop 1 } push 3"));
  ASSERT_EQ(blocks.size(), 4u);
  EXPECT_EQ(blocks[0].block.size, 2u);
  EXPECT_EQ(blocks[1].place.path, (std::vector<std::size_t>{3, 0}));
  EXPECT_EQ(blocks[2].place.path, (std::vector<std::size_t>{3, 1}));
}

TEST(BlockEncoding, ReferencesToNodesThatDoNotComeBeforeAreRefused) {
  const EncodedBlock good = EncodeBlocks(*ParseTir("push 7 push 8 add mul"))[0].block;
  ASSERT_TRUE(DecodeBlock(good).has_value());
  for (const auto& [shift, side] : {std::pair(9, "left"), std::pair(14, "right")}) {
    for (const std::uint64_t later : {2u, 3u, 30u}) {
      EncodedBlock bad = good;
      std::uint64_t& word = bad.nodes[2 * kNodeWords];
      word = (word & ~(std::uint64_t{31} << shift)) | later << shift;
      const auto refused = DecodeBlock(bad);
      ASSERT_FALSE(refused.has_value()) << side << " " << later;
      EXPECT_EQ(refused.error().message,
                fmt::format("node 2 takes its {} operand from node {}, which is not before it",
                            side, later));
    }
  }
}

TEST(BlockEncoding, NonsenseIsRefused) {
  EncodedBlock block;
  block.size = 1;
  block.nodes[0] = 60;
  EXPECT_FALSE(DecodeBlock(block).has_value());
  block.nodes[0] = static_cast<std::uint64_t>(TirCode::kCall);
  EXPECT_FALSE(DecodeBlock(block).has_value());
  block.nodes[0] = static_cast<std::uint64_t>(TirCode::kDup) | kNoReference << 9;
  block.nodes[3] = 16;
  EXPECT_FALSE(DecodeBlock(block).has_value());
  block.size = 32;
  EXPECT_FALSE(DecodeBlock(block).has_value());
}

}  // namespace
}  // namespace txvm::triton

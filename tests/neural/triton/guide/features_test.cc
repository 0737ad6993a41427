#include "neural/triton/guide/features.h"

#include <gtest/gtest.h>

#include <set>

#include "neural/triton/guide/lessons.h"
#include "neural/triton/superopt/search.h"
#include "tests/neural/triton/guide/samples.h"

namespace txvm::triton::guide {
namespace {

// How many values have a node.
std::size_t Nodes(const BlockModel& model) { return NodesOf(model).count; }

TEST(Features, ValuesThatMatterHaveNodes) {
  // The two operands and their sum; nothing of the 14 words below.
  EXPECT_EQ(Nodes(*ModelRun(CodeOfText("add"), 0)), 3U);
  // The constant and the sum, too.
  EXPECT_EQ(Nodes(*ModelRun(CodeOfText("push 5 mul add"), 0)), 5U);
  // Words that only move.
  EXPECT_EQ(Nodes(*ModelRun(CodeOfText("swap 3"), 0)), 2U);
}

TEST(Features, NodesNameTheirOperands) {
  const auto model = ModelRun(CodeOfText("lt"), 0);
  const RunNodes nodes = NodesOf(*model);
  ASSERT_EQ(nodes.count, 3U);
  // Made values come first: node 0 is the comparison, of nodes 1 and 2 in some order.
  const auto own = [&](std::size_t node) {
    return std::vector<std::int32_t>(nodes.codes[node].begin() + 16,
                                     nodes.codes[node].begin() + 32);
  };
  const std::vector<std::int32_t> first(nodes.codes[0].begin() + 32, nodes.codes[0].begin() + 48);
  const std::vector<std::int32_t> second(nodes.codes[0].begin() + 48, nodes.codes[0].end());
  const Operation& lt = model->operations.front();
  EXPECT_EQ(first, own(nodes.of_value[lt.takes[0]]));
  EXPECT_EQ(second, own(nodes.of_value[lt.takes[1]]));
  EXPECT_NE(first, second);
}

TEST(Features, NumbersOfNodesHaveNoPositiveProducts) {
  std::string text;
  for (int i = 0; i < 40; ++i) text += "push " + std::to_string(1000 + i * i) + " mul\n";
  const auto model = ModelRun(CodeOfText(text), 0);
  ASSERT_TRUE(model);
  const RunNodes nodes = NodesOf(*model);
  ASSERT_EQ(nodes.count, kNodes);  // and no more, of 80 values
  for (std::size_t a = 0; a < kNodes; ++a) {
    for (std::size_t b = 0; b < a; ++b) {
      std::int64_t product = 0;
      for (std::size_t d = 16; d < 32; ++d) {
        product += std::int64_t{nodes.codes[a][d]} * nodes.codes[b][d];
      }
      EXPECT_LE(product, 0) << a << " " << b;
    }
  }
}

TEST(Features, KindsOfValuesDiffer) {
  std::set<std::vector<std::int32_t>> kinds;
  const auto model =
      ModelRun(CodeOfText("read_io 1 divine 1 add dup 0 mul push 3 read_mem 1 pop 1 eq"), 0);
  ASSERT_TRUE(model);
  const RunNodes nodes = NodesOf(*model);
  for (std::size_t i = 0; i < nodes.count; ++i) {
    kinds.insert({nodes.codes[i].begin(), nodes.codes[i].begin() + 16});
  }
  // input, secret, add, mul, constant, load, the pointer after it, eq
  EXPECT_GE(kinds.size(), 7U);
}

TEST(Features, AStateSaysWhatIsMissing) {
  const std::vector<TasmInstruction> code = CodeOfText("dup 1 dup 1 mul swap 1 pop 1 swap 1 pop 1");
  const auto model = ModelRun(code, 0);
  const RunNodes nodes = NodesOf(*model);
  std::vector<std::uint16_t> uses(model->sources.size(), 0), copies(model->sources.size(), 1);
  const Operation& mul = model->operations.front();
  for (const Value value : mul.takes) uses[value] = 1;
  const std::vector<bool> needed(model->operations.size(), true);
  const GuidedState state{model->start, uses, copies, needed, 0, 0, 0, 0, 0, 3};
  const StateInput input = Describe(*model, nodes, state);
  const auto lane = [&](std::size_t word, std::size_t which) {
    return input.lanes[word * kLanes + which];
  };
  EXPECT_EQ(input.nodes[0], nodes.of_value[model->start.back()]);
  EXPECT_EQ(lane(0, 3), 0);          // used once, there once
  EXPECT_EQ(lane(2, 3), -kOne / 2);  // one too many, as far as `uses` says
  EXPECT_EQ(lane(0, 5), kOne);       // the multiplication takes it
  EXPECT_EQ(lane(0, 6), kOne);       // as its first operand,
  EXPECT_EQ(lane(1, 6), -kOne);      // and this as its second
  EXPECT_EQ(lane(5, 5), 0);
  EXPECT_EQ(lane(0, 7), kOne / 4);  // one word more than at the end
}

TEST(Features, MovesHaveCodes) {
  const auto model = ModelRun(CodeOfText("push 7 add push 9 mul"), 0);
  const MoveCode dup = CodeOf(*model, {TasmOp::kDup, 13});
  EXPECT_EQ(dup.op, static_cast<std::uint8_t>(TasmOp::kDup));
  EXPECT_EQ(dup.arg, 13);
  EXPECT_TRUE(dup.has_arg);
  EXPECT_FALSE(CodeOf(*model, {TasmOp::kMul, 0}).has_arg);
  EXPECT_NE(CodeOf(*model, {TasmOp::kPush, 7}).arg, CodeOf(*model, {TasmOp::kPush, 9}).arg);
}

TEST(Features, LessonsFollowASchedule) {
  const std::vector<TasmInstruction> code = CodeOfText("swap 1 swap 2 dup 0 pop 1 add push -1 mul");
  const Schedule found = FindSchedule(code, {.beam = 500});
  ASSERT_TRUE(found.improved);
  const auto learnt = LessonsOf(code, found.code, 0);
  ASSERT_TRUE(learnt);
  ASSERT_EQ(learnt->lessons.size(), found.code.size());
  for (std::size_t i = 0; i < found.code.size(); ++i) {
    const Lesson& lesson = learnt->lessons[i];
    ASSERT_LT(lesson.taken, lesson.moves.size());
    EXPECT_EQ(lesson.moves[lesson.taken].op, static_cast<std::uint8_t>(found.code[i].op));
  }
  // Not a way of the search: it leaves out what it would have to do.
  EXPECT_FALSE(LessonsOf(code, CodeOfText("add"), 0));
}

}  // namespace
}  // namespace txvm::triton::guide

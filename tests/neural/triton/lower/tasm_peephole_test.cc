#include "neural/triton/lower/tasm_peephole.h"

#include <gtest/gtest.h>

#include <string>

#include "neural/triton/lower/straight_runs.h"
#include "neural/triton/random/programs.h"
#include "neural/triton/tasm/text.h"
#include "neural/triton/tir/tasm_step.h"

namespace txvm::triton {
namespace {

std::vector<TasmInstruction> Code(std::string_view text) { return AssembleTasm(text)->code; }

std::string Text(const std::vector<TasmInstruction>& code) {
  TasmProgram program;
  program.code = code;
  std::string text;
  for (std::size_t i = 0; i < code.size(); ++i) {
    if (i != 0) text += ' ';
    text += TasmInstructionText(program, i);
  }
  return text;
}

std::string After(TasmRule rule, std::string_view before) {
  std::vector<TasmInstruction> code = Code(before);
  ApplyTasmRule(rule, code);
  return Text(code);
}

TEST(TasmPeephole, EachRuleDoesItsRewrite) {
  EXPECT_EQ(After(TasmRule::kAddConstant, "push 3 add"), "addi 3");
  EXPECT_EQ(After(TasmRule::kAddConstant, "addi 3 addi -1"), "addi 2");
  EXPECT_EQ(After(TasmRule::kFoldConstants, "push 3 push 4 mul"), "push 12");
  EXPECT_EQ(After(TasmRule::kFoldConstants, "push 0 invert"), "push 0 invert");
  EXPECT_EQ(After(TasmRule::kFoldConstants, "push 4294967296 push 1 lt"),
            "push 4294967296 push 1 lt");
  EXPECT_EQ(After(TasmRule::kCommute, "swap 1 add"), "add");
  EXPECT_EQ(After(TasmRule::kCommute, "swap 1 lt"), "swap 1 lt");
  EXPECT_EQ(After(TasmRule::kStackNop, "pick 0"), "");
  EXPECT_EQ(After(TasmRule::kInverseMoves, "pick 5 place 5"), "");
  EXPECT_EQ(After(TasmRule::kInverseMoves, "pick 5 pick 5"), "pick 5 pick 5");
  EXPECT_EQ(After(TasmRule::kRotation, "swap 1 swap 2 swap 3"), "pick 3");
  EXPECT_EQ(After(TasmRule::kRotation, "swap 3 swap 2 swap 1"), "place 3");
  EXPECT_EQ(After(TasmRule::kPushPop, "dup 7 pop 3"), "pop 2");
  EXPECT_EQ(After(TasmRule::kMergeCounts, "divine 2 divine 3"), "divine 5");
  EXPECT_EQ(After(TasmRule::kAssertCopy, "dup 4 dup 4 dup 4 dup 4 dup 4 assert_vector"), "");
  EXPECT_EQ(After(TasmRule::kSwapDup, "dup 0 swap 1"), "dup 0");
}

// Everything a straight run can do, on concrete words.
struct Outcome {
  std::vector<std::uint64_t> stack;
  Fault fault;
  std::size_t lowest;
  bool operator==(const Outcome&) const = default;
};

Outcome RunOn(const std::vector<TasmInstruction>& code, const std::vector<std::uint64_t>& stack,
              const TirInputs& inputs) {
  ConcreteWorld world(inputs);
  StackMachine<ConcreteWorld> machine(world, stack, 16);
  for (const TasmInstruction& instruction : code) {
    if (!world.failed()) StepTasm(machine, instruction);
  }
  if (world.failed()) return {{}, world.fault(), 0};
  return {machine.stack(), Fault::kNone, machine.lowest()};
}

TEST(TasmPeephole, RandomCodeKeepsItsMeaning) {
  constexpr TasmOp kOps[] = {TasmOp::kPush, TasmOp::kPop,    TasmOp::kDup,   TasmOp::kSwap,
                             TasmOp::kPick, TasmOp::kPlace,  TasmOp::kAdd,   TasmOp::kMul,
                             TasmOp::kAddI, TasmOp::kDivine, TasmOp::kXor,   TasmOp::kLt,
                             TasmOp::kNop,  TasmOp::kEq,     TasmOp::kInvert};
  TirRng rng(5);
  TirInputs inputs;
  for (int i = 0; i < 60; ++i) inputs.secret.push_back(rng.Element());
  std::size_t shorter = 0;
  for (int round = 0; round < 20'000; ++round) {
    std::vector<TasmInstruction> code;
    for (std::uint64_t i = 2 + rng.Below(14); i-- > 0;) {
      const TasmOp op = kOps[rng.Below(std::size(kOps))];
      std::uint64_t arg = 0;
      if (Info(op).arg == TasmArg::kElement) arg = rng.Below(3);
      if (Info(op).arg == TasmArg::kCount) arg = 1 + rng.Below(2);
      if (Info(op).arg == TasmArg::kRegister) arg = rng.Below(4);
      code.push_back({op, arg});
    }
    std::vector<std::uint64_t> stack;
    for (std::uint64_t i = 16 + rng.Below(8); i-- > 0;) stack.push_back(rng.Word());
    std::vector<TasmInstruction> optimized = code;
    OptimizeStraight(optimized);
    ASSERT_LE(optimized.size(), code.size());
    shorter += optimized.size() < code.size() ? 1 : 0;
    ASSERT_EQ(RunOn(code, stack, inputs), RunOn(optimized, stack, inputs)) << Text(code) << "\n"
                                                                           << Text(optimized);
  }
  EXPECT_GT(shorter, 10'000u);
}

TEST(TasmPeephole, TheInstructionAfterSkizStaysOne) {
  const TasmProgram program = *AssembleTasm("skiz push 3 add skiz call f halt f: nop return");
  TasmProgram optimized = OptimizeTasm(program);
  EXPECT_EQ(DisassembleTasm(optimized),
            "    skiz\n    push 3\n    add\n    skiz\n    call f\n    halt\nf:\n    return\n");
}

TEST(TasmPeephole, LongHostileRunsTakeLinearTime) {
  std::vector<TasmInstruction> code;
  for (int i = 0; i < 400'000; ++i) code.push_back({i % 2 == 0 ? TasmOp::kPush : TasmOp::kPop, 1});
  OptimizeStraight(code);
  EXPECT_LT(code.size(), 400u);
}

// What became of the ids when straight code became other straight code.
std::string Ids(std::string_view before, std::string_view after) {
  const TasmProgram program = *AssembleTasm(before);
  const auto runs = StraightRuns(program);
  std::string text;
  for (const TasmErrorId& id : ReplaceRuns(program, runs, {AssembleTasm(after)->code}).error_ids) {
    text += std::to_string(id.index) + ":" + id.id + " ";
  }
  return text;
}

TEST(TasmPeephole, ErrorIdsStayWithTheirAssertion) {
  EXPECT_EQ(
      Ids("dup 4 dup 4 dup 4 dup 4 dup 4 assert_vector error_id 7 read_io 1 assert error_id 9",
          "read_io 1 assert"),
      "1:9 ");
  EXPECT_EQ(Ids("assert error_id 1 assert error_id 2", "swap 1 assert assert"), "1:2 2:1 ");
  EXPECT_EQ(Ids("assert error_id 1 push 1 assert error_id 2", "assert"), "0:1 ");
  EXPECT_EQ(Ids("push 1 assert error_id 1 assert error_id 2", "assert"), "0:2 ");
  EXPECT_EQ(Ids("dup 0 assert assert error_id 2", "dup 0 assert pop 1"), "");
  EXPECT_EQ(Ids("dup 0 assert error_id 1 assert error_id 2", "assert"), "0:1 ");
}

}  // namespace
}  // namespace txvm::triton

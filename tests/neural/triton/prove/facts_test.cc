// The columns of tasm/ops.def and tir/ops.def say what instructions do; these tests watch them do
// it.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "neural/triton/lower/lower.h"
#include "neural/triton/prove/equivalence.h"
#include "neural/triton/tir/step.h"
#include "neural/triton/tir/tasm_step.h"
#include "neural/triton/tir/world.h"

namespace txvm::triton {
namespace {

constexpr std::size_t kWords = 48;  // on the stack: more than any instruction takes

// Operands with which no instruction crashes: ones, so that all are u32, not 0, and equal.
std::vector<std::uint64_t> Ones() { return std::vector<std::uint64_t>(kWords, 1); }

TirInputs Streams() {
  TirInputs inputs;
  inputs.input = {2, 3, 5, 7, 11, 13, 17, 19};
  inputs.secret = inputs.input;
  inputs.digests = {{1, 2, 3, 4, 5}};
  return inputs;
}

// What one step did.
struct Seen {
  std::vector<std::uint64_t> stack;
  bool failed = false, loads = false, stores = false, writes = false, reads = false, hashes = false;
};

template <class Step>
Seen Watch(std::vector<std::uint64_t> stack, const Step& step) {
  const TirInputs inputs = Streams();
  ConcreteWorld world(inputs);
  world.ScatterRam(1);
  world.SpongeInit();
  world.SpongeAbsorb({9, 8, 7, 6, 5, 4, 3, 2, 1, 0});
  const std::uint64_t lane = world.sponge()->Lane(0);
  StackMachine<ConcreteWorld> machine(world, std::move(stack), 0);
  step(machine);
  Seen seen;
  seen.stack = machine.stack();
  seen.failed = world.failed();
  seen.loads = !world.scattered().empty();
  seen.stores = world.ram().size() > world.scattered().size();
  seen.writes = !world.output().empty();
  seen.reads = world.Consumed() != std::array<std::size_t, 3>{};
  seen.hashes = world.sponge()->Lane(0) != lane;
  return seen;
}

Seen WatchTasm(const TasmInstruction& instruction, std::vector<std::uint64_t> stack = Ones()) {
  return Watch(std::move(stack), [&](auto& machine) { StepTasm(machine, instruction); });
}

std::uint64_t ArgumentFor(TasmArg arg) { return arg == TasmArg::kNone ? 0 : 3; }

std::vector<TasmInstruction> StraightRows() {
  std::vector<TasmInstruction> rows;
  for (const TasmOpInfo& info : kTasmOps) {
    if (IsStraight(info.op)) rows.push_back({info.op, ArgumentFor(info.arg)});
  }
  return rows;
}

TEST(TasmFacts, TheStackChangesByItsNet) {
  for (const TasmInstruction& row : StraightRows()) {
    const Seen seen = WatchTasm(row);
    EXPECT_FALSE(seen.failed) << Info(row.op).text;
    EXPECT_EQ(static_cast<std::int64_t>(seen.stack.size()),
              static_cast<std::int64_t>(kWords) + TasmNet(row.op, row.arg))
        << Info(row.op).text;
  }
}

TEST(TasmFacts, RamIsTouchedAsAccessSays) {
  for (const TasmInstruction& row : StraightRows()) {
    const Seen seen = WatchTasm(row);
    const TasmOpInfo& info = Info(row.op);
    EXPECT_EQ(seen.loads, info.access == RamAccess::kLoads) << info.text;
    EXPECT_EQ(seen.stores, info.access == RamAccess::kStores) << info.text;
  }
}

TEST(TasmFacts, EachClassDoesWhatItPromises) {
  for (const TasmInstruction& row : StraightRows()) {
    const Seen seen = WatchTasm(row);
    const TasmOpInfo& info = Info(row.op);
    const bool beside_stack = seen.loads || seen.stores || seen.writes || seen.reads || seen.hashes;
    switch (info.op_class) {
      case TasmClass::kMove:
      case TasmClass::kPure:
      case TasmClass::kAssert:
        EXPECT_FALSE(beside_stack) << info.text;
        break;
      case TasmClass::kStream:
        EXPECT_TRUE(seen.reads != seen.writes && !seen.loads && !seen.stores && !seen.hashes)
            << info.text;
        break;
      case TasmClass::kMemory:
        EXPECT_TRUE(seen.loads != seen.stores && !seen.reads && !seen.writes && !seen.hashes)
            << info.text;
        break;
      case TasmClass::kEvent:
        EXPECT_TRUE(beside_stack) << info.text;
        EXPECT_FALSE(seen.stores || seen.writes) << info.text;
        break;
      case TasmClass::kControl:
        break;
    }
  }
}

TEST(TasmFacts, NoWordBelowItsReadsMatters) {
  for (const TasmInstruction& row : StraightRows()) {
    const Seen before = WatchTasm(row);
    const std::size_t reads = TasmReads(row.op, row.arg);
    for (std::size_t depth = reads; depth < kWords; ++depth) {
      std::vector<std::uint64_t> stack = Ones();
      stack[kWords - 1 - depth] = 77;
      std::vector<std::uint64_t> expected = before.stack;
      expected[kWords - 1 - depth] = 77;
      EXPECT_EQ(WatchTasm(row, stack).stack, expected) << Info(row.op).text << " " << depth;
    }
  }
}

TEST(TasmFacts, CommutesWhereTheTwoTopWordsMayBeExchanged) {
  for (const TasmInstruction& row : StraightRows()) {
    const TasmOpInfo& info = Info(row.op);
    if (info.op_class != TasmClass::kPure) {
      EXPECT_FALSE(info.commutes) << info.text;
      continue;
    }
    EXPECT_EQ(ProveStraight({{TasmOp::kSwap, 1}, row}, {row}), info.commutes) << info.text;
  }
}

TEST(TasmFacts, UndoUndoes) {
  std::size_t undone = 0;
  for (const TasmInstruction& row : StraightRows()) {
    const TasmOpInfo& info = Info(row.op);
    if (!info.undo) continue;
    for (std::uint64_t arg = 0; arg < kTasmRegisters; ++arg) {
      EXPECT_TRUE(ProveStraight({{row.op, arg}, {*info.undo, arg}}, {})) << info.text << " " << arg;
    }
    ++undone;
  }
  EXPECT_EQ(undone, 3u);
}

// An operation of each row that StepTir runs.
std::vector<TirOp> StepRows() {
  std::vector<TirOp> rows;
  for (std::size_t i = 0; i < kTirOps; ++i) {
    const TirInfo& info = Info(static_cast<TirCode>(i));
    if (info.kind != TirKind::kDirect && info.kind != TirKind::kComposed) continue;
    TirOp op;
    op.code = info.code;
    if (info.operand == TirOperand::kEvent) {
      op.name = "event";
      op.count = 2;
    }
    if (info.operand != TirOperand::kNone) op.value = info.operand == TirOperand::kAssert ? 1 : 3;
    rows.push_back(std::move(op));
  }
  return rows;
}

TEST(TirFacts, TheStackAndRamChangeAsTheColumnsSay) {
  for (const TirOp& op : StepRows()) {
    const Seen seen = Watch(Ones(), [&](auto& machine) { StepTir(machine, op); });
    const TirInfo& info = Info(op.code);
    EXPECT_FALSE(seen.failed) << info.text;
    EXPECT_EQ(static_cast<std::int64_t>(seen.stack.size()),
              static_cast<std::int64_t>(kWords) + OwnEffect(op).net)
        << info.text;
    EXPECT_EQ(seen.loads, info.ram == RamAccess::kLoads) << info.text;
    EXPECT_EQ(seen.stores, info.ram == RamAccess::kStores) << info.text;
  }
}

TEST(TirFacts, DirectOperationsLowerToTheirInstruction) {
  for (const TirOp& op : StepRows()) {
    TirModule module;
    module.ops = {op};
    const auto code = LowerTir(module, {.peepholes = false});
    ASSERT_TRUE(code.has_value()) << code.error().ToString();
    const TirInfo& info = Info(op.code);
    if (!info.tasm) continue;
    ASSERT_EQ(code->code.size(), 1u) << info.text;
    EXPECT_EQ(code->code[0].op, *info.tasm) << info.text;
    EXPECT_EQ(info.ram, Info(*info.tasm).access) << info.text;
  }
}

}  // namespace
}  // namespace txvm::triton

#include "neural/triton/random/variable_stack.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <map>
#include <string>

#include "neural/triton/random/programs.h"
#include "neural/triton/tir/interpreter.h"
#include "vm/tensor/goldilocks.h"

namespace txvm::triton {
namespace {

std::string Name(std::uint64_t i) { return fmt::format("v{}", i); }

TirOp Push(std::uint64_t value) {
  TirOp op;
  op.code = TirCode::kPush;
  op.value = value;
  return op;
}

TirOp Simple(TirCode code) {
  TirOp op;
  op.code = code;
  return op;
}

std::vector<std::uint64_t> StackAfter(VariableStack& manager) {
  TirModule module;
  module.ops = manager.TakeCode();
  return RunTir(module, {})->stack;
}

TEST(VariableStack, FortyVariablesKeepTheirValues) {
  for (const Eviction eviction : {Eviction::kLeastRecent, Eviction::kNextUse}) {
    VariableStack manager(eviction);
    std::map<std::string, std::uint64_t> expected;
    for (std::uint64_t i = 0; i < 40; ++i) {
      const std::string name = Name(i);
      manager.Apply(Push(100 + i));
      manager.Bind(name, 1);
      expected[name] = 100 + i;
    }
    TirRng rng(1);
    std::vector<TirOp> ops;
    for (int round = 0; round < 200; ++round) {
      const std::string target = Name(rng.Below(40));
      const std::string source = Name(rng.Below(40));
      manager.Load(target);
      manager.Load(source);
      manager.Apply(Simple(TirCode::kMul));
      manager.Bind(target, 1);
      expected[target] = vm::goldilocks::Mul(expected[target], expected[source]);
    }
    for (std::uint64_t i = 0; i < 40; ++i) {
      manager.Load(Name(i));
      TirOp write = Simple(TirCode::kWriteIo);
      write.value = 1;
      manager.Apply(write);
    }
    EXPECT_GT(manager.spills(), 24u);
    TirModule module;
    module.ops = manager.TakeCode();
    const TirRun run = *RunTir(module, {});
    for (std::uint64_t i = 0; i < 40; ++i) {
      EXPECT_EQ(run.output[i], expected[Name(i)]);
    }
  }
}

TEST(VariableStack, WideVariablesKeepTheirOrder) {
  VariableStack manager(Eviction::kLeastRecent);
  for (std::uint64_t word : {1, 2, 3}) manager.Apply(Push(word));
  manager.Bind("wide", 3);
  for (std::uint64_t i = 0; i < 15; ++i) {
    manager.Apply(Push(i));
    manager.Bind(Name(i), 1);
  }
  manager.Load("wide");
  const auto stack = StackAfter(manager);
  EXPECT_EQ(std::vector<std::uint64_t>(stack.end() - 3, stack.end()),
            (std::vector<std::uint64_t>{1, 2, 3}));
}

TEST(VariableStack, NextUseSpillsLessThanLeastRecentOnACycle) {
  std::size_t spills[2];
  for (const Eviction eviction : {Eviction::kLeastRecent, Eviction::kNextUse}) {
    VariableStack manager(eviction);
    constexpr std::uint64_t kVariables = 18;
    for (std::uint64_t i = 0; i < kVariables; ++i) {
      manager.Apply(Push(i));
      manager.Bind(Name(i), 1);
      manager.SetNextUse(Name(i), i);
    }
    for (std::uint64_t use = 0; use < 5 * kVariables; ++use) {
      const std::string name = Name(use % kVariables);
      manager.Load(name);
      manager.Apply(Push(1));
      manager.Apply(Simple(TirCode::kAdd));
      manager.Bind(name, 1);
      manager.SetNextUse(name, use + kVariables);
    }
    spills[eviction == Eviction::kNextUse] = manager.spills();
  }
  EXPECT_LT(spills[1], spills[0]);
}

TEST(VariableStack, SpillAllLeavesAnEmptyStack) {
  VariableStack manager(Eviction::kLeastRecent);
  manager.Apply(Push(7));
  manager.Bind("a", 1);
  manager.Apply(Push(8));
  manager.Bind("b", 1);
  manager.Forget("a");
  manager.SpillAll();
  EXPECT_EQ(manager.depth(), 0u);
  manager.Load("b");
  EXPECT_EQ(StackAfter(manager), (std::vector<std::uint64_t>{8}));
}

}  // namespace
}  // namespace txvm::triton

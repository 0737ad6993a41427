#include "neural/triton/random/programs.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "neural/triton/random/program_body.h"
#include "neural/triton/random/variable_stack.h"
#include "vm/tensor/goldilocks.h"

namespace txvm::triton {
namespace {

using internal::BodyMaker;
using internal::Kind;
using internal::kRamWords;
using internal::Make;

constexpr std::uint64_t kPrime = vm::goldilocks::kPrime;

// A function over 18 to 40 variables, more than the stack holds, with a branch in the middle.
std::vector<TirOp> VariablesBody(TirRng& rng) {
  VariableStack variables(rng.OneIn(2) ? Eviction::kLeastRecent : Eviction::kNextUse);
  std::vector<TirOp> ops;
  const auto take = [&] {
    for (TirOp& op : variables.TakeCode()) ops.push_back(std::move(op));
  };
  const std::uint64_t count = 18 + rng.Below(23);
  const auto name = [](std::uint64_t i) { return fmt::format("v{}", i); };
  for (std::uint64_t i = 0; i < count; ++i) {
    const std::size_t width = 1 + i % 2;
    for (std::size_t word = 0; word < width; ++word) {
      variables.Apply(Make(TirCode::kPush, rng.Element()));
    }
    variables.Bind(name(i), width);
  }
  const auto assign = [&] {  // v = v + w over their first words
    const std::uint64_t target = rng.Below(count / 2) * 2;
    variables.SetNextUse(name(rng.Below(count)), rng.Below(100));
    variables.Load(name(target));
    variables.Load(name(rng.Below(count / 2) * 2));
    variables.Apply(Make(rng.OneIn(2) ? TirCode::kAdd : TirCode::kMul));
    variables.Bind(name(target), 1);
  };
  for (std::uint64_t i = rng.Below(20); i-- > 0;) assign();
  variables.Load(name(0));
  variables.Apply(Make(TirCode::kSplit));
  variables.Apply(Make(TirCode::kPush, 1));
  variables.Apply(Make(TirCode::kAnd));
  variables.Apply(Make(TirCode::kSwap, 1));
  variables.Apply(Make(TirCode::kPop, 1));
  variables.Bind("low", 1);
  variables.SpillAll();
  variables.Load("low");
  take();
  variables.Taken(1);
  TirOp branch = Make(TirCode::kIfElse);
  for (std::vector<TirOp>* arm : {&branch.body, &branch.other}) {
    for (std::uint64_t i = rng.Below(6); i-- > 0;) assign();
    variables.SpillAll();
    *arm = variables.TakeCode();
  }
  ops.push_back(std::move(branch));
  variables.Load(name(0));
  for (std::uint64_t i = 1; i < count; ++i) {
    variables.Load(name(i));
    for (std::size_t word = 0; word <= i % 2; ++word) variables.Apply(Make(TirCode::kAdd));
    variables.Forget(name(i));
  }
  variables.Bind("sum", 1);
  variables.Forget(name(0));
  variables.Forget("low");
  variables.SpillAll();
  variables.Load("sum");
  take();
  return ops;
}

void AddFunction(TirModule& module, std::string name, std::vector<TirOp> ops) {
  module.ops.push_back(Make(TirCode::kFnStart, 0, std::move(name)));
  for (TirOp& op : ops) module.ops.push_back(std::move(op));
  module.ops.push_back(Make(TirCode::kFnEnd));
}

// Counts down from its argument, at most 7, with some work on the way.
std::vector<TirOp> RecursiveBody(TirRng& rng, std::size_t& next_label) {
  std::vector<TirOp> ops = {Make(TirCode::kSplit),  Make(TirCode::kSwap, 1),
                            Make(TirCode::kPop, 1), Make(TirCode::kPush, 7),
                            Make(TirCode::kAnd),    Make(TirCode::kDup)};
  BodyMaker maker(rng, next_label, {4, 0, {}});
  TirOp arm = Make(TirCode::kIfOnly);
  arm.body = maker.Body(0);
  arm.body.push_back(Make(TirCode::kPush, kPrime - 1));
  arm.body.push_back(Make(TirCode::kAdd));
  arm.body.push_back(Make(TirCode::kCall, 0, "recursive"));
  ops.push_back(std::move(arm));
  return ops;
}

TirInputs RandomInputs(TirRng& rng) {
  TirInputs inputs;
  const std::uint64_t most = rng.OneIn(20) ? 8 : 400;
  for (std::uint64_t i = 0; i < most; ++i) {
    inputs.input.push_back(rng.Element());
    inputs.secret.push_back(rng.Element());
  }
  for (std::uint64_t i = 0; i < most / 8; ++i) {
    inputs.digests.push_back({rng.Element(), rng.Element(), rng.Next() % kPrime, 0, 1});
  }
  for (std::uint64_t i = rng.Below(20); i-- > 0;) inputs.ram[rng.Below(kRamWords)] = rng.Element();
  return inputs;
}

}  // namespace

RandomProgram RandomTir(TirRng& rng) {
  RandomProgram program;
  std::size_t next_label = 0;
  std::vector<std::pair<std::string, std::size_t>> callees;
  program.module.ops.push_back(Make(TirCode::kEntry, 0, "main"));
  if (rng.OneIn(3)) {
    AddFunction(program.module, "variables", VariablesBody(rng));
    callees.emplace_back("variables", 0);
  }
  if (rng.OneIn(3)) {
    AddFunction(program.module, "recursive", RecursiveBody(rng, next_label));
    callees.emplace_back("recursive", 1);
  }
  for (std::uint64_t i = rng.Below(3); i-- > 0;) {
    const std::size_t takes = rng.Below(4);
    BodyMaker maker(rng, next_label, {4 + rng.Below(10), 1, callees});
    maker.stack().assign(takes, Kind::kElement);
    std::vector<TirOp> ops = maker.Body(1);
    if (rng.OneIn(2)) ops.push_back(Make(TirCode::kReturn));
    AddFunction(program.module, fmt::format("f{}", i), std::move(ops));
    callees.emplace_back(fmt::format("f{}", i), takes);
  }
  BodyMaker maker(rng, next_label, {8 + rng.Below(24), 2, callees});
  AddFunction(program.module, "main", maker.Body(rng.Below(3)));
  program.inputs = RandomInputs(rng);
  return program;
}

TirModule RandomFragment(TirRng& rng, std::size_t ops, std::size_t depth) {
  std::size_t next_label = 0;
  BodyMaker maker(rng, next_label, {ops, 0, {}});
  maker.stack().assign(depth, Kind::kWord);
  TirModule module;
  module.ops = maker.Body(depth);
  return module;
}

}  // namespace txvm::triton

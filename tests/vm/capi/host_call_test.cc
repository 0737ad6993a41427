// Host functions that call their caller: txvm_host_call, Caller::Call.
#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <vector>

#include "isa/support/random.h"
#include "tests/vm/capi/api.h"
#include "vm/txvm.hpp"

namespace txvm {
namespace {

/// As the machine adds.
std::int32_t Sum(std::int32_t a, std::int32_t b) {
  return static_cast<std::int32_t>(static_cast<std::uint32_t>(a) + static_cast<std::uint32_t>(b));
}

using testing::Call;
using testing::ExpectHas;
using testing::Find;
using testing::LoadText;
using testing::Message;
using testing::NewEngine;
using testing::NewInstance;
using testing::NewLinker;
using testing::NewOutcome;
using testing::Ok;

// `enter` counts itself in memory, asks the host, and adds one to what that says.
constexpr const char* kText = R"(
.memory 1 1
.import host "env" "host" params=2 results=1
.func enter params=2 results=1 locals=3
  LOCAL.SET 1
  LOCAL.SET 0
  PUSH 0
  PUSH 0
  I32.LOAD 0
  PUSH 1
  ADD
  I32.STORE 0
  PUSH 77
  LOCAL.SET 2
  LOCAL.GET 0
  LOCAL.GET 1
  CALL host
  LOCAL.GET 2
  PUSH 76
  SUB
  ADD
.end
.func divide params=2 results=1
  DIV_U
.end
.func spin
  loop
    br 0
  end
.end
.func add params=2 results=1
  ADD
.end
.export "enter" enter
.export "divide" divide
.export "spin" spin
.export "add" add
)";

/// How a call ended.
struct End {
  txvm_stop stop = TXVM_HALTED;
  txvm_trap trap = TXVM_TRAP_NONE;
  std::int32_t value = 0;  // a result, or an exit code
  friend bool operator==(const End&, const End&) = default;
};

/// What the host does when it is asked about a node.
struct Node {
  enum class Last { kReturn, kTrap, kPassTrap, kExit, kFail, kInterrupt, kSpin };
  std::vector<int> children;  // called one after the other
  bool handles = false;       // a trap of a child counts as 1,000; else it is passed on
  Last last = Last::kReturn;
};

/// A tree of nestings, the runs of which a model foretells.
class Nestings {
 public:
  explicit Nestings(const char* engine)
      : engine_(NewEngine(engine)),
        program_(LoadText(engine_.get(), kText)),
        linker_(NewLinker(engine_.get())) {
    Ok(txvm_linker_define(linker_.get(), "env", "host", "ii:i", Host, this, nullptr));
    instance_ = NewInstance(program_.get(), linker_.get());
    enter_ = Find(program_.get(), "enter");
    divide_ = Find(program_.get(), "divide");
    spin_ = Find(program_.get(), "spin");
  }

  void Grow(isa::Random& random, bool may_end) {
    nodes_.assign(1, {});
    for (int i = 0; i < static_cast<int>(nodes_.size()); ++i) {
      const std::uint64_t children = nodes_.size() < 40 ? random.Below(4) : 0;
      for (std::uint64_t child = 0; child < children; ++child) {
        nodes_[static_cast<std::size_t>(i)].children.push_back(static_cast<int>(nodes_.size()));
        nodes_.emplace_back();
      }
      Node& node = nodes_[static_cast<std::size_t>(i)];
      node.handles = random.Below(2) == 0;
      const std::uint64_t kind = random.Below(may_end ? 40 : 12);
      node.last = kind >= 7 ? Node::Last::kReturn : static_cast<Node::Last>(kind);
      const bool ends = node.last >= Node::Last::kExit;
      if (ends && (!may_end || random.Below(2) == 0)) node.last = Node::Last::kReturn;
    }
  }

  /// What `enter` of a node does, by the model.
  End Foretell(int index, std::int32_t value) {
    ++entered_;
    const Node& node = nodes_[static_cast<std::size_t>(index)];
    for (const int child : node.children) {
      const End end = Foretell(child, Sum(value, 1));
      if (end.stop == TXVM_HALTED) {
        value = Sum(value, end.value);
      } else if (end.stop == TXVM_TRAPPED && node.handles) {
        value = Sum(value, 1'000);
      } else {
        return end;
      }
    }
    switch (node.last) {
      case Node::Last::kReturn:
        return {TXVM_HALTED, TXVM_TRAP_NONE, Sum(value, 1)};
      case Node::Last::kTrap:
        return {TXVM_TRAPPED, TXVM_TRAP_HOST, 0};
      case Node::Last::kPassTrap:
        return {TXVM_TRAPPED, TXVM_TRAP_DIVIDE_BY_ZERO, 0};
      case Node::Last::kExit:
        return {TXVM_EXITED, TXVM_TRAP_NONE, index};
      case Node::Last::kFail:
        return {TXVM_HOST_FAILED, TXVM_TRAP_NONE, 0};
      case Node::Last::kInterrupt:
        return {TXVM_INTERRUPTED, TXVM_TRAP_NONE, 0};
      case Node::Last::kSpin:
        return {TXVM_OUT_OF_FUEL, TXVM_TRAP_NONE, 0};
    }
    return {};
  }
  std::uint32_t TakeEntered() { return std::exchange(entered_, 0); }

  txvm_outcome Run(std::uint64_t fuel, std::int32_t* result) {
    Ok(txvm_fuel_set(instance_.get(), fuel));
    const std::uint32_t zero = 0;
    Ok(txvm_memory_write(instance_.get(), 0, &zero, sizeof zero));
    const std::int32_t args[] = {0, 5};
    txvm_outcome outcome = NewOutcome();
    Ok(txvm_call(instance_.get(), enter_, args, 2, result, 1, &outcome));
    return outcome;
  }
  std::uint32_t Entered() const {
    std::uint32_t count = 0;
    Ok(txvm_memory_read(instance_.get(), 0, &count, sizeof count));
    return count;
  }
  txvm_instance* get() { return instance_.get(); }
  std::vector<Node>& nodes() { return nodes_; }

 private:
  static txvm_host_status Host(void* user, txvm_instance* caller, const std::int32_t* args,
                               std::int32_t* results) {
    return static_cast<Nestings*>(user)->Answer(caller, args[0], args[1], results);
  }

  txvm_host_status Answer(txvm_instance* caller, std::int32_t index, std::int32_t value,
                          std::int32_t* results) {
    // A copy: the nodes do not move, but a mistake of the machine may ask about any.
    const Node node = nodes_.at(static_cast<std::size_t>(index));
    for (const int child : node.children) {
      const std::int32_t given[] = {child, Sum(value, 1)};
      std::int32_t answer = 0;
      const txvm_outcome outcome = CallIn(caller, enter_, given, &answer);
      if (outcome.stop == TXVM_HALTED) {
        value = Sum(value, answer);
      } else if (outcome.stop == TXVM_TRAPPED && node.handles) {
        value = Sum(value, 1'000);
      } else {
        return txvm_host_pass(caller);
      }
    }
    results[0] = value;
    const std::int32_t by_zero[] = {1, 0};
    std::int32_t ignored = 0;
    switch (node.last) {
      case Node::Last::kReturn:
        return TXVM_HOST_CONTINUE;
      case Node::Last::kTrap:
        return txvm_host_trap(caller, "by the host");
      case Node::Last::kPassTrap:
        CallIn(caller, divide_, by_zero, &ignored);
        return txvm_host_pass(caller);
      case Node::Last::kExit:
        return txvm_host_exit(caller, index);
      case Node::Last::kFail:
        return txvm_host_fail(caller, "on purpose");
      case Node::Last::kInterrupt:
        txvm_interrupt(caller, TXVM_INTERRUPT_TIMEOUT);
        [[fallthrough]];
      case Node::Last::kSpin: {
        txvm_outcome outcome = NewOutcome();
        Ok(txvm_host_call(caller, spin_, nullptr, 0, nullptr, 0, &outcome));
        return TXVM_HOST_CONTINUE;  // which does not count
      }
    }
    return TXVM_HOST_FAIL;
  }

  static txvm_outcome CallIn(txvm_instance* caller, std::uint32_t function,
                             const std::int32_t (&args)[2], std::int32_t* result) {
    txvm_outcome outcome = NewOutcome();
    Ok(txvm_host_call(caller, function, args, 2, result, 1, &outcome));
    return outcome;
  }

  testing::EnginePtr engine_;
  testing::ProgramPtr program_;
  testing::LinkerPtr linker_;
  testing::InstancePtr instance_;
  std::uint32_t enter_ = 0, divide_ = 0, spin_ = 0, entered_ = 0;
  std::vector<Node> nodes_;
};

class HostCalls : public ::testing::TestWithParam<const char*> {};

TEST_P(HostCalls, RandomNestingsEndAsAModelSays) {
  isa::Random random(20261128);
  Nestings nestings(GetParam());
  for (int round = 0; round < 10'000; ++round) {
    nestings.Grow(random, true);
    const End expected = nestings.Foretell(0, 5);
    const std::uint32_t entered = nestings.TakeEntered();
    std::int32_t result = 0;
    const txvm_outcome outcome = nestings.Run(50'000, &result);
    End end{outcome.stop, outcome.trap, 0};
    if (outcome.stop == TXVM_HALTED) end.value = result;
    if (outcome.stop == TXVM_EXITED) end.value = outcome.exit_code;
    ASSERT_EQ(end, expected) << round << ": " << txvm_message(nestings.get());
    ASSERT_EQ(nestings.Entered(), entered) << round;
    ASSERT_FALSE(txvm_resumable(nestings.get()));
    ASSERT_LE(outcome.steps, 50'000u);
  }
}

TEST_P(HostCalls, FuelIsOneForAll) {
  isa::Random random(7);
  Nestings nestings(GetParam());
  int cuts = 0;
  for (int round = 0; round < 300; ++round) {
    nestings.Grow(random, false);
    std::int32_t whole = 0;
    const txvm_outcome uncut = nestings.Run(TXVM_UNLIMITED_FUEL, &whole);
    const std::uint32_t entered = nestings.Entered();
    std::int32_t result = 0;
    const txvm_outcome exact = nestings.Run(uncut.steps, &result);
    ASSERT_EQ(exact.stop, uncut.stop);
    ASSERT_EQ(exact.steps, uncut.steps);
    ASSERT_EQ(result, whole);
    ASSERT_EQ(txvm_fuel_get(nestings.get()), 0u);
    const std::uint64_t cut = random.Below(uncut.steps);
    const txvm_outcome less = nestings.Run(cut, &result);
    ASSERT_EQ(less.stop, TXVM_OUT_OF_FUEL) << cut << " of " << uncut.steps;
    ASSERT_LE(less.steps, cut);
    ASSERT_LE(nestings.Entered(), entered);
    ++cuts;
  }
  EXPECT_EQ(cuts, 300);
}

TEST_P(HostCalls, RecursionEndsAtALimit) {
  Nestings nestings(GetParam());
  nestings.nodes().assign(1, {});
  nestings.nodes()[0].children = {0};
  std::int32_t result = 0;
  const txvm_outcome outcome = nestings.Run(TXVM_UNLIMITED_FUEL, &result);
  EXPECT_EQ(outcome.stop, TXVM_TRAPPED);
  EXPECT_EQ(outcome.trap, TXVM_TRAP_EXHAUSTED);
  EXPECT_EQ(nestings.Entered(), 201u);
  ExpectHas(txvm_message(nestings.get()), "calls of host functions");
}
INSTANTIATE_TEST_SUITE_P(Engines, HostCalls, ::testing::Values("attention", "native", "folded"),
                         testing::EngineTestName);

TEST(HostCall, EnginesAgreeOnStepsAndDigest) {
  std::optional<txvm_outcome> first;
  for (const char* engine : {"native", "attention", "folded"}) {
    Nestings nestings(engine);
    isa::Random random(3);
    nestings.Grow(random, false);
    txvm_watch watch{};
    watch.size = sizeof(watch);
    watch.digest = true;
    Ok(txvm_watch_set(nestings.get(), &watch));
    std::int32_t result = 0;
    const txvm_outcome outcome = nestings.Run(TXVM_UNLIMITED_FUEL, &result);
    if (!first) first = outcome;
    EXPECT_EQ(outcome.steps, first->steps) << engine;
    EXPECT_EQ(outcome.digest, first->digest) << engine;
    EXPECT_NE(outcome.digest, 0u);
  }
}

// Debuggers step over a host call, whatever it calls.
TEST(HostCall, StepsDoNotCutIt) {
  for (const char* engine : {"native", "attention"}) {
    Nestings nestings(engine);
    isa::Random random(3);
    nestings.Grow(random, false);
    nestings.nodes()[0].handles = true;
    nestings.nodes()[0].last = Node::Last::kReturn;
    std::int32_t whole = 0;
    const txvm_outcome uncut = nestings.Run(TXVM_UNLIMITED_FUEL, &whole);
    ASSERT_EQ(uncut.stop, TXVM_HALTED);
    const std::int32_t args[] = {0, 5};
    Ok(txvm_fuel_set(nestings.get(), uncut.steps));
    Ok(txvm_begin(nestings.get(), Find(txvm_instance_program(nestings.get()), "enter"), args, 2));
    txvm_outcome outcome = NewOutcome();
    std::int32_t result = 0;
    do {
      Ok(txvm_step(nestings.get(), 1, &result, 1, &outcome));
    } while (outcome.stop == TXVM_INTERRUPTED && outcome.interrupt == TXVM_INTERRUPT_STEP);
    EXPECT_EQ(outcome.stop, TXVM_HALTED) << txvm_message(nestings.get());
    EXPECT_EQ(outcome.steps, uncut.steps);
    EXPECT_EQ(result, whole);
    EXPECT_EQ(txvm_fuel_get(nestings.get()), 0u);
  }
}

TEST(HostCall, OtherEnginesRefuse) {
  for (const char* engine : {"hull", "transformer"}) {
    Nestings nestings(engine);
    nestings.nodes().assign(2, {});
    nestings.nodes()[0].children = {1};
    std::int32_t result = 0;
    EXPECT_EQ(nestings.Run(1'000, &result).stop, TXVM_HOST_FAILED);
    ExpectHas(txvm_message(nestings.get()), "takes no calls of host functions");
  }
}

TEST(HostCall, ABacktraceGoesThroughIt) {
  const Engine engine("native");
  Linker linker(engine);
  std::string names;
  linker.Define("env", "host", [&](Caller caller, int node, int) {
    if (node > 0) return caller.Call<int>("enter", node - 1, 0);
    std::vector<txvm_frame> frames(txvm_backtrace(caller.get(), nullptr, 0));
    txvm_backtrace(caller.get(), frames.data(), frames.size());
    for (const txvm_frame& frame : frames) names += std::string(frame.function) + " ";
    return 0;
  });
  Instance instance(Program::FromBytes(engine, kText), linker);
  EXPECT_EQ(instance.Invoke("enter", 2, 0), 3);
  std::size_t count = 0;
  for (std::size_t at = names.find("enter"); at != names.npos; at = names.find("enter", at + 1)) {
    ++count;
  }
  EXPECT_EQ(count, 3u) << names;
}

TEST(HostCall, TheWrapperHandlesTrapsOrPassesThemOn) {
  const Engine engine("native");
  Linker linker(engine);
  std::string seen;
  linker.Define("env", "host", [&](Caller caller, int handles, int divisor) {
    if (handles == 0) return caller.Call<int>("divide", 6, divisor);
    try {
      return caller.Call<int>("divide", 6, divisor);
    } catch (const CallerStopped& stopped) {
      seen = stopped.what();
      return -1;
    }
  });
  Instance instance(Program::FromBytes(engine, kText, "rules.txa"), linker);
  EXPECT_EQ(instance.Invoke("enter", 0, 2), 4);
  EXPECT_EQ(instance.Invoke("enter", 1, 0), 0);
  ExpectHas(seen, "trapped: integer divide by zero in 'divide' at rules.txa:");
  try {
    instance.Invoke("enter", 0, 0);
    FAIL();
  } catch (const Stopped& stopped) {
    EXPECT_EQ(stopped.outcome.trap, TXVM_TRAP_DIVIDE_BY_ZERO);
    ExpectHas(stopped.what(), "passed on by env.host in 'divide' at rules.txa:");
    ExpectHas(stopped.what(), "in 'enter' at rules.txa:");
  }
}

TEST(HostCall, WhatIsNoHostCallIsRefused) {
  const auto engine = NewEngine("native");
  const auto linker = NewLinker(engine.get());
  std::string messages[3];
  const auto ask = [](void* user, txvm_instance* caller, const std::int32_t*, std::int32_t*) {
    auto* said = static_cast<std::string*>(user);
    txvm_outcome outcome = NewOutcome();
    const std::int32_t args[] = {1, 2};
    std::int32_t result = 0;
    said[0] = Message(txvm_call(caller, 3, args, 2, &result, 1, &outcome));
    said[1] = Message(txvm_host_call(caller, 3, args, 1, &result, 1, &outcome));
    txvm_value wrong[2] = {};
    wrong[1].type = TXVM_F64;
    txvm_value typed{};
    said[2] = Message(txvm_host_call_values(caller, 3, wrong, 2, &typed, 1, &outcome));
    return txvm_host_pass(caller);
  };
  Ok(txvm_linker_define(linker.get(), "env", "host", "ii:i", ask, messages, nullptr));
  const auto program = LoadText(engine.get(), kText);
  const auto instance = NewInstance(program.get(), linker.get());
  std::vector<std::int32_t> results(1);
  EXPECT_EQ(Call(instance.get(), "enter", {0, 0}, &results).stop, TXVM_HOST_FAILED);
  ExpectHas(txvm_message(instance.get()), "no call inside the host function has trapped");
  ExpectHas(messages[0], "a host function cannot call it");
  ExpectHas(messages[1], "takes 2 arguments, but 1 was given");
  ExpectHas(messages[2], "argument 2 is f64, expected i32");
  txvm_outcome outcome = NewOutcome();
  ExpectHas(Message(txvm_host_call(instance.get(), 0, nullptr, 0, nullptr, 0, &outcome)),
            "no host function of the instance is running");
}

}  // namespace
}  // namespace txvm

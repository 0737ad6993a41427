// Living instances that others call: txvm_linker_define_instance.
#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <thread>
#include <vector>

#include "tests/vm/capi/api.h"
#include "vm/txvm.hpp"

namespace txvm {
namespace {

using testing::Call;
using testing::ExpectHas;
using testing::LoadText;
using testing::Message;
using testing::NewEngine;
using testing::NewInstance;
using testing::NewLinker;
using testing::NewOutcome;
using testing::Ok;

constexpr const char* kStore = R"((module
  (import "env" "host" (func $host (param i32) (result i32)))
  (memory (export "memory") 1)
  (global $count (mut i32) (i32.const 5))
  (func (export "next") (result i32)
    (global.set $count (i32.add (global.get $count) (i32.const 1))) (global.get $count))
  (func (export "put") (param i32 i32) (i32.store (local.get 0) (local.get 1)))
  (func (export "at") (param i32) (result i32) (i32.load (local.get 0)))
  (func (export "mix") (param i64 f64) (result f64)
    (f64.mul (f64.convert_i64_s (local.get 0)) (local.get 1)))
  (func (export "divide") (param i32 i32) (result i32) (i32.div_u (local.get 0) (local.get 1)))
  (func (export "ask") (param i32) (result i32) (call $host (local.get 0)))
  (func (export "spin") (loop (br 0)))))";

constexpr const char* kUser = R"((module
  (import "store" "next" (func $next (result i32)))
  (import "store" "put" (func $put (param i32 i32)))
  (import "store" "mix" (func $mix (param i64 f64) (result f64)))
  (import "store" "divide" (func $divide (param i32 i32) (result i32)))
  (import "store" "ask" (func $ask (param i32) (result i32)))
  (import "store" "spin" (func $spin))
  (memory 1)
  (func (export "twice") (result i32) (drop (call $next)) (call $next))
  (func (export "put") (param i32 i32) (call $put (local.get 0) (local.get 1)))
  (func (export "at") (param i32) (result i32) (i32.load (local.get 0)))
  (func (export "mix") (param i64 f64) (result f64) (call $mix (local.get 0) (local.get 1)))
  (func (export "divide") (param i32 i32) (result i32)
    (call $divide (local.get 0) (local.get 1)))
  (func (export "ask") (param i32) (result i32) (call $ask (local.get 0)))
  (func (export "spin") (call $spin))))";

/// A store, and a user of it.
class Pair {
 public:
  explicit Pair(const char* name)
      : engine(name),
        store(MakeStore()),
        user(Program::FromBytes(engine, kUser, "user.wat"), MakeLinker()) {}

  Engine engine;
  std::function<int(Caller, int)> host = [](Caller, int value) { return value; };
  Instance store, user;

 private:
  Instance MakeStore() {
    Linker linker(engine);
    linker.Define("env", "host", [this](Caller caller, int value) { return host(caller, value); });
    return Instance(Program::FromBytes(engine, kStore, "store.wat"), linker);
  }
  Linker MakeLinker() {
    Linker linker(engine);
    linker.DefineInstance("store", store);
    return linker;
  }
};

class LiveInstances : public testing::OnEachEngine {};

TEST_P(LiveInstances, KeepTheirStateBetweenCallsOfAny) {
  Pair pair(GetParam());
  EXPECT_EQ(pair.user.Invoke("twice"), 7);
  EXPECT_EQ(pair.store.Invoke("next"), 8);
  EXPECT_EQ(pair.user.Invoke("twice"), 10);
  Linker linker(pair.engine);
  linker.DefineInstance("store", pair.store);
  Instance other(Program::FromBytes(pair.engine, kUser, "user.wat"), linker);
  EXPECT_EQ(other.Invoke("twice"), 12);
}

TEST_P(LiveInstances, HaveMemoriesOfTheirOwnAndTypedFunctions) {
  Pair pair(GetParam());
  pair.user.Invoke("put", 8, 99);
  EXPECT_EQ(pair.store.Invoke("at", 8), 99);
  EXPECT_EQ(pair.user.Invoke("at", 8), 0);
  EXPECT_EQ(pair.user.Call<double>("mix", std::int64_t{1} << 40, 0.5), 549755813888.0);
}

TEST_P(LiveInstances, PassTrapsAndExitsThrough) {
  Pair pair(GetParam());
  try {
    pair.user.Invoke("divide", 1, 0);
    FAIL();
  } catch (const Stopped& stopped) {
    EXPECT_EQ(stopped.outcome.trap, TXVM_TRAP_DIVIDE_BY_ZERO);
    ExpectHas(stopped.what(), "integer divide by zero: in a call of store.divide in '");
    ExpectHas(stopped.what(), "at store.wat:");
    ExpectHas(stopped.what(), "at user.wat:");
  }
  ExpectHas(pair.store.Message(), "trapped: integer divide by zero");
  EXPECT_GE(pair.store.Backtrace().size(), 2u);
  pair.host = [](Caller, int value) -> int { throw Exit{value}; };
  try {
    pair.user.Invoke("ask", 17);
    FAIL();
  } catch (const Stopped& stopped) {
    EXPECT_EQ(stopped.outcome.stop, TXVM_EXITED);
    EXPECT_EQ(stopped.outcome.exit_code, 17);
  }
}

TEST_P(LiveInstances, TakeFromTheFuelOfTheirCaller) {
  Pair pair(GetParam());
  pair.store.SetFuel(3);  // not asked
  const std::uint32_t twice = 0;
  std::int32_t result = 0;
  const txvm_outcome whole = pair.user.Call(twice, nullptr, 0, &result, 1);
  EXPECT_EQ(whole.stop, TXVM_HALTED);
  EXPECT_GT(whole.steps, 12u);
  for (std::uint64_t fuel = 0; fuel < whole.steps; ++fuel) {
    pair.user.SetFuel(fuel);
    const txvm_outcome cut = pair.user.Call(twice, nullptr, 0, &result, 1);
    ASSERT_EQ(cut.stop, TXVM_OUT_OF_FUEL) << fuel;
    ASSERT_LE(cut.steps, fuel);
    ASSERT_EQ(pair.user.Fuel(), fuel - cut.steps);
  }
  pair.user.SetFuel(whole.steps);
  EXPECT_EQ(pair.user.Call(twice, nullptr, 0, &result, 1).steps, whole.steps);
  EXPECT_EQ(pair.user.Fuel(), 0u);
  EXPECT_EQ(pair.store.Fuel(), 3u);
}

TEST_P(LiveInstances, StopWhenTheirCallerIsInterrupted) {
  Pair pair(GetParam());
  std::thread watchdog([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    pair.user.Interrupt();
  });
  txvm_outcome outcome{};
  try {
    pair.user.Invoke("spin");
  } catch (const Stopped& stopped) {
    outcome = stopped.outcome;
  }
  watchdog.join();
  EXPECT_EQ(outcome.stop, TXVM_INTERRUPTED);
  EXPECT_EQ(outcome.interrupt, TXVM_INTERRUPT_TIMEOUT);
  EXPECT_FALSE(txvm_resumable(pair.user.get()));
  EXPECT_EQ(pair.user.Invoke("twice"), 7);
}

constexpr const char* kManager = R"((module
  (import "user" "spin" (func $spin))
  (import "user" "twice" (func $twice (result i32)))
  (func (export "spin") (call $spin))
  (func (export "busy") (param i32) (result i32) (local i32)
    (loop
      (local.set 1 (call $twice))
      (br_if 0 (local.tee 0 (i32.sub (local.get 0) (i32.const 1)))))
    (local.get 1))))";

// More steps than a slice has, and an interrupt of the outermost.
TEST_P(LiveInstances, MayCallOthersThemselves) {
  Pair pair(GetParam());
  Linker linker(pair.engine);
  linker.DefineInstance("user", pair.user);
  Instance manager(Program::FromBytes(pair.engine, kManager, "manager.wat"), linker);
  Linker outer_linker(pair.engine);
  outer_linker.DefineInstance("user", manager);
  const char* outer_text =
      "(module (import \"user\" \"busy\" (func $busy (param i32) (result i32))) (import \"user\" "
      "\"spin\" (func $spin)) (func (export \"busy\") (param i32) (result i32) (call $busy "
      "(local.get 0))) (func (export \"spin\") (call $spin)))";
  Instance outer(Program::FromBytes(pair.engine, outer_text, "outer.wat"), outer_linker);
  constexpr int kRounds = 100'000;
  EXPECT_EQ(outer.Invoke("busy", kRounds), 5 + 2 * kRounds);
  std::thread watchdog([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    outer.Interrupt();
  });
  EXPECT_THROW(outer.Invoke("spin"), Stopped);
  watchdog.join();
  EXPECT_EQ(outer.Invoke("busy", 1), 7 + 2 * kRounds);
}

TEST_P(LiveInstances, MayBeCalledBackByWhatTheirHostRuns) {
  Pair pair(GetParam());
  int depth = 0;
  pair.host = [&](Caller, int value) {
    return ++depth == 3 ? value : pair.user.Invoke("divide", 100, value) + depth;
  };
  // store.ask -> host -> user.divide -> store.divide, inside the run of the store.
  EXPECT_EQ(pair.store.Invoke("ask", 5), 21);
  pair.host = [&](Caller, int value) { return pair.user.Invoke("divide", 1, value - 5); };
  EXPECT_THROW(pair.store.Invoke("ask", 5), Stopped);
  EXPECT_EQ(pair.store.Invoke("next"), 6);
}
TXVM_ON_EACH_ENGINE(LiveInstances);

TEST(LiveInstance, LivesAsLongAsItIsCalled) {
  const auto engine = NewEngine("native");
  int finalized = 0;
  testing::InstancePtr user;
  {
    const auto linker = NewLinker(engine.get());
    const auto echo = [](void*, txvm_instance*, const std::int32_t* args, std::int32_t* results) {
      results[0] = args[0];
      return TXVM_HOST_CONTINUE;
    };
    Ok(txvm_linker_define(linker.get(), "env", "host", "i:i", echo, &finalized,
                          [](void* count) { ++*static_cast<int*>(count); }));
    const auto store_program = LoadText(engine.get(), kStore, "store.wat");
    const auto store = NewInstance(store_program.get(), linker.get());
    const auto of_user = NewLinker(engine.get());
    Ok(txvm_linker_define_instance(of_user.get(), "store", store.get()));
    user = NewInstance(LoadText(engine.get(), kUser, "user.wat").get(), of_user.get());
  }
  std::vector<std::int32_t> results(1);
  EXPECT_EQ(Call(user.get(), "ask", {33}, &results).stop, TXVM_HALTED);
  EXPECT_EQ(results[0], 33);
  txvm_instance* clone = nullptr;
  Ok(txvm_instance_clone(user.get(), &clone));
  Call(user.get(), "twice", {}, &results);
  Call(clone, "twice", {}, &results);
  EXPECT_EQ(results[0], 9);  // of the one store
  user.reset();
  EXPECT_EQ(finalized, 0);
  txvm_instance_delete(clone);
  EXPECT_EQ(finalized, 1);
}

TEST(LiveInstance, IsRefusedWhereItCannotBeCalled) {
  const auto engine = NewEngine("native");
  const auto linker = NewLinker(engine.get());
  const auto lazy =
      LoadText(engine.get(), "(module (func $s) (start $s) (func (export \"f\")))", "lazy.wat");
  const auto callee = NewInstance(lazy.get());
  Ok(txvm_linker_define_instance(linker.get(), "lazy", callee.get()));
  const auto program = LoadText(engine.get(),
                                "(module (import \"lazy\" \"f\" (func $f)) (func (export \"g\") "
                                "(call $f)))",
                                "g.wat");
  const auto instance = NewInstance(program.get(), linker.get());
  std::vector<std::int32_t> results;
  EXPECT_EQ(Call(instance.get(), "g", {}, &results).trap, TXVM_TRAP_HOST);
  ExpectHas(txvm_message(instance.get()), "lazy.f waits for its start function");
  txvm_outcome outcome = NewOutcome();
  Ok(txvm_start(callee.get(), &outcome));
  EXPECT_EQ(Call(instance.get(), "g", {}, &results).stop, TXVM_HALTED);

  const auto other =
      LoadText(engine.get(), "(module (import \"lazy\" \"f\" (func (param i64))))", "other.wat");
  txvm_instance* refused = nullptr;
  ExpectHas(Message(txvm_instance_new(other.get(), linker.get(), nullptr, &refused)), "lazy.f");
  EXPECT_EQ(Message(txvm_linker_define_instance(linker.get(), "lazy", nullptr)),
            "instance is NULL");
}

}  // namespace
}  // namespace txvm

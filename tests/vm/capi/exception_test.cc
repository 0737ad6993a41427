// Exceptions at the border: what comes out of a program, what host functions throw and catch.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/vm/capi/api.h"
#include "vm/txvm.hpp"

namespace txvm {
namespace {

using testing::ExpectHas;
using testing::Find;
using testing::LoadText;
using testing::Message;
using testing::NewEngine;
using testing::NewInstance;
using testing::NewLinker;
using testing::Ok;

// `catch` gives what the host throws as $word, -1 for $pair, or what the host returns.
constexpr const char* kText = R"((module
  (import "env" "host" (func $host (param i32) (result i32)))
  (tag $word (export "word") (param i32))
  (tag $pair (export "pair") (param i64 f64))
  (func (export "catch") (param i32) (result i32)
    (block $none (result i64 f64)
      (block $w (result i32)
        (try_table (catch $word $w) (catch $pair $none)
          (return (call $host (local.get 0))))
        (unreachable))
      (return))
    (drop) (drop) (i32.const -1))
  (func (export "pass") (param i32) (result i32) (call $host (local.get 0)))
  (func (export "throw") (param i32)
    (if (local.get 0) (then (throw $word (local.get 0))))
    (throw $pair (i64.const -5) (f64.const 0.25)))))";

class Exceptions : public testing::OnEachEngine {};
TXVM_ON_EACH_ENGINE(Exceptions);

TEST_P(Exceptions, OneThatComesOutHasATagAndValues) {
  const auto engine = NewEngine(GetParam());
  const auto program = LoadText(engine.get(), kText, "e.wat");
  ASSERT_EQ(txvm_tag_count(program.get()), 2u);
  EXPECT_STREQ(txvm_tag_name(program.get(), 1), "pair");
  EXPECT_STREQ(txvm_tag_signature(program.get(), 1), "ld");
  EXPECT_EQ(txvm_tag_name(program.get(), 2), nullptr);
  std::uint32_t tag = 0;
  Ok(txvm_tag_find(program.get(), "pair", &tag));
  EXPECT_EQ(tag, 1u);
  ExpectHas(Message(txvm_tag_find(program.get(), "none", &tag)), "no tag 'none'");
  const auto linker = NewLinker(engine.get());
  Ok(txvm_linker_define(
      linker.get(), "env", "host", "i:i",
      [](void*, txvm_instance*, const std::int32_t*, std::int32_t*) { return TXVM_HOST_CONTINUE; },
      nullptr, nullptr));
  const auto instance = NewInstance(program.get(), linker.get());
  txvm_value values[2];
  std::size_t count = 0;
  ExpectHas(Message(txvm_exception_get(instance.get(), &tag, values, 2, &count)),
            "no exception came out");
  std::vector<std::int32_t> results;
  EXPECT_EQ(testing::Call(instance.get(), "throw", {0}, &results).trap,
            TXVM_TRAP_UNCAUGHT_EXCEPTION);
  EXPECT_EQ(
      std::string(txvm_message(instance.get())).find("trapped: uncaught exception: pair(-5, 0.25)"),
      0u);
  Ok(txvm_exception_get(instance.get(), &tag, values, 2, &count));
  EXPECT_EQ(tag, 1u);
  ASSERT_EQ(count, 2u);
  EXPECT_EQ(values[0].of.i64, -5);
  EXPECT_EQ(values[1].of.f64, 0.25);
}

TEST_P(Exceptions, AHostFunctionThrowsAndCatches) {
  const Engine engine(GetParam());
  Linker linker(engine);
  linker.Define("env", "host", [](Caller caller, int what) -> int {
    if (what == 1) throw Thrown("word", {ToValue(41)});
    if (what == 2) throw Thrown("pair", {ToValue(std::int64_t{1}), ToValue(2.0)});
    if (what == 3) throw Thrown("none", {});
    if (what == 4) throw Thrown("word", {});
    if (what >= 10 && what < 20) caller.Call<void>("throw", what);  // lets it through
    if (what >= 20) {
      try {
        caller.Call<void>("throw", what);
      } catch (const CallerStopped& stopped) {
        EXPECT_EQ(stopped.outcome.trap, TXVM_TRAP_UNCAUGHT_EXCEPTION);
        const Thrown thrown = caller.Exception();
        EXPECT_EQ(thrown.tag, "word");
        return thrown.values.at(0).of.i32 * 2;
      }
    }
    return what;
  });
  Instance instance(Program::FromBytes(engine, kText, "e.wat"), linker);
  EXPECT_EQ(instance.Call<int>("catch", 0), 0);
  EXPECT_EQ(instance.Call<int>("catch", 1), 41);
  EXPECT_EQ(instance.Call<int>("catch", 2), -1);
  EXPECT_EQ(instance.Call<int>("catch", 10), 10);
  EXPECT_EQ(instance.Call<int>("catch", 20), 40);
  EXPECT_EQ(instance.Call<int>("pass", 21), 42);
  for (const int what : {3, 4}) {
    try {
      instance.Call<int>("catch", what);
      ADD_FAILURE();
    } catch (const Stopped& stopped) {
      EXPECT_EQ(stopped.outcome.stop, TXVM_HOST_FAILED) << stopped.what();
    }
  }
  try {
    instance.Call<int>("pass", 1);
    ADD_FAILURE();
  } catch (const Stopped& stopped) {
    EXPECT_EQ(stopped.outcome.trap, TXVM_TRAP_UNCAUGHT_EXCEPTION);
    EXPECT_EQ(instance.Exception().values.at(0).of.i32, 41);
  }
  EXPECT_EQ(instance.Call<int>("catch", 5), 5);
}

}  // namespace
}  // namespace txvm

// The imports of Emscripten's setjmp and longjmp get bodies: frontends/wasm/jumps.h.
#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "tests/frontends/wat/run_wat.h"

namespace txvm::frontends::wat {
namespace {

// `try(n)` invokes `work(n)` and gives its result, or 1000 + what was thrown.
constexpr std::string_view kThrower = R"((module
  (import "env" "add3" (func $add3 (param i32 i32 i32) (result i32)))
  (import "env" "invoke_ii" (func $invoke (param i32 i32) (result i32)))
  (import "env" "_emscripten_throw_longjmp" (func $throw))
  (global $stack (mut i32) (i32.const 5000))
  (global $thrown (mut i32) (i32.const 0))
  (table 3 funcref)
  (elem (i32.const 1) $work $try)
  (func $enter (param $n i32) (result i32)
    (global.set $stack (i32.sub (global.get $stack) (i32.const 16)))
    (if (i32.eq (local.get $n) (i32.const 7))
      (then (global.set $thrown (i32.const 7)) (call $throw)))
    (global.set $stack (i32.add (global.get $stack) (i32.const 16)))
    (i32.mul (local.get $n) (i32.const 2)))
  (func $pair (param $n i32) (result i32 i32)
    (i32.const 30) (call $enter (local.get $n)))
  (func $work (export "work") (param $n i32) (result i32)
    (call $add3 (i32.const 1) (call $pair (local.get $n))))
  (func $try (export "try") (param $n i32) (result i32)
    (local $result i32)
    (local.set $result (call $invoke (i32.const 1) (local.get $n)))
    (if (global.get $thrown)
      (then
        (local.set $result (i32.add (i32.const 1000) (global.get $thrown)))
        (global.set $thrown (i32.const 0))))
    (local.get $result))
  (func (export "outer") (param $n i32) (result i32)
    (call $invoke (i32.const 2) (local.get $n)))
  (func (export "stack") (result i32) (global.get $stack))))";

TEST(Jumps, AnInvocationEndsAThrowAndSetsTheStackPointerBack) {
  EXPECT_EQ(RunCalls(kThrower, {{"try", {5}}, {"try", {7}}, {"outer", {7}}, {"stack", {}}}),
            "halted 1301; halted 1007; halted 1007; halted 5000");
}

TEST(Jumps, AThrowOutsideEveryInvocationTraps) {
  EXPECT_EQ(RunCalls(kThrower, {{"work", {5}}, {"work", {7}}, {"try", {7}}}),
            "halted 1301; trapped unreachable: longjmp to a function that has returned, or without "
            "a setjmp; halted 1007");
}

TEST(Jumps, ResultsOfEveryTypeAreLeftOut) {
  constexpr std::string_view kWide = R"((module
    (import "env" "invoke_jdf" (func $invoke (param i32 f64 f32) (result i64)))
    (import "env" "_emscripten_throw_longjmp" (func $throw))
    (global $stack (mut i32) (i32.const 0))
    (table 1 funcref)
    (elem (i32.const 0) $work)
    (func $float (param f32) (result f32)
      (if (f32.gt (local.get 0) (f32.const 1)) (then (call $throw))) (local.get 0))
    (func $double (param f64 f32) (result f64)
      (f64.add (local.get 0) (f64.promote_f32 (call $float (local.get 1)))))
    (func $work (param f64 f32) (result i64)
      (i64.trunc_f64_s (call $double (local.get 0) (local.get 1))))
    (func (export "sum") (param f64 f32) (result i64)
      (call $invoke (i32.const 0) (local.get 0) (local.get 1)))))";
  const auto program = LoadWat(kWide, "test.wat", {.lower_i64 = true});
  ASSERT_TRUE(program) << program.error().ToString();
  constexpr vm::Word kHighOfTwo = 0x40000000, kOne = 0x3F800000, kThree = 0x40400000;
  for (const vm::EngineKind engine : {vm::EngineKind::kNative, vm::EngineKind::kAttention}) {
    EXPECT_EQ(
        RunOn(*program, engine, {{"sum", {0, kHighOfTwo, kOne}}, {"sum", {0, kHighOfTwo, kThree}}}),
        "halted 3 0; halted 0 0");
  }
}

TEST(Jumps, WithoutAThrowImportsStayTheHosts) {
  const auto program = LoadWat(R"((module
    (import "env" "invoke_v" (func $invoke (param i32)))
    (table 1 funcref)
    (func (export "run") (call $invoke (i32.const 0)))))",
                               "test.wat");
  ASSERT_TRUE(program) << program.error().ToString();
  ASSERT_EQ(program->imports.size(), 1u);
  EXPECT_EQ(program->imports.front().name, "invoke_v");
}

}  // namespace
}  // namespace txvm::frontends::wat

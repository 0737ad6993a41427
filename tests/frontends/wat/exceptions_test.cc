// Exceptions: what functions without them cost, what comes out of a program, programs that throw
// without end. tests/wast/exceptions.wast has what the instructions do.
#include "frontends/wasm/exceptions.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "isa/program_file.h"
#include "tests/frontends/wat/run_wat.h"
#include "vm/exception.h"

namespace txvm::frontends::wat {
namespace {

isa::Program LoadThrowing(std::string_view wat) {
  auto program = LoadWat(wat, "test.wat", {.lower_i64 = true});
  EXPECT_TRUE(program) << program.error().ToString();
  return program ? *std::move(program) : isa::Program{};
}

/// The instructions of a function, without the functions around it.
std::vector<isa::Opcode> CodeOf(const isa::Program& program, std::string_view name) {
  std::vector<isa::Opcode> code;
  for (const isa::Function& function : program.functions) {
    if (function.name != name) continue;
    for (std::uint32_t i = function.first; i <= function.last; ++i) {
      code.push_back(program.code[i].op());
    }
  }
  return code;
}

TEST(Exceptions, AFunctionFromWhichNothingCanBeThrownStaysTheSame) {
  constexpr std::string_view kQuiet = R"(
    (func $leaf (param i32) (result i32) (i32.mul (local.get 0) (i32.const 3)))
    (func $caller (export "caller") (param i32) (result i32)
      (i32.add (call $leaf (local.get 0)) (call_indirect (param i32) (result i32)
        (local.get 0) (i32.const 0))))
    (table 1 funcref) (elem (i32.const 0) $leaf))";
  constexpr std::string_view kLoud = R"(
    (tag $e (param i32))
    (func $thrower (param i64) (throw $e (i32.const 1)))
    (func $catcher (export "catcher") (result i32)
      (block $h (result i32)
        (try_table (catch $e $h) (call $thrower (i64.const 0))) (unreachable))))";
  const isa::Program quiet = LoadThrowing("(module " + std::string(kQuiet) + ")");
  const isa::Program loud =
      LoadThrowing("(module " + std::string(kQuiet) + std::string(kLoud) + ")");
  for (const char* name : {"leaf", "caller"}) {
    ASSERT_FALSE(CodeOf(quiet, name).empty());
    EXPECT_EQ(CodeOf(quiet, name), CodeOf(loud, name)) << name;
  }
  EXPECT_FALSE(quiet.exceptions);
  ASSERT_TRUE(loud.exceptions);
}

// A catch_all ends what is thrown: callers of its function check nothing.
TEST(Exceptions, WhatIsCaughtInsideCostsCallersNothing) {
  const isa::Program program = LoadThrowing(R"((module (tag $e)
    (func $inside (try_table (catch_all 0) (throw $e)))
    (func $caller (call $inside) (call $inside))
    (func (export "f") (call $caller))))");
  for (const isa::Opcode op : CodeOf(program, "caller")) {
    EXPECT_TRUE(op == isa::Opcode::kCall || op == isa::Opcode::kReturn || op == isa::Opcode::kNop);
  }
}

constexpr std::string_view kThrowing = R"((module
  (tag $pair (export "pair") (param i32 i64 f64))
  (func (export "f") (param i32)
    (throw $pair (local.get 0) (i64.const -7) (f64.const 2.5)))
  (func (export "g") (result i32) (i32.const 5))))";

TEST(Exceptions, OneThatComesOutIsNamedWithItsValues) {
  const isa::Program program = LoadThrowing(kThrowing);
  for (const vm::EngineKind engine : vm::DirectEngines()) {
    auto machine =
        vm::Machine::Load(std::make_shared<const isa::Program>(program), {}, {.engine = engine});
    ASSERT_TRUE(machine);
    const std::vector<vm::Word> args = {9};
    const auto run = machine->Call(*program.FindExport("f"), args);
    ASSERT_TRUE(run && run->trap);
    EXPECT_EQ(run->trap->cause, isa::Trap::kUncaughtException);
    EXPECT_EQ(run->trap->detail, "pair(9, -7, 2.5)");
    ASSERT_TRUE(run->exception);
    EXPECT_EQ(run->exception->values[1], isa::Value::I64(-7));
    const auto after = machine->Call(*program.FindExport("g"), {});
    ASSERT_TRUE(after);
    EXPECT_EQ(after->results, std::vector<vm::Word>{5});
  }
}

TEST(Exceptions, ProgramFilesKeepTags) {
  const isa::Program program = LoadThrowing(kThrowing);
  const auto bytes = isa::WriteProgram(program);
  ASSERT_TRUE(bytes);
  const auto read = isa::ReadProgram(*bytes);
  ASSERT_TRUE(read) << read.error().ToString();
  EXPECT_EQ(*read, program);
}

TEST(Exceptions, ALoopOfThrowsNeedsNoMemory) {
  EXPECT_EQ(RunCalls(R"((module (tag $e (param i32))
    (func $throw (param i32) (throw $e (local.get 0)))
    (func (export "f") (param $n i32) (result i32) (local $sum i32)
      (loop $again
        (block $h (result i32)
          (try_table (catch $e $h) (call $throw (local.get $n)))
          (unreachable))
        (local.set $sum (i32.add (local.get $sum)))
        (br_if $again (local.tee $n (i32.sub (local.get $n) (i32.const 1)))))
      (local.get $sum))))",
                     {{"f", {100'000}}}),
            "halted 705082704");
}

TEST(Exceptions, ARethrowThroughManyFramesArrives) {
  EXPECT_EQ(RunCalls(R"((module (tag $e (param i32))
    (func $down (param $n i32)
      (if (i32.eqz (local.get $n)) (then (throw $e (i32.const 3))))
      (try (do (call $down (i32.sub (local.get $n) (i32.const 1))))
        (catch_all (rethrow 0))))
    (func (export "f") (param $n i32) (result i32)
      (try (result i32) (do (call $down (local.get $n)) (i32.const 0)) (catch $e)))))",
                     {{"f", {50'000}}, {"f", {1'000'000}}, {"f", {10}}}),
            "halted 3; trapped call stack exhausted; halted 3");
}

// A call that is dropped while an exception is on its way leaves nothing to the next one.
TEST(Exceptions, ADroppedCallThrowsNothingLater) {
  const isa::Program program = LoadThrowing(R"((module (tag $e)
    (func $throw (param i32) (if (local.get 0) (then (throw $e))))
    (func (export "f") (param i32) (result i32)
      (block $h
        (try_table (catch_all $h) (call $throw (local.get 0)) (return (i32.const 1))))
      (i32.const 2))))");
  for (std::uint64_t fuel = 1; fuel < 40; ++fuel) {
    auto machine = vm::Machine::Load(std::make_shared<const isa::Program>(program), {},
                                     {.engine = vm::EngineKind::kNative});
    ASSERT_TRUE(machine);
    const std::vector<vm::Word> yes = {1}, no = {0};
    (void)machine->Call(*program.FindExport("f"), yes, {.fuel = fuel, .trace = {}});
    const auto next = machine->Call(*program.FindExport("f"), no);
    ASSERT_TRUE(next);
    EXPECT_EQ(next->results, std::vector<vm::Word>{1}) << fuel;
  }
}

}  // namespace
}  // namespace txvm::frontends::wat

// memory.copy and memory.fill: against WABT's interpreter, and how they are linked.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include "tests/frontends/wat/run_wat.h"
#include "tests/support/random.h"
#include "tests/support/wabt_interp.h"

namespace txvm::frontends::wat {
namespace {

constexpr std::string_view kModule = R"((module
  (memory (export "memory") 1)
  (func (export "copy") (param i32 i32 i32)
    (memory.copy (local.get 0) (local.get 1) (local.get 2)))
  (func (export "fill") (param i32 i32 i32)
    (memory.fill (local.get 0) (local.get 1) (local.get 2)))))";

std::uint32_t CountNamed(const isa::Program& program, std::string_view name) {
  return static_cast<std::uint32_t>(
      std::ranges::count(program.functions, name, &isa::Function::name));
}

/// Mostly short ranges that lie over each other, some at the end of the page, few beyond it.
std::vector<vm::Word> RandomRange(support::Random& random, bool is_copy) {
  const auto below = [&random](std::uint32_t limit) { return random.Below(limit); };
  const vm::Word base = below(4) == 0 ? 65'400 : below(64);
  const vm::Word size = below(8) == 0 ? below(300) : below(70);
  const vm::Word other = is_copy ? base + below(50) - 25 : below(1'000);
  switch (below(12)) {
    case 0:
      return {base, other, 0u - below(70)};
    case 1:
      return {0u - below(70), other, size};
    case 2:
      return {65'536 - size + below(3) - 1, other, size};
    default:
      return {base + below(50), other, size};
  }
}

class Bulk : public testing::TestWithParam<vm::EngineKind> {};

INSTANTIATE_TEST_SUITE_P(Engines, Bulk,
                         testing::Values(vm::EngineKind::kNative, vm::EngineKind::kAttention),
                         [](const auto& engine) {
                           return std::string(vm::EngineName(engine.param));
                         });

TEST_P(Bulk, RandomRangesAsInWabt) {
  constexpr int kCalls = 4'000;
  constexpr std::uint64_t kSeed = 20'221'110;
  const auto binary = tests::WabtBinary(std::string(kModule));
  const auto oracle = tests::WabtInstance::Load(binary);
  ASSERT_TRUE(oracle->ok()) << oracle->error();
  auto program = LoadWasm(binary, "bulk.wasm");
  ASSERT_TRUE(program) << program.error().ToString();
  ASSERT_TRUE(isa::Verify(*program));
  auto machine = vm::Machine::Load(std::make_shared<const isa::Program>(*std::move(program)), {},
                                   {.engine = GetParam(), .limits = {}});
  ASSERT_TRUE(machine) << machine.error().ToString();
  ASSERT_EQ(machine->memory().size_bytes(), oracle->MemorySize());
  support::Random random(kSeed);
  int trapped = 0;
  for (int i = 0; i < kCalls; ++i) {
    const bool is_copy = random.Below(3) != 0;
    const std::vector<vm::Word> args = RandomRange(random, is_copy);
    const std::string name = is_copy ? "copy" : "fill";
    const std::string shown = fmt::format("{}: {}({}, {}, {})", i, name, args[0], args[1], args[2]);
    const tests::WabtOutcome wanted = oracle->Call(name, args);
    const auto got = machine->Call(*machine->program().FindExport(name), args);
    ASSERT_TRUE(got) << got.error().ToString();
    ASSERT_EQ(got->trap.has_value(), wanted.trapped) << shown << wanted.message;
    if (got->trap) {
      ++trapped;
      ASSERT_EQ(got->trap->cause, isa::Trap::kOutOfBounds) << shown;
    }
    ASSERT_EQ(std::memcmp(machine->memory().data(), oracle->MemoryData(), oracle->MemorySize()), 0)
        << shown;
  }
  EXPECT_GT(trapped, kCalls / 20);
  EXPECT_LT(trapped, kCalls / 3);
}

TEST(BulkModules, AHelperIsLinkedOnceAndOnlyWhereItIsUsed) {
  const auto both = LoadWat(
      R"((module (memory 1)
        (func (export "f") (memory.copy (i32.const 0) (i32.const 1) (i32.const 2))
          (memory.copy (i32.const 3) (i32.const 4) (i32.const 5)))
        (func (export "g") (memory.copy (i32.const 3) (i32.const 4) (i32.const 5)))))",
      "bulk.wat");
  ASSERT_TRUE(both);
  EXPECT_EQ(CountNamed(*both, "memory.copy"), 1u);
  EXPECT_EQ(CountNamed(*both, "memory.fill"), 0u);
  const auto none = LoadWat("(module (memory 1) (func (export \"f\")))", "bulk.wat");
  ASSERT_TRUE(none);
  EXPECT_EQ(CountNamed(*none, "memory.copy") + CountNamed(*none, "memory.fill"), 0u);
}

TEST(BulkModules, AFunctionOfTheSameNameStaysAnother) {
  EXPECT_EQ(RunF(R"((module (memory 1) (data (i32.const 0) "\01\02\03")
    (func $memory.copy (param i32 i32 i32) (i32.store8 (local.get 0) (i32.const 9)))
    (table funcref (elem $memory.copy))
    (func (export "f") (result i32 i32)
      (memory.copy (i32.const 1) (i32.const 0) (i32.const 3))
      (call $memory.copy (i32.const 2) (i32.const 0) (i32.const 3))
      (call_indirect (param i32 i32 i32) (i32.const 0) (i32.const 0) (i32.const 0) (i32.const 0))
      (i32.load (i32.const 0))
      (i32.load8_u (i32.const 4)))))"),
            "halted 50921737 0");  // 03 09 01 09
}

TEST(BulkModules, InCodeThatIsNotReached) {
  EXPECT_EQ(RunF(R"((module (memory 1) (func (export "f") (result i32)
    (return (i32.const 4)) memory.copy (memory.fill) (drop))))"),
            "halted 4");
}

TEST(BulkModules, BesideI64) {
  const auto program = LoadWat(
      R"((module (memory 1) (func (export "f") (param i64) (result i64)
      (i64.store (i32.const 0) (local.get 0))
      (memory.copy (i32.const 3) (i32.const 0) (i32.const 8))
      (i64.mul (i64.load (i32.const 3)) (i64.const 3)))))",
      "bulk.wat", {.optimize = true, .lower_i64 = true});
  ASSERT_TRUE(program) << program.error().ToString();
  for (const vm::EngineKind engine : {vm::EngineKind::kNative, vm::EngineKind::kAttention}) {
    EXPECT_EQ(RunOn(*program, engine, {{"f", {5, 7}}}), "halted 15 21");
  }
}

// A word is a step, so a copy of n bytes takes about 1.7 n steps.
TEST(BulkModules, LongRangesGoByWords) {
  auto program = LoadWat(kModule, "bulk.wat");
  ASSERT_TRUE(program);
  auto machine = vm::Machine::Load(std::make_shared<const isa::Program>(*std::move(program)), {});
  ASSERT_TRUE(machine);
  for (const vm::Word to : {0u, 300u, 2'001u}) {
    const auto run = machine->Call(*machine->program().FindExport("copy"),
                                   std::vector<vm::Word>{to, 200, 1'600});
    ASSERT_TRUE(run);
    EXPECT_LT(run->steps, 3'000u) << to;
  }
}

TEST(BulkModules, TheOtherBulkInstructionsAreThere) {
  EXPECT_EQ(RunCalls(R"((module (memory 1) (table 1 funcref)
      (func (export "init") (memory.init 0 (i32.const 0) (i32.const 0) (i32.const 1)))
      (func (export "drop") (data.drop 0))
      (func (export "copy") (table.copy (i32.const 0) (i32.const 0) (i32.const 2)))
      (data "x")))",
                     {{"init", {}}, {"drop", {}}, {"copy", {}}, {"init", {}}}),
            "halted; halted; trapped out of bounds table access; "
            "trapped out of bounds memory access");
}

}  // namespace
}  // namespace txvm::frontends::wat

// What a module can never call is left out; everything else runs as before.
#include "frontends/wasm/uncalled.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "frontends/wasm/load.h"
#include "frontends/wat/load.h"
#include "vm/machine.h"

namespace txvm::tests {
namespace {

constexpr std::string_view kPartlyCalled = R"((module
  (type $unary (func (param i32) (result i32)))
  (type $nothing (func))
  (table 6 funcref)
  (elem (i32.const 0) $double $square $effect $effect)
  (global $done (mut i32) (i32.const 0))
  (func $unused (param i32) (result i32) (call $unused_too (local.get 0)))
  (func $double (param i32) (result i32) (i32.mul (local.get 0) (i32.const 2)))
  (func $square (param i32) (result i32) (call $times (local.get 0) (local.get 0)))
  (func $effect (global.set $done (i32.const 1)))
  (func $times (param i32 i32) (result i32) (i32.mul (local.get 0) (local.get 1)))
  (func $unused_too (param i32) (result i32) (i32.const 0))
  (func (export "apply") (param i32 i32) (result i32)
    (call_indirect (type $unary) (local.get 1) (local.get 0)))
))";

std::shared_ptr<const isa::Program> Load(bool drops) {
  auto program = frontends::wat::LoadWat(
      kPartlyCalled, "test.wat", {.optimize = true, .lower_i64 = true, .drop_uncalled = drops});
  EXPECT_TRUE(program.has_value()) << (program ? "" : program.error().message);
  return std::make_shared<const isa::Program>(*std::move(program));
}

bool Has(const isa::Program& program, std::string_view name) {
  return std::ranges::find(program.functions, name, &isa::Function::name) !=
         program.functions.end();
}

TEST(Uncalled, StaysOutOfTheProgram) {
  const auto all = Load(false), called = Load(true);
  for (const std::string_view name : {"unused", "unused_too", "effect"}) {
    EXPECT_TRUE(Has(*all, name)) << name;
    EXPECT_FALSE(Has(*called, name)) << name;
  }
  for (const std::string_view name : {"double", "square", "times", "apply"}) {
    EXPECT_TRUE(Has(*called, name)) << name;
  }
  EXPECT_LT(called->code.size(), all->code.size());
}

TEST(Uncalled, IndirectCallsEndAsBefore) {
  std::vector<std::string> texts;
  for (const bool drops : {false, true}) {
    const auto program = Load(drops);
    auto machine =
        vm::Machine::Load(program, {}, {.engine = vm::EngineKind::kNative, .limits = {}});
    std::string text;
    for (vm::Word index = 0; index < 8; ++index) {
      const auto ran =
          machine->Call(*program->FindExport("apply"), std::vector<vm::Word>{index, 7});
      text += std::string(vm::OutcomeText(ran->outcome)) + " ";
      if (ran->trap) text += isa::TrapText(ran->trap->cause);
      for (const vm::Word word : ran->results) text += std::to_string(word);
      text += "; ";
    }
    texts.push_back(text);
  }
  EXPECT_EQ(texts[0], texts[1]);
  EXPECT_EQ(texts[1].substr(0, 22), "halted 14; halted 49; ");
}

}  // namespace
}  // namespace txvm::tests

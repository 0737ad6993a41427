// Floats as words: what a module with floats becomes, and that every engine runs it.
#include "frontends/wasm/float.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "asm/routines/routines.h"
#include "frontends/wat/load.h"
#include "isa/verify.h"
#include "vm/machine.h"

namespace txvm::frontends::wat {
namespace {

using vm::Word;

constexpr int kHighShift = 32;

isa::Program Load(std::string_view text, bool optimize = true) {
  auto program = LoadWat(text, "float.wat", {.optimize = optimize, .lower_i64 = true});
  if (!program) {
    ADD_FAILURE() << program.error().ToString();
    return {};
  }
  const auto verified = isa::Verify(*program);
  EXPECT_TRUE(verified) << verified.error().ToString();
  return *std::move(program);
}

std::vector<Word> WordsOf(double value) {
  const auto bits = std::bit_cast<std::uint64_t>(value);
  return {static_cast<Word>(bits), static_cast<Word>(bits >> kHighShift)};
}

vm::RunResult Call(const isa::Program& program, std::string_view name,
                   const std::vector<Word>& args, vm::EngineKind engine = vm::EngineKind::kNative) {
  vm::MachineOptions options;
  options.engine = engine;
  auto machine = vm::Machine::Load(std::make_shared<const isa::Program>(program), {}, options);
  EXPECT_TRUE(machine);
  auto run = machine->Call(*program.FindExport(name), args);
  EXPECT_TRUE(run);
  return *std::move(run);
}

std::size_t FunctionsNamed(const isa::Program& program, std::string_view name) {
  return static_cast<std::size_t>(
      std::ranges::count(program.functions, name, &isa::Function::name));
}

bool HasRoutines(const isa::Program& program) {
  return std::ranges::any_of(program.functions, [](const isa::Function& function) {
    return assembler::FindRoutine(function.name) != nullptr;
  });
}

TEST(Floats, EveryInstructionHasItsRoutine) {
  for (const FloatInfo& info : kFloatOps) {
    const assembler::RoutineInfo* routine = assembler::FindRoutine(info.text);
    ASSERT_EQ(routine != nullptr, info.form == FloatForm::kRoutine) << info.text;
    if (routine == nullptr) continue;
    const std::uint32_t words = IsWide(info.operand) ? 2 : 1;
    EXPECT_EQ(routine->cells_in, info.operands * words) << info.text;
    EXPECT_EQ(routine->cells_out, IsWide(info.result) ? 2 : 1) << info.text;
  }
}

TEST(Floats, ARoutineIsLinkedOnceAndOnlyWhereUsed) {
  const isa::Program program = Load(R"((module
    (func (export "f") (param f64 f64) (result f64)
      (f64.add (f64.add (local.get 0) (local.get 1)) (f64.add (local.get 1) (f64.const 1))))
    (func (export "g") (param f64) (result f64) (f64.add (local.get 0) (local.get 0)))
    (func (export "h") (param f32) (result i32) (f32.lt (local.get 0) (f32.const 2)))))");
  EXPECT_EQ(FunctionsNamed(program, "f64.add"), 1u);
  EXPECT_EQ(FunctionsNamed(program, "f32.lt"), 1u);
  EXPECT_EQ(FunctionsNamed(program, "f64.mul"), 0u);
  EXPECT_EQ(Call(program, "f", {0, 0x3FF00000, 0, 0x40000000}).results, WordsOf(6));
}

TEST(Floats, MovesAreInline) {
  for (const bool optimize : {true, false}) {
    const isa::Program program = Load(R"((module (memory 1) (global $g (mut f64) (f64.const 1))
      (func (export "f") (param f64 f32) (result f64 f32) (local $d f64) (local $s f32)
        (f64.store (i32.const 8) (f64.neg (f64.abs (local.get 0))))
        (f32.store (i32.const 4) (f32.neg (f32.abs (local.get 1))))
        (local.set $d (f64.load (i32.const 8)))
        (local.set $s (f32.load (i32.const 4)))
        (global.set $g (f64.copysign (local.get $d) (global.get $g)))
        (f64.reinterpret_i64 (i64.reinterpret_f64
          (select (global.get $g) (f64.const 9) (i32.const 1))))
        (f32.reinterpret_i32 (i32.reinterpret_f32
          (f32.copysign (local.get $s) (f32.const -0)))))))",
                                      optimize);
    EXPECT_FALSE(HasRoutines(program));
    EXPECT_EQ(Call(program, "f", {5, 0xC0000000, 0x3F800001}).results,
              (std::vector<Word>{5, 0x40000000, 0xBF800001}));
  }
}

TEST(Floats, AModuleWithoutFloatsCarriesNoRoutine) {
  EXPECT_FALSE(HasRoutines(Load(R"((module (memory 1)
    (func (export "f") (param i32) (result i32) (i32.load (i32.mul (local.get 0) (i32.const 3))))
    (func (export "g") (param i64) (result i64) (i64.add (local.get 0) (i64.const 3)))))")));
}

TEST(Floats, TheTypesAreKept) {
  const isa::Program program = Load(R"((module
    (import "env" "log" (func $log (param f32 i64) (result f64)))
    (func (export "f") (param i32 f64) (result f32 f64) (local f32 i64)
      (f32.const 1) (call $log (f32.const 1) (i64.const 2)))))");
  using enum isa::ValueType;
  using Types = std::vector<isa::ValueType>;
  ASSERT_EQ(program.imports.size(), 1u);
  EXPECT_EQ(program.imports[0].params, 3u);
  EXPECT_EQ(program.imports[0].results, 2u);
  EXPECT_EQ(program.imports[0].param_types, (Types{kF32, kI64}));
  EXPECT_EQ(program.imports[0].result_types, (Types{kF64}));
  const isa::Export& f = *program.FindExport("f");
  EXPECT_EQ(f.params, 3u);
  EXPECT_EQ(f.results, 3u);
  EXPECT_EQ(f.param_types, (Types{kI32, kF64}));
  EXPECT_EQ(f.result_types, (Types{kF32, kF64}));
  EXPECT_EQ(program.functions[0].local_types, (Types{kI32, kF64, kF32, kI64}));
}

TEST(Floats, ATrapInARoutineHasTheWordsOfWebAssembly) {
  const isa::Program program = Load(R"((module
    (func (export "f") (param f64) (result i32)
      (i32.trunc_f64_s (local.get 0)))))");
  const vm::RunResult overflow = Call(program, "f", WordsOf(2147483648.0));
  ASSERT_TRUE(overflow.trap);
  EXPECT_EQ(isa::TrapText(overflow.trap->cause), "integer overflow");
  const vm::RunResult invalid = Call(program, "f", {0, 0xFFF80000});
  ASSERT_TRUE(invalid.trap);
  EXPECT_EQ(isa::TrapText(invalid.trap->cause), "invalid conversion to integer");
  EXPECT_EQ(program.FunctionAt(invalid.trap->ip)->name, "i32.trunc_f64_s");
}

// The peephole leaves routines as they are: their steps are those of the table.
TEST(Floats, TheStepsOfARoutineAreThoseOfItsRow) {
  for (const bool optimize : {true, false}) {
    for (const FloatInfo& info : kFloatOps) {
      const assembler::RoutineInfo* routine = assembler::FindRoutine(info.text);
      if (routine == nullptr) continue;
      std::string text =
          "(module (func (export \"f\") (result " + std::string(ValueTypeText(info.result)) + ")";
      for (int i = 0; i < info.operands; ++i) {
        text += " (" + std::string(ValueTypeText(info.operand)) + ".const 1)";
      }
      const isa::Program program = Load(text + " " + std::string(info.text) + "))", optimize);
      ASSERT_EQ(FunctionsNamed(program, info.text), 1u);
      const auto found = std::ranges::find(program.functions, info.text, &isa::Function::name);
      const auto code = assembler::CodeOf(routine->id).code;
      EXPECT_EQ(found->last + 1 - found->first, code.size()) << info.text;
      EXPECT_EQ(isa::RecognizeRoutine(program, *found), routine->id) << info.text;
      const std::uint64_t around = 2 + 1 + routine->cells_in;  // the stub, RETURN, the constants
      EXPECT_EQ(Call(program, "f", {}).steps, routine->steps + around) << info.text;
    }
  }
}

TEST(Floats, EveryEngineTakesTheSameSteps) {
  const isa::Program program = Load(R"((module
    (func (export "f") (param f64) (result f64 f32)
      (f64.add (f64.mul (local.get 0) (f64.const 0x1.8p1)) (f64.const 1e-3))
      (f32.demote_f64 (f64.sqrt (local.get 0))))))");
  const vm::RunResult wanted = Call(program, "f", WordsOf(0.7));
  ASSERT_EQ(wanted.outcome, vm::Outcome::kHalted);
  const double value = 0.7 * 3 + 1e-3;  // rounded after each operation
  EXPECT_EQ(std::vector(wanted.results.begin(), wanted.results.begin() + 2), WordsOf(value));
  for (const vm::EngineKind engine :
       {vm::EngineKind::kAttention, vm::EngineKind::kHull, vm::EngineKind::kTransformer}) {
    const vm::RunResult got = Call(program, "f", WordsOf(0.7), engine);
    EXPECT_EQ(got.results, wanted.results) << vm::EngineName(engine);
    EXPECT_EQ(got.steps, wanted.steps) << vm::EngineName(engine);
  }
}

}  // namespace
}  // namespace txvm::frontends::wat

// What lowering makes of each construct, seen by running it.
#include <string>

#include "tests/frontends/wat/run_wat.h"

namespace txvm::frontends::wat {
namespace {

TEST(Lower, ParametersArriveInOrder) {
  EXPECT_EQ(RunF(R"((module (func (export "f") (param i32 i32) (result i32)
    local.get 0 local.get 1 i32.sub)))",
                 {10, 3}),
            "halted 7");
}

TEST(Lower, SeveralResults) {
  EXPECT_EQ(RunF(R"((module
    (func $two (param i32) (result i32 i32) local.get 0 i32.const 5)
    (func (export "f") (param i32) (result i32 i32 i32) i32.const 1 local.get 0 call $two)))",
                 {4}),
            "halted 1 4 5");
}

TEST(Lower, LocalsStartAtZeroInEveryFrame) {
  EXPECT_EQ(RunCalls(R"((module
    (func $g (result i32) (local $x i32)
      local.get $x  i32.const 9 local.set $x)
    (func (export "f") (result i32) call $g call $g i32.add)))",
                     {{"f", {}}, {"f", {}}}),
            "halted 0; halted 0");
}

TEST(Lower, BlocksWithParametersAndResults) {
  EXPECT_EQ(RunF(R"((module (func (export "f") (param i32) (result i32 i32)
    local.get 0 i32.const 2
    (block (param i32 i32) (result i32 i32)
      i32.mul i32.const 7 i32.const 8 br 0))))",
                 {21}),
            "halted 7 8");
}

TEST(Lower, BranchUnwindsOneResult) {
  EXPECT_EQ(RunF(R"((module (func (export "f") (result i32)
    i32.const 100
    (block (result i32) i32.const 1 i32.const 2 i32.const 3 i32.const 42 br 0)
    i32.add)))"),
            "halted 142");
}

TEST(Lower, BranchUnwindsSeveralResults) {
  EXPECT_EQ(RunF(R"((module (func (export "f") (param i32) (result i32 i32 i32)
    i32.const 9
    (block (result i32 i32)
      i32.const 1 i32.const 2 i32.const 3
      i32.const 40 i32.const 50
      local.get 0 br_if 0
      drop drop drop drop drop
      i32.const 60 i32.const 70))))",
                 {1}),
            "halted 9 40 50");
}

TEST(Lower, BranchIfNotTakenKeepsTheStack) {
  EXPECT_EQ(RunF(R"((module (func (export "f") (result i32)
    i32.const 7
    (block (result i32) i32.const 1 i32.const 2 i32.const 0 br_if 0 i32.sub)
    i32.mul)))"),
            "halted -7");
}

TEST(Lower, LoopCarriesItsParameters) {
  EXPECT_EQ(RunF(R"((module (func (export "f") (param $n i32) (result i32)
    i32.const 0
    (loop $l (param i32) (result i32)
      local.get $n i32.add
      (local.set $n (i32.sub (local.get $n) (i32.const 1)))
      (br_if $l (local.get $n))))))",
                 {10}),
            "halted 55");
}

TEST(Lower, IfWithAndWithoutElse) {
  const std::string module = R"((module (func (export "f") (param i32) (result i32)
    (local i32)
    (if (local.get 0) (then (local.set 1 (i32.const 4))))
    (if (result i32) (local.get 0) (then i32.const 1) (else i32.const 2))
    local.get 1 i32.add)))";
  EXPECT_EQ(RunCalls(module, {{"f", {0}}, {"f", {1}}, {"f", {77}}}),
            "halted 2; halted 5; halted 5");
}

TEST(Lower, BranchTableChoosesByIndex) {
  const std::string module = R"((module (func (export "f") (param i32) (result i32)
    (block $d (block $c (block $b (block $a
      local.get 0 br_table $a $b $c $b $d)
      i32.const 10 return) i32.const 20 return) i32.const 30 return) i32.const 40)))";
  EXPECT_EQ(
      RunCalls(module,
               {{"f", {0}}, {"f", {1}}, {"f", {2}}, {"f", {3}}, {"f", {4}}, {"f", {0xFFFFFFFF}}}),
      "halted 10; halted 20; halted 30; halted 20; halted 40; halted 40");
}

TEST(Lower, BranchTableWithAValueUnwinds) {
  const std::string module = R"((module (func (export "f") (param i32) (result i32)
    (block $out (result i32)
      i32.const 1000
      (block $in (result i32)
        i32.const 5 i32.const 6 local.get 0 br_table $in $out)
      i32.add))))";
  EXPECT_EQ(RunCalls(module, {{"f", {0}}, {"f", {1}}}), "halted 1006; halted 6");
}

TEST(Lower, WideBranchTableIsABalancedTree) {
  std::string blocks, labels, arms;
  for (int i = 0; i < 256; ++i) {
    blocks += "(block ";
    labels += fmt::format(" {}", i);
    if (i < 255) arms += fmt::format(" i32.const {} return)", i);
  }
  const std::string module = fmt::format(
      "(module (func (export \"f\") (param i32) (result i32) {} local.get 0 br_table {}) {} "
      "i32.const 255))",
      blocks, labels, arms);
  const auto program = LoadWat(module, "wide.wat");
  ASSERT_TRUE(program) << program.error().ToString();
  auto machine = vm::Machine::Load(std::make_shared<const isa::Program>(*program), vm::Linker(),
                                   {.engine = vm::EngineKind::kNative, .limits = {}});
  ASSERT_TRUE(machine);
  for (vm::Word i = 0; i < 256; ++i) {
    const auto result = machine->Call(program->exports[0], std::vector<vm::Word>{i});
    ASSERT_TRUE(result);
    EXPECT_EQ(result->results, std::vector<vm::Word>{i});
    EXPECT_LT(result->steps, 50u);  // 8 levels of 4 steps; a chain would need 1,000
  }
}

TEST(Lower, ReturnLeavesResultsAlone) {
  EXPECT_EQ(RunF(R"((module (func (export "f") (result i32)
    i32.const 1 i32.const 2 (loop i32.const 3 i32.const 4 return) unreachable)))"),
            "halted 4");
}

TEST(Lower, DeadCodeIsDropped) {
  const auto program = LoadWat(R"((module (func (export "f") (result i32)
    i32.const 1 return
    (loop (drop (i32.div_s (i32.const 1) (i32.const 0))) br 0))))",
                               "dead.wat");
  ASSERT_TRUE(program);
  EXPECT_EQ(program->functions[0].last - program->functions[0].first, 1u);  // PUSH 1; RETURN
}

TEST(Lower, SignExtension) {
  EXPECT_EQ(RunF(R"((module (func (export "f") (param i32) (result i32 i32)
    (i32.extend8_s (local.get 0)) (i32.extend16_s (local.get 0)))))",
                 {0x0001FF80}),
            "halted -128 -128");
}

TEST(Lower, SelectAndDrop) {
  EXPECT_EQ(RunF(R"((module (func (export "f") (param i32) (result i32)
    i32.const 5 i32.const 6 drop
    (select (i32.const 1) (i32.const 2) (local.get 0)) i32.add)))",
                 {0}),
            "halted 7");
}

TEST(Lower, MutableGlobalsPersist) {
  EXPECT_EQ(RunCalls(R"((module
    (global $g (mut i32) (i32.const 40)) (global $c i32 (i32.const 2))
    (func (export "f") (result i32)
      (global.set $g (i32.add (global.get $g) (global.get $c))) global.get $g)))",
                     {{"f", {}}, {"f", {}}}),
            "halted 42; halted 44");
}

TEST(Lower, MemoryLoadsStoresAndOffsets) {
  EXPECT_EQ(
      RunF(R"((module (memory 1) (data (i32.const 8) "\81\82\83\84") (data (i32.const 9) "\00")
    (func (export "f") (result i32 i32 i32)
      (i32.store16 offset=4 (i32.const 8) (i32.const 0x12345678))
      (i32.load8_s offset=7 (i32.const 1))
      (i32.load16_u (i32.const 8))
      (i32.load offset=12 (i32.const 0)))))"),
      "halted -127 129 22136");
}

TEST(Lower, EffectiveAddressesDoNotWrap) {
  EXPECT_EQ(RunF(R"((module (memory 1) (func (export "f") (param i32) (result i32)
    (i32.load offset=8 (local.get 0)))))",
                 {0xFFFFFFFC}),
            "trapped out of bounds memory access");
}

TEST(Lower, MemorySizeAndGrow) {
  EXPECT_EQ(RunF(R"((module (memory 1 3) (func (export "f") (result i32 i32 i32 i32)
    memory.size (memory.grow (i32.const 2)) (memory.grow (i32.const 1)) memory.size)))"),
            "halted 1 1 -1 3");
}

TEST(Lower, StartFunctionRunsFirst) {
  EXPECT_EQ(RunCalls(R"((module (global $g (mut i32) (i32.const 1))
    (func $init (global.set $g (i32.const 33))) (start $init)
    (func (export "f") (result i32) global.get $g)))",
                     {{"f", {}}}),
            "halted 33");
  EXPECT_EQ(RunCalls("(module (func $init unreachable) (start $init))", {}),
            "init trapped unreachable");
}

TEST(Lower, HostFunctions) {
  EXPECT_EQ(RunCalls(R"((module
    (import "env" "add3" (func $add3 (param i32 i32 i32) (result i32)))
    (import "env" "swap" (func $swap (param i32 i32) (result i32 i32)))
    (import "env" "fail" (func $fail))
    (export "again" (func $add3))
    (func (export "f") (result i32 i32 i32)
      (call $add3 (i32.const 1) (i32.const 2) (i32.const 3)) (call $swap (i32.const 8) (i32.const 9)))
    (func (export "g") call $fail)))",
                     {{"f", {}}, {"again", {4, 5, 6}}, {"g", {}}}),
            "halted 321 9 8; halted 654; trapped host");
}

constexpr std::string_view kTable = R"((module
  (import "env" "add3" (func $host (param i32 i32 i32) (result i32)))
  (type $unary (func (param i32) (result i32)))
  (type $none (func (result i32)))
  (type $also_unary (func (param i32) (result i32)))
  (table 10 funcref)
  (elem (i32.const 1) $inc $dec $seven $inc $host)
  (func $inc (type $also_unary) (i32.add (local.get 0) (i32.const 1)))
  (func $dec (type $unary) (i32.sub (local.get 0) (i32.const 1)))
  (func $seven (type $none) (i32.const 7))
  (func (export "unary") (param i32 i32) (result i32)
    (call_indirect (type $unary) (local.get 0) (local.get 1)))
  (func (export "none") (param i32) (result i32) (call_indirect (type $none) (local.get 0)))
  (func (export "three") (param i32) (result i32)
    (call_indirect (param i32 i32 i32) (result i32)
      (i32.const 1) (i32.const 2) (i32.const 3) (local.get 0)))
  (func (export "unused") (param i32) (call_indirect (local.get 0)))))";

TEST(CallIndirect, CallsTheElementWhateverItsTypeIsNamed) {
  EXPECT_EQ(RunCalls(kTable, {{"unary", {50, 1}},
                              {"unary", {50, 2}},
                              {"none", {3}},
                              {"unary", {50, 4}},
                              {"three", {5}}}),
            "halted 51; halted 49; halted 7; halted 51; halted 321");
}

TEST(CallIndirect, ChecksIndexThenNullThenType) {
  EXPECT_EQ(RunCalls(kTable, {{"unary", {0, 10}},
                              {"unary", {0, 0xFFFFFFFF}},
                              {"unary", {0, 0}},
                              {"unary", {0, 9}},
                              {"unary", {0, 3}},
                              {"unused", {1}}}),
            "trapped undefined element; trapped undefined element; trapped uninitialized element; "
            "trapped uninitialized element; trapped indirect call type mismatch; "
            "trapped indirect call type mismatch");
}

TEST(CallIndirect, OneDispatcherServesAllSites) {
  const auto program = LoadWat(R"((module (table 2 funcref) (elem (i32.const 0) $a $a)
    (func $a (result i32) i32.const 1)
    (func (export "f") (param i32) (result i32)
      (call_indirect (result i32) (local.get 0)) (call_indirect (result i32) (local.get 0))
      i32.add)))",
                               "one.wat");
  ASSERT_TRUE(program);
  EXPECT_EQ(program->functions.size(), 4u);  // $a, f, the dispatcher, the stub of f
}

TEST(CallIndirect, EmptyTable) {
  EXPECT_EQ(RunF(R"((module (table 0 funcref) (func (export "f")
    (call_indirect (i32.const 0)))))"),
            "trapped undefined element");
}

TEST(Unsupported, StubNamesInstructionAndPlace) {
  EXPECT_EQ(RunCalls("(module\n"
                     "  (func $wide (param i32) (result i32)\n"
                     "    (i32.wrap_i64\n"
                     "      (i64.add (i64.const 1) (i64.const 2))))\n"
                     "  (func (export \"f\") (param i32) (result i32)\n"
                     "    (if (local.get 0) (then (return (call $wide (i32.const 1)))))\n"
                     "    i32.const 5))",
                     {{"f", {0}}, {"f", {1}}}),
            "halted 5; trapped unsupported instruction: i64.const at test.wat:4");
}

TEST(Unsupported, OnlyReachableInstructionsCount) {
  EXPECT_EQ(RunF(R"((module (func (export "f") (result i32)
    (block (drop (i64.ctz (br 0)))) i32.const 3)))"),
            "halted 3");
}

TEST(Unsupported, ParametersOfOtherTypesAreOneSlot) {
  EXPECT_EQ(RunCalls(R"((module (func (export "f") (param i32 f64 i32) (result i32)
    (i32.sub (local.get 0) (local.get 2)))
    (func (export "g") (param f64) (drop (local.get 0)))))",
                     {{"f", {9, 0, 4}}, {"g", {0}}}),
            "halted 5; trapped unsupported instruction: local.get of type f64 at test.wat:3");
}

TEST(Unsupported, GlobalsOfOtherTypesFailOnlyWhenUsed) {
  EXPECT_EQ(RunCalls(R"((module (global $d f64 (f64.const 1)) (global $i i32 (i32.const 6))
    (func (export "f") (result i32) global.get $i)
    (func (export "g") (drop (global.get $d)))))",
                     {{"f", {}}, {"g", {}}}),
            "halted 6; trapped unsupported instruction: global.get of type f64 at test.wat:3");
}

TEST(Unsupported, ImportsOfOtherTypesFailOnlyWhenCalled) {
  EXPECT_EQ(RunCalls(R"((module (import "m" "log" (func $log (param f64)))
    (func $make (result f64) unreachable)
    (func (export "f") (result i32) i32.const 2)
    (func (export "g") (call $log (call $make)))))",
                     {{"f", {}}, {"g", {}}}),
            "halted 2; trapped unsupported instruction: call of \"m\" \"log\", whose type is not "
            "i32 only, at test.wat:4");
}

// A name of 100 kB in the notes of thousands of functions is more memory than there is.
TEST(Unsupported, LongImportNamesAreCutInNotes) {
  const std::string name = std::string(59, 'x') + "\u00E9" + std::string(1'000, 'y');
  const std::string text = "(module (import \"" + name + "\" \"" + name +
                           "\" (func $log (param v128)))\n"
                           "(global i64 (i64.const 1)) (table funcref (elem $log)) "
                           "(func $make (result v128) unreachable)\n"
                           "(func (export \"f\") (call $log (call $make)))\n"
                           "(func (export \"g\")\n"
                           "  (call_indirect (param v128) (call $make) (i32.const 0))))";
  const std::string cut = std::string(59, 'x') + "...";  // the two bytes of U+00E9 stay together
  const std::string shown = "call of \"" + cut + "\" \"" + cut + "\", whose type ";
  const auto program = LoadWat(text, "test.wat", {.optimize = false, .lower_i64 = false});
  ASSERT_TRUE(program) << program.error().ToString();
  ASSERT_EQ(program->notes.size(), 2u);
  EXPECT_EQ(program->notes[0].text, shown + "is not i32 only, at test.wat:3");
  EXPECT_EQ(program->notes[1].text, shown + "is not i32 only");
  const auto on_words = LoadWat(text, "test.wat", {.optimize = false, .lower_i64 = true});
  ASSERT_TRUE(on_words) << on_words.error().ToString();
  EXPECT_TRUE(on_words->notes.empty());  // a vector is four words of the import's
  EXPECT_EQ(on_words->imports.at(0).params, 4u);
}

TEST(Program, KeepsNamesLinesAndEntry) {
  const auto program = LoadWat(
      "(module\n  (func $helper\n    nop\n    unreachable)\n"
      "  (func (export \"main\")\n    call $helper))",
      "names.wat");
  ASSERT_TRUE(program);
  EXPECT_EQ(program->source, "names.wat");
  EXPECT_EQ(program->functions[0].name, "helper");
  EXPECT_EQ(program->functions[1].name, "main");
  EXPECT_EQ(program->LineAt(program->functions[0].first), 4u);
  EXPECT_EQ(program->LineAt(program->functions[1].first), 6u);
  EXPECT_EQ(program->entry, program->FindExport("main")->start);
}

TEST(Program, EmptyModuleIsAProgram) {
  const auto program = LoadWat("(module)", "empty.wat");
  ASSERT_TRUE(program) << program.error().ToString();
  EXPECT_TRUE(isa::Verify(*program));
}

}  // namespace
}  // namespace txvm::frontends::wat

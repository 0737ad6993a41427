// Control flow without jumps: every way out of every construct, many values, many locals, calls.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "tests/frontends/provable/provable.h"

namespace txvm::tests {
namespace {

using Calls = std::vector<std::vector<std::uint32_t>>;

void ExpectSame(const std::string& text, const Calls& calls) {
  ProvableOptions options;
  options.lower.entry = "f";
  options.ram_seed = 3;
  auto provable = Provable::Make(text, options);
  ASSERT_TRUE(provable) << provable.error().ToString();
  for (const auto& args : calls) {
    ASSERT_EQ(provable->Compare(args), "") << (args.empty() ? 0 : args[0]);
    EXPECT_FALSE(provable->exhausted());
  }
}

std::string ErrorOf(std::string_view text, const ProvableOptions& options = {}) {
  const auto provable = Provable::Make(text, options);
  return provable ? "compiled" : provable.error().ToString();
}

Calls Upto(std::uint32_t n) {
  Calls calls;
  for (std::uint32_t i = 0; i <= n; ++i) calls.push_back({i});
  return calls;
}

std::string Repeat(std::string_view text, std::uint32_t n) {
  std::string all;
  for (std::uint32_t i = 0; i < n; ++i) all += text;
  return all;
}

TEST(Control, BranchesOutOfSeveralBlocksWithValues) {
  ExpectSame(R"((module (func (export "f") (param i32) (result i32)
      block (result i32)
        i32.const 100
        block (result i32)
          i32.const 7
          block
            local.get 0 i32.const 1 i32.eq br_if 0
            i32.const 50 local.get 0 i32.const 2 i32.eq br_if 1
            local.get 0 i32.const 3 i32.eq br_if 2
            local.get 0 i32.const 4 i32.eq if i32.const 9 return end
            local.get 0 i32.const 5 i32.eq if unreachable end
            drop
          end
          local.get 0 i32.add
        end
        i32.add
      end
      i32.const 1000 i32.add)))",
             Upto(7));
}

TEST(Control, LoopsWithParametersResultsAndSeveralExits) {
  ExpectSame(R"((module (func (export "f") (param i32) (result i32 i32)
      (local i32)
      block (result i32 i32)
        block (result i32)
          i32.const 1 i32.const 2
          loop (param i32 i32) (result i32 i32)
            i32.add local.set 1
            local.get 1 local.get 0 i32.gt_u if local.get 1 br 2 end
            local.get 1 i32.const 64 i32.and if local.get 1 i32.const 5 br 3 end
            local.get 1 i32.const 3 i32.mul local.get 0
            local.get 0 i32.const 1 i32.and br_if 0
            local.get 0 i32.const 4 i32.eq br_if 0
          end
          i32.const 70 i32.add br 1
        end
        i32.const 80
      end)))",
             Upto(80));
}

TEST(Control, NestedLoopsThatContinueOuterOnes) {
  ExpectSame(R"((module (func (export "f") (param i32) (result i32)
      (local i32 i32 i32)
      block
        loop
          local.get 1 i32.const 1 i32.add local.tee 1 local.get 0 i32.gt_u br_if 1
          i32.const 0 local.set 2
          loop
            local.get 2 i32.const 1 i32.add local.tee 2 i32.const 3 i32.and i32.eqz br_if 1
            local.get 2 local.get 1 i32.gt_u if
              local.get 3 i32.const 7 i32.add local.set 3
              local.get 1 i32.const 9 i32.eq br_if 3
              br 2
            end
            local.get 3 local.get 2 i32.add local.set 3
            local.get 3 i32.const 5 i32.and br_if 0
            local.get 3 i32.const 13 i32.eq if local.get 3 return end
          end
          local.get 1 local.get 0 i32.ne br_if 0
        end
      end
      local.get 3)))",
             Upto(12));
}

TEST(Control, BranchTables) {
  ExpectSame(R"((module (func (export "f") (param i32) (result i32)
      block (result i32) block (result i32) block (result i32) block (result i32)
        i32.const 3 local.get 0
        br_table 0 1 1 2 3 0 1 4 2
      end i32.const 10 i32.add end i32.const 20 i32.add end i32.const 30 i32.add end
      i32.const 40 i32.add)))",
             {{0}, {1}, {2}, {3}, {4}, {5}, {6}, {7}, {8}, {9}, {0x8000'0000}, {0xFFFF'FFFF}});
  ExpectSame(R"((module (func (export "f") (param i32) (result i32) (local i32)
      loop
        local.get 1 i32.const 1 i32.add local.set 1
        local.get 0 i32.const 1 i32.sub local.set 0
        block block local.get 0 i32.const 3 i32.and br_table 0 2 1 end
          local.get 1 i32.const 5 i32.mul return end
      end local.get 1)))",
             Upto(9));
}

TEST(Control, DeadCodeAndConstantConditions) {
  ExpectSame(R"((module (func (export "f") (param i32) (result i32)
      block i32.const 0 br_if 0 i32.const 1 br_if 0 unreachable end
      i32.const 1 if (result i32) i32.const 5 else unreachable end
      block (result i32) i32.const 6 br 0 i32.add drop unreachable end i32.add
      block local.get 0 if br 1 else br 1 end i32.const 3 drop unreachable end
      loop (result i32) i32.const 8 end i32.add return i32.const 9)))",
             Upto(1));
}

TEST(Control, FunctionsThatNeverReturn) {
  ExpectSame(R"((module
      (func $stop (param i32 i32) (result i32) unreachable)
      (func $deep (param i32) (result i32) local.get 0 if i32.const 1 i32.const 2 call $stop drop end
        local.get 0 call $deep)
      (func (export "f") (param i32) (result i32)
        i32.const 4 i32.const 5 local.get 0
        i32.const 2 i32.eq if local.get 0 i32.const 3 call $stop drop end
        local.get 0 i32.const 1 i32.eq if i32.const 7 call $deep drop end
        i32.add)))",
             Upto(3));
}

TEST(Control, ManyBranchesInARow) {
  constexpr std::uint32_t kBranches = 3'000;
  std::string body;
  for (std::uint32_t i = 0; i < kBranches; ++i) {
    body += fmt::format("local.get 0 i32.const {} i32.eq br_if 0 ", i);
    body += "local.get 1 i32.const 1 i32.add local.set 1\n";
  }
  ExpectSame(
      fmt::format("(module (func (export \"f\") (param i32) (result i32) (local i32) block {} "
                  "end local.get 1))",
                  body),
      {{0}, {1}, {1'500}, {2'999}, {5'000}});
}

TEST(Control, DeepNesting) {
  constexpr std::uint32_t kDepth = 480;
  const std::string open = Repeat("block local.get 0 br_if 0\n", kDepth);
  const std::string shut = Repeat(
      "end local.get 1 i32.const 1 i32.add local.set 1 local.get 0 i32.const 1 i32.sub "
      "local.set 0\n",
      kDepth);
  ExpectSame(fmt::format("(module (func (export \"f\") (param i32) (result i32) (local i32) {} "
                         "i32.const 500 local.set 1 {} local.get 1))",
                         open, shut),
             {{0}, {1}, {480}});
  EXPECT_NE(ErrorOf(fmt::format("(module (func (export \"f\") {} {}))", Repeat("block\n", 501),
                                Repeat("end\n", 501)))
                .find("deeper than 500"),
            std::string::npos);
}

TEST(Control, ModulesOfTooMuchCodeAreRefused) {
  const std::string limit = "needs more than 1000000 TIR operations";
  const std::string wide = Repeat(" i32", 900), values = Repeat("i32.const 1 ", 900);
  const std::string branches = Repeat("i32.const 0 br_if 0 ", 3'000);
  EXPECT_NE(ErrorOf("(module (func (export \"f\") (result" + wide + ") block (result" + wide +
                    ") " + values + branches + " end))")
                .find(limit),
            std::string::npos);
}

TEST(Control, BranchTablesOfTooMuchCodeAreRefused) {
  const std::string wide = Repeat(" i32", 900), values = Repeat("i32.const 1 ", 900);
  std::string targets;
  for (int i = 0; i < 15'000; ++i) targets += i % 2 == 0 ? "0 " : "1 ";
  EXPECT_NE(ErrorOf("(module (func (export \"f\") (param i32) (result" + wide + ") block (result" +
                    wide + ") " + values + "local.get 0 br_table " + targets + " end))")
                .find("needs more than 1000000 TIR operations"),
            std::string::npos);
}

TEST(Control, ManyLocalsParametersResultsAndOperands) {
  constexpr std::uint32_t kMany = 40;
  std::string params, push, sum, results;
  for (std::uint32_t i = 0; i < kMany; ++i) {
    push += fmt::format("local.get 0 i32.const {} i32.mul\n", i + 1);
    sum += fmt::format("local.get {} local.get {} i32.xor local.set {}\n", i, (i * 7 + 3) % kMany,
                       (i * 11 + 5) % kMany);
    results += fmt::format("local.get {} ", kMany - 1 - i);
  }
  const std::string many = Repeat(" i32", kMany);
  ExpectSame(fmt::format("(module (func $g (param{}) (result{}) {} {}) (func (export \"f\") (param "
                         "i32) (result i32) {} call $g {}))",
                         many, many, sum, results, push, Repeat("i32.add ", kMany - 1)),
             Upto(3));
  ExpectSame(fmt::format("(module (func (export \"f\") (param i32) (result{}) block (result{}) {} "
                         "local.get 0 br_if 0 i32.const 1 i32.add end))",
                         many, many, push),
             Upto(1));
}

TEST(Control, RecursionKeepsLocalsInRam) {
  constexpr std::uint32_t kLocals = 30;
  std::string set, get;
  for (std::uint32_t i = 1; i <= kLocals; ++i) {
    set += fmt::format("local.get 0 i32.const {} i32.add local.set {}\n", i * 17, i);
    get += fmt::format("local.get {} i32.add ", i);
  }
  ExpectSame(
      fmt::format("(module (func $g (export \"f\") (param i32) (result i32) (local{}) "
                  "local.get 0 i32.eqz if i32.const 1 return end {} local.get 0 i32.const 1 "
                  "i32.sub call $g local.get 0 i32.const 1 i32.shr_u call $h i32.add {}) "
                  "(func $h (param i32) (result i32) local.get 0 i32.const 3 i32.and call $g))",
                  Repeat(" i32", kLocals), set, get),
      Upto(5));
}

TEST(Control, IndirectCallsCheckIndexAndType) {
  ExpectSame(R"((module
      (type $one (func (param i32) (result i32))) (type $two (func (param i32 i32) (result i32)))
      (table 9 funcref) (elem (i32.const 1) $inc $sub $inc $neg $sub $inc)
      (func $inc (param i32) (result i32) local.get 0 i32.const 1 i32.add)
      (func $neg (param i32) (result i32) i32.const 0 local.get 0 i32.sub)
      (func $sub (param i32 i32) (result i32) local.get 0 local.get 1 i32.sub)
      (func (export "f") (param i32) (result i32)
        local.get 0 i32.const 16 i32.lt_u if (result i32)
          i32.const 40 local.get 0 call_indirect (type $one)
        else
          i32.const 40 i32.const 2 local.get 0 i32.const 16 i32.sub call_indirect (type $two)
        end)))",
             Upto(31));
}

TEST(Control, GlobalsStartFunctionAndHostOutput) {
  ExpectSame(R"((module
      (import "env" "print_i32" (func $print (param i32)))
      (import "env" "putchar" (func $putchar (param i32) (result i32)))
      (global $a (mut i32) (i32.const 5)) (global $b i32 (i32.const -7))
      (func $begin global.get $a i32.const 3 i32.mul global.set $a global.get $b call $print)
      (start $begin)
      (func (export "f") (param i32) (result i32 i32 i32)
        local.get 0 call $print local.get 0 call $putchar
        global.get $a local.get 0 i32.add global.set $a
        global.get $a global.get $b)))",
             {{0}, {65}, {300}, {0xFFFF'FFFF}});
}

TEST(Control, ALibraryIsInitializedBeforeItsEntry) {
  const std::string library = R"((module
      (import "env" "print_i32" (func $print (param i32)))
      (global $a (mut i32) (i32.const 5))
      (func $begin i32.const 6 global.set $a) (start $begin)
      (func (export "_initialize") global.get $a call $print i32.const 7 global.set $a)
      (func (export "f") (param i32) (result i32) global.get $a local.get 0 i32.add)
      (func (export "_start_not"))))";
  ExpectSame(library, {{1}});
  auto alone = Provable::Make(library, {.lower = {.entry = "_initialize"}});
  ASSERT_TRUE(alone) << alone.error().ToString();
  EXPECT_EQ(alone->Compare({}), "");
  std::string program = library;
  program.replace(program.find("_start_not"), std::string("_start_not").size(), "_start");
  ExpectSame(program, {{1}});
}

TEST(Control, ArgumentsAreWordsOrACrash) {
  auto provable =
      Provable::Make("(module (func (export \"f\") (param i32) (result i32) local.get 0))", {});
  ASSERT_TRUE(provable);
  const auto machine = triton::TasmMachine::Load(provable->program());
  ASSERT_TRUE(machine);
  const auto run = machine->Run({.input = {std::uint64_t{1} << 32}});
  ASSERT_TRUE(run);
  EXPECT_EQ(run->crash, triton::TasmCrash::kNotU32);
}

TEST(Control, TheEntryMayHaveAnEmptyName) {
  EXPECT_EQ(
      ErrorOf("(module (func (export \"\")) (func (export \"f\")))", {.lower = {.entry = ""}}),
      "compiled");
}

TEST(Control, WhatCannotBeProvedIsRefusedWithItsPlace) {
  EXPECT_EQ(ErrorOf("(module (func (export \"f\") (result i32)\n  i32.const 1\n  "
                    "v128.const i64x2 0 0\n  drop))"),
            "compiled");  // a vector is four words
  EXPECT_EQ(ErrorOf("(module (func (export \"f\") (param v128)))"), "compiled");
  EXPECT_EQ(
      ErrorOf("(module (func $g (result i64 v128) unreachable)\n(func (export \"f\")\n  call $g "
              "drop drop))"),
      "compiled");
  const std::string names = "(module (func (export \"\\1b[2J\")) (func (export \"b\")))";
  EXPECT_EQ(ErrorOf(names, {.lower = {.entry = "c"}}),
            "test.wat: error: there is no exported function 'c'; there are: '\\1b[2J', 'b'");
  EXPECT_EQ(
      ErrorOf("(module\n (import \"env\" \"read\" (func $r (result i32)))\n (func (export "
              "\"f\") (result i32) call $r))"),
      "test.wat:3: error: import env.read with 0 parameters and 1 result cannot become "
      "provable code; what can: env.print_i32, env.putchar, spectest.print, spectest.print_i32");
  EXPECT_EQ(ErrorOf("(module (memory 1) (data (i32.const 16) \"x\") (func (export \"f\")))",
                    {.lower = {.memory_words = 4}}),
            "test.wat: error: data segment 0 needs 5 words of memory, --memory-words allows 4");
  EXPECT_EQ(ErrorOf("(module (func (export \"f\")) (func (export \"g\")))"),
            "test.wat: error: several functions are exported; name the one to run: 'f', 'g'");
  EXPECT_EQ(ErrorOf("(module (func (export \"f\")))", {.lower = {.entry = "h"}}),
            "test.wat: error: there is no exported function 'h'; there are: 'f'");
  std::string many;
  for (int i = 0; i < 12; ++i) many += "(func (export \"x" + std::to_string(i) + "\"))";
  EXPECT_TRUE(ErrorOf("(module " + many + ")").ends_with("'x8', 'x9' and 2 more"));
  EXPECT_EQ(ErrorOf("(module (func (export \"f\") i32.const 1 drop) (func $unused (result v128) "
                    "v128.const i64x2 0 0))"),
            "compiled");
}

TEST(Control, TablesAndVectorsAreNoReasonToRefuse) {
  const auto refusal = [](std::string_view code) {
    return ErrorOf(
        fmt::format("(module (memory 1) (table 1 funcref) (global $v v128 (v128.const i64x2 0 0)) "
                    "(data $d \"x\") (func (export \"f\") {}))",
                    code));
  };
  EXPECT_EQ(refusal("table.size 0 drop"), "compiled");
  for (const std::string_view code :
       {"global.get $v drop", "f64.const 1 f64x2.splat drop", "i32.const 1 i8x16.splat drop"}) {
    EXPECT_EQ(refusal(code), "compiled") << refusal(code);
  }
}

// A prover would choose what an import holds; so would any value that is made up for it here.
TEST(Control, ImportsThatAreNoFunctionsAreRefused) {
  const auto refusal = [](std::string_view what) {
    return fmt::format("test.wat: error: {} \"env\" \"g\" is imported; a program must own it",
                       what);
  };
  const std::string function = "(func (export \"f\") (result i32) i32.const 1))";
  for (const std::string_view type : {"i32", "(mut i32)", "i64", "f64"}) {
    EXPECT_EQ(ErrorOf(fmt::format("(module (import \"env\" \"g\" (global {})) {}", type, function)),
              refusal("global"))
        << type;
  }
  const std::string global = "(module (import \"env\" \"g\" (global i32)) ";
  for (const std::string_view use :
       {"(memory 1) (data (global.get 0) \"x\") ",
        "(table 1 funcref) (elem (global.get 0) func 0) ", "(global (mut i32) (global.get 0)) "}) {
    EXPECT_EQ(ErrorOf(global + std::string(use) + function), refusal("global")) << use;
  }
  EXPECT_EQ(ErrorOf("(module (import \"env\" \"g\" (memory 1)) " + function), refusal("memory"));
  EXPECT_EQ(ErrorOf("(module (import \"env\" \"g\" (table 1 funcref)) " + function),
            refusal("table"));
}

}  // namespace
}  // namespace txvm::tests

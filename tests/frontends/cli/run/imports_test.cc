// Imports that nobody provides, on the command line: answered as --import says, or without being
// asked and told, or refused with what to type.
#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "tests/frontends/cli/cli_runner.h"

namespace txvm::frontends::cli {
namespace {

bool Has(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

/// What a page of documentation shows first: text in an imported memory, printed by the host.
constexpr std::string_view kPage = R"((module
  (import "console" "log" (func $log (param i32 i32)))
  (import "js" "mem" (memory 1))
  (import "js" "table" (table 2 funcref))
  (global $g (import "js" "global") (mut i32))
  (data (i32.const 0) "Hi")
  (func (export "writeHi") (call $log (i32.const 0) (i32.const 2)))
  (func (export "pages") (param i32) (result i32) (memory.size))
  (func (export "global") (param i32) (result i32) (global.get $g))))";

TEST(Imports, AnswersWhatDoesNoHarmAndTellsIt) {
  const ScratchFile page(".wat", kPage);
  const isa::ChildResult run = RunTxvm({page.path(), "--invoke", "writeHi"});
  EXPECT_EQ(run.out, "0 2\n") << run.err;
  EXPECT_EQ(run.err,
            "txvm: nobody provides js.global (mutable i32 global): made as 0; --import "
            "js.global=NUMBER sets it\n"
            "txvm: nobody provides js.mem (memory of at least 1 page): made as declared\n"
            "txvm: nobody provides js.table (funcref table of at least 2 elements): made as "
            "declared, all null\n"
            "txvm: nobody provides console.log(i32, i32): it prints its arguments; --import "
            "console.log=print-string prints the text there\n");
  const isa::ChildResult strict = RunTxvm({page.path(), "--strict-imports"});
  EXPECT_EQ(strict.out, "");
  EXPECT_TRUE(Has(strict.err, "\"js\" \"mem\" is imported; a program must own it")) << strict.err;
}

TEST(Imports, AnswersAsItIsToldWithoutAWord) {
  const ScratchFile page(".wat", kPage);
  const std::vector<std::string> rules = {
      "--import",        "console.log=print-string", "--import", "js.mem=memory:3",
      "--import",        "js.table=table",           "--import", "js.global=-7",
      "--strict-imports"};
  const auto run = [&](std::vector<std::string> words) {
    words.insert(words.begin(), page.path());
    words.insert(words.end(), rules.begin(), rules.end());
    return RunTxvm(words);
  };
  EXPECT_EQ(run({"--invoke", "writeHi"}).out, "Hi\n");
  EXPECT_EQ(run({"--invoke", "writeHi"}).err, "");
  EXPECT_EQ(run({"--invoke", "pages", "0"}).out, "3\n");
  EXPECT_EQ(run({"--invoke", "global", "0"}).out, "-7\n");
}

TEST(Imports, ATableOfAnOptionsFileSaysTheSame) {
  const ScratchFile page(".wat", kPage);
  const ScratchFile quoted(".toml",
                           "[import]\n\"console.log\" = \"print-string\"\njs.global = 9\n");
  EXPECT_EQ(RunTxvm({page.path(), "--config", quoted.path(), "--invoke", "writeHi"}).out, "Hi\n");
  EXPECT_EQ(RunTxvm({page.path(), "--config", quoted.path(), "--invoke", "global", "0"}).out,
            "9\n");
  const ScratchFile wrong(".toml", "[import]\nconsole.log = \"prnt\"\n");
  const std::string err = RunTxvm({page.path(), "--config", wrong.path()}).err;
  EXPECT_TRUE(Has(err, wrong.path() + ":1")) << err;
  EXPECT_TRUE(Has(err, "did you mean print?")) << err;
  // A command that takes no --import reads its own table all the same.
  EXPECT_EQ(RunTxvm({"isa", "--config", quoted.path()}).exit_code, 0);
}

TEST(Imports, PrintsEachValueAsItsType) {
  const ScratchFile program(".wat", R"((module
    (import "a" "b" (func $log (param i32 i64 f32 f64)))
    (import "env" "print_i32" (func $print (param i32)))
    (func (export "main")
      (call $print (i32.const 1))
      (call $log (i32.const -1) (i64.const 0x100000000) (f32.const 0.1) (f64.const -0.0))
      (call $print (i32.const 2)))))");
  for (const char* command : {"run", "compare"}) {
    const isa::ChildResult run = RunTxvm({command, program.path(), "--import", "a.*=print"});
    EXPECT_EQ(run.exit_code, 0) << run.err;
    if (command == std::string("run")) {
      EXPECT_EQ(run.out, "1\n-1 4294967296 0.1 -0\n2\n");
    }
  }
}

TEST(Imports, AnUnknownFunctionIsShownWithWaysToGiveIt) {
  const ScratchFile program(".wat", R"((module
    (import "my" "double" (func $f (param f64) (result f64)))
    (import "my" "other" (func $g (param i32)))
    (func (export "main") (result f64) (call $f (f64.const 3)))))");
  const isa::ChildResult run = RunTxvm({program.path()});
  EXPECT_EQ(run.err, program.path() +
                         ": error: unknown import 'my.double': my.double(f64) -> f64 is a function "
                         "that nobody provides, as is 'my.other'\n"
                         "  txvm run " +
                         program.path() +
                         " --import my.double=0 --import my.other=print\n"
                         "      answers each in the simplest way\n"
                         "  txvm run " +
                         program.path() +
                         " --import my.double=FILE.wasm#double\n"
                         "      is the export of that module\n"
                         "  txvm run " +
                         program.path() +
                         " --unknown-imports trap\n"
                         "      traps when it is called\n");
  EXPECT_NE(run.exit_code, 0);
  const ScratchFile library(".wat",
                            "(module (func (export \"twice\") (param f64) (result f64)\n"
                            "  (f64.add (local.get 0) (local.get 0))))");
  EXPECT_EQ(RunTxvm({program.path(), "--import", "my.double=" + library.path() + "#twice",
                     "--import", "my.other=nothing"})
                .out,
            "6\n");
  EXPECT_EQ(RunTxvm({program.path(), "--import", "my.*=2.5", "--import", "my.other=trap"}).out,
            "2.5\n");
  const std::string unsuited = RunTxvm({program.path(), "--import", "my.*=2.5"}).err;
  EXPECT_TRUE(Has(unsuited,
                  "--import 'my.*=2.5' is for a function with one result, not for "
                  "my.other(i32)"))
      << unsuited;
}

TEST(Imports, ARuleThatAnswersNothingIsTold) {
  const ScratchFile page(".wat", kPage);
  const std::vector<std::string> call = {page.path(), "--invoke", "writeHi"};
  const auto errors = [&](std::string rule) {
    std::vector<std::string> words = call;
    words.insert(words.end(), {"--import", std::move(rule)});
    const isa::ChildResult run = RunTxvm(words);
    EXPECT_EQ(run.exit_code, 0) << run.err;
    return run.err;
  };
  EXPECT_TRUE(Has(errors("console.lgo=print"),
                  "txvm: --import 'console.lgo=print' answers nothing: the program imports no "
                  "console.lgo (did you mean console.log?)\n"));
  EXPECT_TRUE(
      Has(errors("evn.*=print"), "the program imports no evn.*; --list shows what it imports\n"));
  EXPECT_FALSE(Has(errors("js.m*=memory:2"), "answers nothing"));
  const ScratchFile alone(".wat", "(module (func (export \"main\")))");
  EXPECT_EQ(RunTxvm({alone.path(), "--import", "a.b=print"}).err,
            "txvm: --import 'a.b=print' answers nothing: the program imports nothing\n");
  EXPECT_EQ(RunTxvm({"examples/gcd.txa", "--invoke", "gcd", "6", "4", "--import", "a.b=print"}).err,
            "txvm: --import 'a.b=print' answers nothing: the program imports nothing\n");
}

TEST(Imports, WhatIsMadeIsToldAsItIs) {
  const ScratchFile program(".wat", R"((module
    (import "js" "mem" (memory 0)) (import "js" "tab" (table 1 funcref))
    (data (i32.const 65536) "far") (elem (i32.const 3) $main)
    (func $main (export "main") (result i32) (memory.size))))");
  const isa::ChildResult run = RunTxvm({program.path()});
  EXPECT_EQ(run.out, "2\n");
  EXPECT_EQ(run.err,
            "txvm: nobody provides js.mem (memory of at least 0 pages): made with 2 pages, which "
            "its data need\n"
            "txvm: nobody provides js.tab (funcref table of at least 1 element): made with 4 "
            "elements, which its segments need\n");
  const isa::ChildResult strict = RunTxvm({program.path(), "--strict-imports"});
  EXPECT_TRUE(Has(strict.err,
                  "memory \"js\" \"mem\" is imported; a program must own it: --import "
                  "js.mem=memory makes it"))
      << strict.err;
}

TEST(Imports, AReferenceIsShownAsOne) {
  const ScratchFile program(".wat", R"((module
    (import "env" "keep" (func $keep (param externref i32) (result funcref)))
    (import "console" "log" (func $log (param externref)))
    (func (export "main") (call $log (ref.null extern))
      (drop (call $keep (ref.null extern) (i32.const 1))))))");
  EXPECT_TRUE(Has(RunTxvm({program.path()}).err,
                  "env.keep(externref, i32) -> funcref is a function that nobody provides"));
  const isa::ChildResult run = RunTxvm({program.path(), "--import", "env.keep=nothing"});
  EXPECT_TRUE(Has(run.err, "nobody provides console.log(externref): it prints its arguments"));
  EXPECT_EQ(run.exit_code, 0);
}

TEST(Imports, ErrorsOfTheConsoleGoToStandardError) {
  const ScratchFile program(".wat", R"((module
    (import "console" "error" (func $error (param i32)))
    (import "env" "console_warn" (func $warn (param i32 i32)))
    (import "console" "log" (func $log (param i32)))
    (memory 1) (data (i32.const 8) "oh")
    (func (export "main")
      (call $log (i32.const 1)) (call $error (i32.const 2)) (call $log (i32.const 3))
      (call $warn (i32.const 8) (i32.const 2)))))");
  const isa::ChildResult run =
      RunTxvm({program.path(), "--import", "env.console_warn=print-string"});
  EXPECT_EQ(run.out, "1\n3\n");
  EXPECT_TRUE(run.err.ends_with("2\noh\n")) << run.err;
  EXPECT_TRUE(Has(run.err, "console.error(i32): it prints its arguments to standard error\n"));
  EXPECT_EQ(RunTxvm({"compare", program.path(), "--engines", "native,hull"}).exit_code, 0);
}

TEST(Imports, TimeAndChanceAreOfferedByName) {
  const ScratchFile program(".wat", R"((module
    (import "env" "getTime" (func $time (result f64))) (import "env" "rand" (func $rand (result i32)))
    (func (export "main") (drop (call $time)) (drop (call $rand)))))");
  EXPECT_TRUE(
      Has(RunTxvm({program.path()}).err, " --import env.getTime=clock --import env.rand=random\n"));
}

TEST(Imports, AFunctionOfTwoWordsMayPrintText) {
  const ScratchFile program(".wat", R"((module (import "env" "say" (func $say (param i32 i32)))
    (func (export "main") (call $say (i32.const 0) (i32.const 0)))))");
  const isa::ChildResult run = RunTxvm({program.path()});
  EXPECT_TRUE(Has(run.err, "  txvm run " + program.path() + " --import env.say=print-string\n" +
                               "      prints the text at (address, length)\n"))
      << run.err;
  // The command that was typed is repeated, with where its page goes.
  EXPECT_TRUE(
      Has(RunTxvm({"view", program.path(), "-o", "page.html"}).err,
          "  txvm view " + program.path() + " -o page.html --import env.say=print-string\n"))
      << RunTxvm({"view", program.path(), "-o", "page.html"}).err;
}

TEST(Imports, TextOutsideOfMemoryTraps) {
  const ScratchFile program(".wat", R"((module
    (import "env" "say" (func $say (param i32 i32))) (import "env" "cry" (func $cry (param i32)))
    (memory 1) (data (i32.const 65530) "ab\00cdz")
    (func (export "say") (param i32 i32) (call $say (local.get 0) (local.get 1)))
    (func (export "cry") (param i32) (call $cry (local.get 0)))))");
  const auto run = [&](const std::vector<std::string>& call) {
    std::vector<std::string> words = {program.path(), "--import", "env.*=print-string", "--invoke"};
    words.insert(words.end(), call.begin(), call.end());
    return RunTxvm(words);
  };
  EXPECT_EQ(run({"say", "65530", "6"}).out, std::string("ab\0cdz\n", 7));
  EXPECT_EQ(run({"cry", "65530"}).out, "ab\n");
  EXPECT_TRUE(Has(run({"say", "65530", "7"}).err, "the text of 7 bytes at 65530 is not in memory"));
  EXPECT_TRUE(Has(run({"say", "-1", "-1"}).err, "is not in memory"));
  EXPECT_TRUE(Has(run({"cry", "65533"}).err, "the text at 65533 does not end in memory"));
  EXPECT_TRUE(Has(run({"cry", "-1"}).err, "the text at 4294967295 does not end in memory"));
}

/// Prints a random number and the time, N times.
constexpr std::string_view kChance = R"((module
  (import "js" "rand" (func $rand (result f64))) (import "js" "now" (func $now (result i64)))
  (import "js" "log" (func $log (param f64 i64)))
  (func (export "main") (local $i i32)
    (local.set $i (i32.const 6))
    (loop $next
      (call $log (call $rand) (call $now))
      (local.set $i (i32.sub (local.get $i) (i32.const 1)))
      (br_if $next (local.get $i))))))";

TEST(Imports, ASnapshotGoesOnWithTheSameClockAndChance) {
  const ScratchFile program(".wat", kChance);
  const std::vector<std::string> rules = {"--import", "js.rand=random", "--import", "js.now=clock"};
  const auto run = [&](std::vector<std::string> words) {
    words.insert(words.end(), rules.begin(), rules.end());
    return RunTxvm(words);
  };
  const std::string whole = run({"run", program.path()}).out;
  const std::string snapshot = program.path() + ".txs";
  for (const char* step : {"5", "20", "33", "47"}) {
    const std::string first =
        run({"run", program.path(), "--fuel", step, "--snapshot", snapshot}).out;
    const std::string second = run({"resume", snapshot, program.path(), "--engine", "native"}).out;
    EXPECT_EQ(first + second, whole) << step;
  }
  std::filesystem::remove(snapshot);
  // Another seed, other numbers.
  EXPECT_NE(run({"run", program.path(), "--random", "1"}).out, whole);
}

TEST(Imports, SegmentsAreReplayedWithTheSameAnswers) {
  const ScratchFile program(".wat", kChance);
  const std::string folder = program.path() + ".segments";
  std::filesystem::remove_all(folder);
  const isa::ChildResult run =
      RunTxvm({"run", program.path(), "--import", "js.rand=random", "--import", "js.now=clock",
               "--segments", folder, "--every", "10"});
  EXPECT_EQ(run.exit_code, 0) << run.err;
  const isa::ChildResult check = RunTxvm({"check", folder});
  EXPECT_EQ(check.exit_code, 0) << check.out << check.err;
  std::filesystem::remove_all(folder);
}

TEST(Imports, StepGoesBackOverAnAnswer) {
  const ScratchFile program(".wat", kChance);
  const isa::ChildResult run =
      RunTxvm({"step", program.path(), "--import", "js.rand=random", "--import", "js.now=clock"},
              "step 40\nback 40\nstep 40\nq\n");
  EXPECT_EQ(run.exit_code, 0) << run.err;
}

TEST(Imports, WhatAssemblyScriptImportsIsKnown) {
  // "no" and "a.ts" as its strings: UTF-16, the number of bytes in the word before.
  const ScratchFile program(".wat", R"((module
    (import "env" "abort" (func $abort (param i32 i32 i32 i32)))
    (import "env" "trace" (func $trace (param i32 i32 f64 f64 f64 f64 f64)))
    (import "env" "seed" (func $seed (result f64)))
    (memory 1)
    (data (i32.const 12) "\04\00\00\00n\00o\00") (data (i32.const 28) "\08\00\00\00a\00.\00t\00s\00")
    (func (export "main")
      (call $trace (i32.const 16) (i32.const 2) (f64.const 1) (f64.const 2.5) (f64.const 0)
                   (f64.const 0) (f64.const 0))
      (if (f64.ge (call $seed) (f64.const 1)) (then (unreachable)))
      (call $abort (i32.const 16) (i32.const 32) (i32.const 3) (i32.const 9)))))");
  const isa::ChildResult run = RunTxvm({program.path()});
  EXPECT_EQ(run.out, "no 1 2.5\n");
  EXPECT_TRUE(Has(run.err, "trap: host (abort: no at a.ts:3:9) in function 'main'")) << run.err;
  EXPECT_TRUE(Has(run.err, "env.seed() -> f64: it is AssemblyScript's: it gives a random number"))
      << run.err;
}

TEST(Imports, APositionIndependentModuleRunsWithoutItsLoader) {
  const ScratchFile program(".wat", R"((module
    (import "env" "memory" (memory 0))
    (import "env" "__indirect_function_table" (table 1 funcref))
    (global $sp (import "env" "__stack_pointer") (mut i32))
    (global $mb (import "env" "__memory_base") i32)
    (global $tb (import "env" "__table_base") i32)
    (global $got (import "GOT.mem" "value") (mut i32))
    (global $fun (import "GOT.func" "seven") (mut i32))
    (global (export "value") i32 (i32.const 8))
    (type $get (func (result i32)))
    (func $seven (export "seven") (result i32) (i32.const 7))
    (func $five (result i32) (i32.const 5))
    (elem (global.get $tb) $five)
    (data (global.get $mb) "\01\00\00\00\00\00\00\00\2a\00\00\00")
    (func (export "main") (result i32 i32 i32 i32)
      (global.set $sp (i32.sub (global.get $sp) (i32.const 16)))
      (i32.store (global.get $sp) (i32.const 3))
      (i32.load (global.get $got))
      (call_indirect (type $get) (global.get $tb))
      (call_indirect (type $get) (global.get $fun))
      (i32.load (global.get $mb)))))");
  const isa::ChildResult run = RunTxvm({program.path()});
  EXPECT_EQ(run.out, "42\n5\n7\n1\n") << run.err;
}

TEST(Choices, WhereNoExportRunsByItselfEachIsShownWithACommand) {
  const ScratchFile program(".wat", R"((module
    (import "console" "log" (func $log (param i64)))
    (func $start (call $log (i64.const 7)))
    (func (export "add") (param i32 f64) (result f64) (local.get 1))
    (func (export "a b") (param i32))
    (start $start)))");
  const std::string message =
      "no export named _start or main, and no exported functions without params: choose one with "
      "--invoke:\n"
      "  add(i32, f64) -> f64  txvm " +
      program.path() +
      " --import console.log=print --invoke add 1 2.5\n"
      "  a b(i32)\n";
  const isa::ChildResult run = RunTxvm({program.path(), "--import", "console.log=print"});
  EXPECT_EQ(run.out, "7\n");  // of the start function
  EXPECT_EQ(run.err, "txvm: only the start function ran: " + message);
  EXPECT_EQ(run.exit_code, 0);
  const isa::ChildResult step = RunTxvm({"step", program.path(), "--import", "console.log=print"});
  const auto of = [&](std::string_view command) {
    std::string text = message;
    return text.replace(text.find("  txvm ") + 2, 4, "txvm " + std::string(command));
  };
  EXPECT_TRUE(Has(step.err, of("step"))) << step.err;
  const isa::ChildResult view =
      RunTxvm({"view", program.path(), "--import", "console.log=print", "-o", "a.html"});
  EXPECT_TRUE(Has(view.err, "txvm view " + program.path() +
                                " --import console.log=print -o a.html --invoke add 1 2.5\n"))
      << view.err;
  EXPECT_TRUE(Has(RunTxvm({program.path(), "--invoke", "add", "1"}).err,
                  "takes 2 arguments, but 1 was given: add(i32, f64) -> f64"));
}

TEST(Choices, AListingShowsTypesAndCommands) {
  const ScratchFile page(".wat", kPage);
  EXPECT_EQ(RunTxvm({page.path(), "--list"}).out,
            "imports\n"
            "  function  console.log  function (i32, i32) -> ()\n"
            "  global    js.global    mutable i32 global\n"
            "  table     js.table     funcref table of at least 2 elements\n"
            "  memory    js.mem       memory of at least 1 page\n"
            "exports\n"
            "  function  writeHi      function () -> ()                     txvm " +
                page.path() +
                " --invoke writeHi\n"
                "  function  pages        function (i32) -> (i32)               txvm " +
                page.path() +
                " --invoke pages 1\n"
                "  function  global       function (i32) -> (i32)               txvm " +
                page.path() + " --invoke global 1\n");
  const std::string json = RunTxvm({page.path(), "--list", "--json"}).out;
  EXPECT_TRUE(
      json.starts_with("{\"imports\": [{\"kind\": \"function\", \"name\": \"console.log\", "
                       "\"type\": \"function (i32, i32) -> ()\"}"))
      << json;
  const std::string assembly = RunTxvm({"examples/gcd.txa", "--list"}).out;
  EXPECT_TRUE(Has(assembly, "gcd")) << assembly;
}

}  // namespace
}  // namespace txvm::frontends::cli

// When and where what a WASI program writes arrives.
#include <gtest/gtest.h>

#include "frontends/cli/support/exit_code.h"
#include "frontends/cli/weights/model_entry.h"
#include "tests/frontends/cli/cli_runner.h"

namespace txvm::frontends::cli {
namespace {

// $write(file, address, count) -> errno, for the letters "abcde" at 100.
std::string Writer(std::string_view body) {
  return R"((module
    (import "wasi_snapshot_preview1" "fd_write"
      (func $fd_write (param i32 i32 i32 i32) (result i32)))
    (import "wasi_snapshot_preview1" "proc_exit" (func $exit (param i32)))
    (import "env" "putchar" (func $put (param i32) (result i32)))
    (memory (export "memory") 2)
    (data (i32.const 100) "abcde")
    (func $write (param $file i32) (param $at i32) (param $count i32) (result i32)
      (i32.store (i32.const 0) (local.get $at))
      (i32.store (i32.const 4) (local.get $count))
      (call $fd_write (local.get $file) (i32.const 0) (i32.const 1) (i32.const 8)))
    (func (export "_start") )" +
         std::string(body) + "))";
}

isa::ChildResult Shell(const std::string& script) {
  const isa::Result<isa::ChildResult> run = isa::RunChild({"/bin/sh", "-c", script}, {}, 60);
  EXPECT_TRUE(run);
  return run.value_or(isa::ChildResult{});
}

TEST(Output, ArrivesWhileTheProgramRuns) {
  const ScratchFile program(
      ".wat", Writer("(drop (call $write (i32.const 1) (i32.const 100) (i32.const 5)))"
                     "(loop (br 0))"));
  const ScratchFile output(".out", "");
  Shell(TXVM_BINARY " run " + program.path() + " --timeout 50s > " + output.path() +
        " & txvm=$!\n" + "for i in $(seq 200); do test -s " + output.path() +
        " && break; sleep 0.1; done\n" + "kill -9 $txvm");
  EXPECT_EQ(output.Read(), "abcde");
}

TEST(Output, OfEveryKindKeepsItsOrder) {
  const ScratchFile program(
      ".wat", Writer("(drop (call $put (i32.const 49)))"
                     "(drop (call $write (i32.const 1) (i32.const 100) (i32.const 1)))"
                     "(drop (call $put (i32.const 50)))"
                     "(drop (call $write (i32.const 2) (i32.const 101) (i32.const 1)))"
                     "(drop (call $write (i32.const 1) (i32.const 102) (i32.const 1)))"
                     "(drop (call $put (i32.const 51)))"
                     "unreachable"));
  const isa::ChildResult run = Shell("exec " TXVM_BINARY " run " + program.path() + " 2>&1");
  EXPECT_TRUE(run.out.starts_with("1a2bc3txvm: trap: unreachable")) << run.out;
}

TEST(Output, OfAnyLengthArrivesWhole) {
  const ScratchFile program(
      ".wat", Writer("(drop (call $write (i32.const 1) (i32.const 8) (i32.const 131064)))"
                     "(call $exit (i32.ne (i32.load (i32.const 8)) (i32.const 131064)))"));
  const isa::ChildResult run = RunTxvm({"run", program.path()});
  EXPECT_EQ(run.exit_code, 0) << run.err;
  EXPECT_EQ(run.out.size(), 131'064u);
}

TEST(Output, ThatAFileDoesNotTakeIsAnErrorOfTheCall) {
  const ScratchFile program(
      ".wat", Writer("(call $exit (call $write (i32.const 1) (i32.const 100) (i32.const 5)))"));
  const isa::ChildResult run = Shell("exec " TXVM_BINARY " run " + program.path() + " > /dev/full");
  constexpr int kNoSpace = 51;
  EXPECT_EQ(run.exit_code, kNoSpace);
  EXPECT_EQ(run.err, "txvm: error: cannot write to standard output\n");
  const ScratchFile careless(
      ".wat", Writer("(drop (call $write (i32.const 1) (i32.const 100) (i32.const 5)))"));
  EXPECT_EQ(Shell("exec " TXVM_BINARY " run " + careless.path() + " > /dev/full").exit_code,
            Value(ExitCode::kInternal));
}

TEST(Output, OneThingIsNotCalledSeveral) {
  const ScratchFile halt(".txa", ".memory 1 1\nHALT\n");
  const auto all = [&](const std::string& line, std::string_view input = {}) {
    const isa::ChildResult child = RunTxvm(Words(line), input);
    return child.out + child.err;
  };
  EXPECT_EQ(all("verify " + halt.path()),
            halt.path() + ": ok, 1 instruction, 1 function, at most 0 operand slots a function\n");
  EXPECT_NE(all("trace " + halt.path()).find("\nhalted after 1 step, digest "), std::string::npos);
  EXPECT_NE(all("trace examples/gcd.txa --first 1 --last 40 -i gcd 48 18").find("...  1 step not "),
            std::string::npos);
  EXPECT_NE(all(halt.path() + " --stats").find(": 1 step in "), std::string::npos);
  EXPECT_NE(all("examples/fib.wat -i fib 5 --fuel 1").find("out of fuel after 1 step in"),
            std::string::npos);
  const std::string step = all("step examples/fib.wat -i fib 5", "step\nback 2\ninfo\nwatch 8 1\n");
  EXPECT_NE(step.find("there is 1 step to go back, to step 0\n"), std::string::npos) << step;
  EXPECT_NE(step.find("step 0: 1 snapshot in "), std::string::npos) << step;
  EXPECT_NE(step.find("watch 1 of 1 byte at address 8\n"), std::string::npos) << step;
  EXPECT_EQ(all("examples/fib.wat -i fib 5 --max-slots 0"),
            "txvm: error: 1 argument exceeds the limit of 0 operand slots\n");
  EXPECT_NE(all("step " + halt.path(), "info\n").find(" memory 1 page,"), std::string::npos);
}

TEST(Output, AnOutcomeIsSaidInWords) {
  const std::string spin = "tests/frontends/cli/data/spin.txa";
  const isa::ChildResult traced = RunTxvm({"trace", spin, "--fuel", "5"});
  EXPECT_NE(traced.out.find("\nout of fuel after 5 steps, digest "), std::string::npos)
      << traced.out;
  const isa::ChildResult run = RunTxvm({"run", spin, "--fuel", "5", "--stats"});
  EXPECT_NE(run.err.find("\nout of fuel on attention: 5 steps in "), std::string::npos) << run.err;
}

TEST(Output, OfAModelsRunHasItsNumbersGrouped) {
  weights::ModelRun run;
  run.steps = 1'234;
  run.passes = 5'678;
  EXPECT_EQ(ModelRunText(run).find("out of fuel after 1,234 steps in 5,678 passes, top 0, "), 0u)
      << ModelRunText(run);
}

}  // namespace
}  // namespace txvm::frontends::cli

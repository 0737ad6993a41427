// txvm compile, asm and disasm: what they write, where, and what they refuse.
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdio>

#include "frontends/cli/support/exit_code.h"
#include "tests/frontends/cli/cli_runner.h"

namespace txvm::frontends::cli {
namespace {

constexpr std::string_view kEight = "PUSH 3\nPUSH 5\nADD\nHALT\n";

TEST(Translate, CompiledAndDisassembledProgramsRunTheSame) {
  const ScratchFile program(".txp", ""), text(".txa", "");
  ASSERT_EQ(RunTxvm({"compile", "examples/fib.wat", "-o", program.path()}).exit_code, 0);
  ASSERT_EQ(RunTxvm({"compile", "examples/fib.wat", "-o", text.path()}).exit_code, 0);
  const std::vector<std::string> call = {"--invoke", "fib", "11", "--trace-digest"};
  const auto run = [&](const std::string& path) {
    std::vector<std::string> arguments = {"run", path};
    arguments.insert(arguments.end(), call.begin(), call.end());
    return RunTxvm(arguments).out;
  };
  const std::string expected = run("examples/fib.wat");
  EXPECT_TRUE(expected.starts_with("89\ndigest ")) << expected;
  EXPECT_EQ(run(program.path()), expected);
  EXPECT_EQ(run(text.path()), expected);
  EXPECT_EQ(RunTxvm({"disasm", program.path()}).out, RunTxvm({"disasm", text.path()}).out);
}

TEST(Translate, WritesBesideTheSourceByDefault) {
  const ScratchFile text(".txa", kEight);
  const std::string program = text.path().substr(0, text.path().size() - 4) + ".txp";
  ASSERT_EQ(RunTxvm({"asm", text.path()}).exit_code, 0);
  EXPECT_EQ(RunTxvm({"run", program}).out, "8\n");
  std::remove(program.c_str());
}

TEST(Translate, WritesNothingOverItsSourceUnlessTold) {
  const ScratchFile text(".txa", kEight);
  for (const std::vector<std::string>& command :
       {std::vector<std::string>{"compile", text.path(), "-t", "txa"},
        {"asm", text.path().substr(0, text.path().size() - 4) + ".txp"}}) {
    const isa::ChildResult run = RunTxvm(command);
    EXPECT_EQ(run.exit_code, Value(ExitCode::kUsage)) << run.err;
    EXPECT_EQ(run.err,
              "txvm: error: the output would overwrite " + command[1] + ": name one with -o\n");
  }
  EXPECT_EQ(text.Read(), kEight);
  EXPECT_EQ(RunTxvm({"compile", text.path(), "-o", text.path()}).exit_code, 0);
  EXPECT_NE(text.Read(), kEight);
}

// In its own format a program may be written anew; in another one its source would be lost.
TEST(Translate, WritesNothingOverItsSourceInAnotherFormat) {
  constexpr std::string_view kModule = "(module (func (export \"main\") (result i32) i32.const 8))";
  const ScratchFile wat(".wat", kModule), text(".txa", kEight);
  const std::string link = wat.path() + ".link";
  ASSERT_EQ(symlink(wat.path().c_str(), link.c_str()), 0);
  for (const std::vector<std::string>& command :
       {std::vector<std::string>{"compile", wat.path(), "-t", "txp", "-o", wat.path()},
        {"compile", wat.path(), "-t", "tasm", "-o", wat.path()},
        {"compile", wat.path(), "-o", link},
        {"disasm", wat.path(), "-o", link},
        {"asm", text.path(), "-o", text.path()}}) {
    const isa::ChildResult run = RunTxvm(command);
    EXPECT_EQ(run.exit_code, Value(ExitCode::kUsage)) << run.err;
    EXPECT_EQ(run.err,
              "txvm: error: the output would overwrite " + command[1] + ": name another with -o\n");
  }
  std::remove(link.c_str());
  EXPECT_EQ(wat.Read(), kModule);
  EXPECT_EQ(text.Read(), kEight);
}

TEST(Translate, WritesNoProgramUnderTheNameOfASource) {
  for (const std::string extension : {"c", "wat", "wasm"}) {
    const ScratchFile out("." + extension, "");
    const std::vector<std::string> command = {"compile", "examples/fib.wat", "-o", out.path()};
    const isa::ChildResult run = RunTxvm(command);
    EXPECT_EQ(run.exit_code, Value(ExitCode::kUsage));
    EXPECT_EQ(run.err, "txvm: error: " + out.path() + " would be a ." + extension +
                           " file by its name, but compile writes txp, txa, tir, tasm, fold-ir "
                           "or c: choose with --target\n");
    EXPECT_EQ(out.Read(), "");
    EXPECT_EQ(RunTxvm({"compile", "examples/fib.wat", "-o", out.path(), "-t", "txp"}).exit_code, 0);
    EXPECT_NE(out.Read(), "");
  }
}

TEST(Translate, ListsTheRegisterFormWithItsInstructions) {
  const ScratchFile text(".txa", R"(.func sum params=1 results=1
  LOCAL.SET 0
  PUSH 0
again:
  LOCAL.GET 0
  ADD
  LOCAL.GET 0
  PUSH 1
  SUB
  LOCAL.TEE 0
  JNZ again
  RETURN
.end
.export "sum" sum
)");
  const isa::ChildResult run = RunTxvm({"compile", text.path(), "-t", "fold-ir", "-o", "-"});
  ASSERT_EQ(run.exit_code, 0) << run.err;
  EXPECT_EQ(run.out, R"(; 2 functions, 12 instructions; after ; the instruction that a line is from

; 0..9 sum
function 0: 1 params, 1 locals
b0: 0..1, 2 steps, entered
  check fuel else poll at 0
  v0 = [c0]                             ; 0
  l0 := v0
  c0 := 0
  goto b1                               ; 1
b1: 2..8, 7 steps, entered
  check fuel else poll at 2 [c0]=c0 [l0]=l0
  v2 = ADD c0 l0                        ; 3
  v5 = ADD l0 4294967295                ; 6
  l0 := v5
  c0 := v2
  if v5 goto b1 else b2                 ; 8
b2: 9..9, 1 steps
  [c0] = c0
  return 1                              ; 9

; 10..11
function 1: 1 params, 0 locals
b0: 10..10, 1 steps, entered
  check fuel else poll at 10
  call function 0 at c0, then b1        ; 10
b1: 11..11, 1 steps, entered
  check fuel else poll at 11
  halt at 11                            ; 11
)");
}

TEST(Translate, WritesAFoldedProgramAsC) {
  const ScratchFile out(".c", "");
  const isa::ChildResult run =
      RunTxvm({"compile", "examples/fib.wat", "-t", "c", "-o", out.path()});
  ASSERT_EQ(run.exit_code, 0) << run.err;
  const std::string text = out.Read();
  EXPECT_NE(text.find("#include \"txvm_folded.h\""), std::string::npos);
  EXPECT_NE(text.find("const txvm_folded_program "), std::string::npos);
  EXPECT_NE(text.find("_folded = {"), std::string::npos);
}

TEST(Translate, RefusesOptionsThatWouldDoNothing) {
  const isa::ChildResult run =
      RunTxvm({"compile", "examples/fib.wat", "-t", "tasm", "--unverified"});
  EXPECT_EQ(run.exit_code, Value(ExitCode::kUsage));
  EXPECT_EQ(run.err, "txvm: error: --unverified is for --target txp and txa, not tasm\n");
}

TEST(Translate, NamesTheFileThatHasNoListing) {
  const ScratchFile text(".txa", ".flat\nHALT\n");
  const isa::ChildResult run = RunTxvm({"disasm", text.path()});
  EXPECT_EQ(run.exit_code, Value(ExitCode::kBadInput));
  EXPECT_EQ(run.err, text.path() + ": error: instruction 0 belongs to no function\n");
}

TEST(Translate, RefusesWhatTheValidatorRejectsUnlessTold) {
  const std::string broken = "tests/frontends/cli/data/underflow.txa";
  const ScratchFile program(".txp", "");
  EXPECT_EQ(RunTxvm({"asm", broken, "-o", program.path()}).exit_code, Value(ExitCode::kBadInput));
  EXPECT_EQ(RunTxvm({"asm", broken, "-o", program.path(), "--unverified"}).exit_code, 0);
  EXPECT_EQ(RunTxvm({"run", program.path()}).exit_code, Value(ExitCode::kBadInput));
}

}  // namespace
}  // namespace txvm::frontends::cli

// Ctrl-C and deadlines.
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>

#include "frontends/cli/support/exit_code.h"
#include "tests/frontends/cli/cli_runner.h"

namespace txvm::frontends::cli {
namespace {

constexpr std::string_view kForever = "again: PUSH 1\n JNZ again\n";

// Sends one SIGINT to `txvm arguments...` after `seconds`.
isa::ChildResult RunAndInterrupt(const std::string& arguments, const std::string& seconds,
                                 const std::string& environment = {}) {
  const isa::Result<isa::ChildResult> run = isa::RunChild(
      {"/bin/sh", "-c",
       "exec env " + environment + "timeout --foreground --preserve-status -s INT -k 30 " +
           seconds + " " TXVM_BINARY " " + arguments},
      {}, 60);
  EXPECT_TRUE(run);
  return run.value_or(isa::ChildResult{});
}

TEST(Stop, InterruptEndsARunWithASummaryAndCode130) {
  const ScratchFile forever(".txa", kForever);
  for (const std::string engine : {"attention", "native"}) {
    const isa::ChildResult run = RunAndInterrupt("run " + forever.path() + " -e " + engine, "1");
    EXPECT_EQ(run.exit_code, Value(ExitCode::kInterrupted)) << engine;
    EXPECT_TRUE(run.err.starts_with("txvm: interrupted (signal) after ")) << run.err;
    EXPECT_EQ(run.out, "");
  }
}

TEST(Stop, InterruptedRunStillPrintsItsJson) {
  const ScratchFile forever(".txa", kForever);
  const isa::ChildResult run = RunAndInterrupt("run --json " + forever.path(), "1");
  EXPECT_EQ(run.exit_code, Value(ExitCode::kInterrupted));
  EXPECT_NE(run.out.find("\"outcome\": \"interrupted\""), std::string::npos) << run.out;
  EXPECT_NE(run.out.find("\"interrupt\": \"signal\""), std::string::npos) << run.out;
}

TEST(Stop, InterruptEndsTheStartFunctionToo) {
  const ScratchFile file(".wat",
                         "(module (func $f (loop (br 0))) (start $f) (func (export \"main\")))");
  EXPECT_EQ(RunAndInterrupt("run " + file.path(), "1").exit_code, Value(ExitCode::kInterrupted));
}

TEST(Stop, InterruptEndsScalingWithWhatWasMeasured) {
  const isa::ChildResult run = RunAndInterrupt("bench scaling --only fib --csv", "1");
  EXPECT_EQ(run.exit_code, Value(ExitCode::kInterrupted)) << run.err;
  EXPECT_TRUE(run.out.starts_with("program,engine,scale,")) << run.out;
}

TEST(Stop, InterruptEndsACompareThatWaitsForAChild) {
  if (isa::FindProgram("wat2wasm").empty()) GTEST_SKIP() << "wabt's tools are not installed";
  const std::filesystem::path folder =
      std::filesystem::path(::testing::TempDir()) / "txvm-sleeping-runtime";
  std::filesystem::create_directories(folder);
  // It interrupts txvm itself, however long txvm took to start it.
  std::ofstream(folder / "wasm-interp") << "#!/bin/sh\nkill -INT $PPID\nexec sleep 100\n";
  std::filesystem::permissions(folder / "wasm-interp", std::filesystem::perms::owner_all);
  const isa::ChildResult run =
      RunAndInterrupt("compare " TXVM_SOURCE_DIR "/examples/fib.wat --invoke fib 5 --reps 1", "50",
                      "PATH=" + folder.string() + ":$PATH ");
  std::filesystem::remove_all(folder);
  EXPECT_EQ(run.exit_code, Value(ExitCode::kInterrupted)) << run.err << run.out;
  EXPECT_NE(run.out.find("wasm-interp  interrupted"), std::string::npos) << run.out;
}

TEST(Stop, InterruptEndsACompilationWithCode130) {
  const std::filesystem::path folder =
      std::filesystem::path(::testing::TempDir()) / "txvm-sleeping-clang";
  std::filesystem::create_directories(folder);
  for (const char* tool : {"clang", "wasm-ld"}) {
    std::ofstream(folder / tool) << "#!/bin/sh\n"
                                    "if [ \"$1\" = -dumpversion ]; then echo 17; exit; fi\n"
                                    "kill -INT $PPID\nexec sleep 100\n";
    std::filesystem::permissions(folder / tool, std::filesystem::perms::owner_all);
  }
  const ScratchFile source(".c", "int f(void) { return 1; }\n");
  for (const std::string command : {"run", "compile", "compare"}) {
    const isa::ChildResult run =
        RunAndInterrupt(command + " " + source.path(), "15", "PATH=" + folder.string() + ":$PATH ");
    EXPECT_EQ(run.exit_code, Value(ExitCode::kInterrupted)) << run.err << run.out;
    EXPECT_EQ(run.err, source.path() + ": error: interrupted while it was compiled\n");
  }
  std::filesystem::remove_all(folder);
}

// Most of its time goes into reading the questions, when no machine runs.
TEST(Stop, InterruptEndsABatchOfQuestionsWithWholeAnswers) {
  std::string lines;
  for (int i = 0; i < 100'000; ++i) lines += "Add 5 and 6\n";
  const ScratchFile questions(".txt", lines);
  const isa::ChildResult asked = RunAndInterrupt("ask --batch " + questions.path(), "2");
  EXPECT_EQ(asked.exit_code, Value(ExitCode::kInterrupted)) << asked.err;
  EXPECT_TRUE(asked.out.starts_with("{\"question\": \"Add 5 and 6\", \"answer\": \"11\""));
  EXPECT_TRUE(asked.out.ends_with("}\n")) << asked.out.substr(asked.out.rfind('\n') + 1);
}

TEST(Stop, TimeoutEndsARunSoonAfterItsTime) {
  const ScratchFile forever(".txa", kForever);
  const isa::ChildResult run = RunTxvm({"run", forever.path(), "--timeout", "100ms"});
  EXPECT_EQ(run.exit_code, Value(ExitCode::kTimeout));
  EXPECT_TRUE(run.err.starts_with("txvm: interrupted (timeout) after ")) << run.err;
  EXPECT_GE(run.seconds, 0.1);
  EXPECT_LT(run.seconds, 20) << "generous: the computer may be busy";
}

// A pipe that takes some bytes and that nobody reads, for standard output: "1<>PATH".
class UnreadPipe {
 public:
  UnreadPipe() : file_(".fifo", "") {
    std::filesystem::remove(file_.path());
    EXPECT_EQ(mkfifo(file_.path().c_str(), S_IRUSR | S_IWUSR), 0);
  }
  std::string redirection() const { return " 1<>" + file_.path(); }

 private:
  ScratchFile file_;
};

constexpr std::string_view kPrintsForever[] = {
    R"((module (import "env" "putchar" (func $put (param i32) (result i32)))
         (func (export "_start") (loop (drop (call $put (i32.const 65))) (br 0)))))",
    R"((module (import "env" "print_i32" (func $print (param i32)))
         (func (export "_start") (loop (call $print (i32.const 65)) (br 0)))))",
    R"((module (import "wasi_snapshot_preview1" "fd_write"
           (func $write (param i32 i32 i32 i32) (result i32)))
         (memory (export "memory") 1)
         (data (i32.const 0) "\08\00\00\00\88\13\00\00")
         (func (export "_start")
           (loop (drop (call $write (i32.const 1) (i32.const 0) (i32.const 1) (i32.const 8)))
             (br 0)))))"};

TEST(Stop, TimeoutEndsARunWhoseOutputNobodyReads) {
  for (const std::string_view text : kPrintsForever) {
    const ScratchFile program(".wat", text);
    const UnreadPipe output;
    const isa::Result<isa::ChildResult> run = isa::RunChild(
        {"/bin/sh", "-c",
         "exec " TXVM_BINARY " run " + program.path() + " --timeout 100ms" + output.redirection()},
        {}, 60);
    ASSERT_TRUE(run);
    EXPECT_EQ(run->exit_code, Value(ExitCode::kTimeout)) << text;
    EXPECT_TRUE(run->err.starts_with("txvm: interrupted (timeout) after ")) << run->err;
    EXPECT_TRUE(run->err.ends_with("txvm: error: cannot write to standard output\n")) << run->err;
  }
}

// A question that ran out of its time ends nothing: the answers wait for a reader who comes late.
TEST(Stop, TimeoutOfOneQuestionLosesNoAnswers) {
  constexpr int kQuestions = 369;  // a little more than a pipe takes
  std::string lines = "sum 1 to 900000000\n";
  for (int i = 1; i < kQuestions; ++i) lines += "1 + 1\n";
  const ScratchFile questions(".txt", lines);
  const isa::Result<isa::ChildResult> asked = isa::RunChild(
      {"/bin/sh", "-c",
       TXVM_BINARY " ask --canonical --wide --fuel 100000000000 --timeout 50ms --batch " +
           questions.path() + " | { sleep 3; wc -l; }"},
      {}, 60);
  ASSERT_TRUE(asked);
  EXPECT_EQ(asked->err, "");
  EXPECT_EQ(std::stoi(asked->out), kQuestions);
}

TEST(Stop, InterruptEndsARunWhoseOutputNobodyReads) {
  for (const std::string_view text : kPrintsForever) {
    const ScratchFile program(".wat", text);
    const UnreadPipe output;
    const isa::ChildResult run =
        RunAndInterrupt("run " + program.path() + output.redirection(), "1");
    EXPECT_EQ(run.exit_code, Value(ExitCode::kInterrupted)) << text;
    EXPECT_TRUE(run.err.starts_with("txvm: interrupted (signal) after ")) << run.err;
  }
}

TEST(Stop, AProgramThatEndsInTimeIsNotDelayedByItsTimeout) {
  const isa::ChildResult run = RunTxvm({"examples/hello.wat", "--timeout", "1000s"});
  EXPECT_EQ(run.exit_code, 0);
  EXPECT_LT(run.seconds, 20);
}

}  // namespace
}  // namespace txvm::frontends::cli

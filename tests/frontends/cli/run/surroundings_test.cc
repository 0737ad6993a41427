// Every command that runs a program offers it the same: folders, environment, clock, random
// numbers, input and libraries.
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>

#include "frontends/c/temp_folder.h"
#include "tests/frontends/cli/cli_runner.h"
#include "vm/outcome.h"

namespace txvm::frontends::cli {
namespace {

namespace fs = std::filesystem;

/// Its `f` traps unless there is one environment variable, the folder is granted, input begins with
/// 'q' and lib.answer is 42. It makes folder `made`, prints "out", and returns a random byte.
constexpr std::string_view kImports = R"(
  (import "wasi_snapshot_preview1" "environ_sizes_get" (func $env (param i32 i32) (result i32)))
  (import "wasi_snapshot_preview1" "path_create_directory"
    (func $mkdir (param i32 i32 i32) (result i32)))
  (import "wasi_snapshot_preview1" "fd_read" (func $read (param i32 i32 i32 i32) (result i32)))
  (import "wasi_snapshot_preview1" "fd_write" (func $write (param i32 i32 i32 i32) (result i32)))
  (import "wasi_snapshot_preview1" "random_get" (func $random (param i32 i32) (result i32)))
  (import "wasi_snapshot_preview1" "clock_time_get" (func $time (param i32 i64 i32) (result i32)))
)";
constexpr std::string_view kBody = R"(
  (memory (export "memory") 1)
  (data (i32.const 0) "\40\00\00\00\01\00\00\00\50\00\00\00\03\00\00\00made")
  (data (i32.const 80) "out")
  (func $need (param i32) (if (i32.eqz (local.get 0)) (then unreachable)))
  (func (export "f") (result i32)
    (drop (call $env (i32.const 100) (i32.const 104)))
    (call $need (i32.eq (i32.load (i32.const 100)) (i32.const 1)))
    (call $need (i32.eqz (call $mkdir (i32.const 3) (i32.const 16) (i32.const 4))))
    (drop (call $read (i32.const 0) (i32.const 0) (i32.const 1) (i32.const 100)))
    (call $need (i32.eq (i32.load8_u (i32.const 64)) (i32.const 113)))
    (drop (call $time (i32.const 0) (i64.const 0) (i32.const 120)))
    (call $need (i64.eq (i64.load (i32.const 120)) (i64.const 1000000)))
    (drop (call $write (i32.const 1) (i32.const 8) (i32.const 1) (i32.const 100)))
    (drop (call $random (i32.const 100) (i32.const 1)))
    (i32.load8_u (i32.const 100)))
)";

class Surroundings : public testing::Test {
 protected:
  void SetUp() override {
    auto created = c::TempFolder::Create();
    ASSERT_TRUE(created);
    folder_.emplace(*std::move(created));
    ASSERT_TRUE(folder_->Write(
        "main.wat", "(module (import \"lib\" \"answer\" (func $answer (result i32)))" +
                        std::string(kImports) + std::string(kBody) +
                        "(func (export \"_initialize\") (call $need (i32.eq (call $answer) "
                        "(i32.const 42)))))"));
    ASSERT_TRUE(folder_->Write("lib.wat",
                               "(module (func (export \"answer\") (result i32) (i32.const 42)))"));
    ASSERT_TRUE(folder_->Write("input", "quiet"));
    ASSERT_TRUE(folder_->Write("tests.wast", "(module" + std::string(kImports) +
                                                 std::string(kBody) +
                                                 ")\n(assert_return (invoke \"f\") "
                                                 "(i32.const 99))\n"));
  }
  std::string Path(const std::string& name) const { return folder_->PathOf(name); }
  /// The command with everything that the program needs, in an empty folder.
  isa::ChildResult Run(const std::string& command, std::vector<std::string> more = {},
                       std::string_view input = {}) {
    fs::remove_all(Path("box"));
    fs::create_directory(Path("box"));
    std::vector<std::string> words = {command,    Path("main.wat"),
                                      "--invoke", "f",
                                      "--link",   "lib=" + Path("lib.wat"),
                                      "--dir",    Path("box") + ":box",
                                      "--env",    "A=1",
                                      "--clock",  "virtual",
                                      "--random", "7",
                                      "--stdin",  Path("input")};
    words.insert(words.end(), more.begin(), more.end());
    return RunTxvm(words, input);
  }

  std::optional<c::TempFolder> folder_;
};

TEST_F(Surroundings, AreTheSameInEveryCommand) {
  const isa::ChildResult run = Run("run");
  ASSERT_EQ(run.exit_code, 0) << run.err;
  const std::string result = "99";
  EXPECT_EQ(run.out, "out99\n");
  EXPECT_TRUE(fs::is_directory(Path("box/made")));
  const isa::ChildResult trace = Run("trace");
  EXPECT_NE(trace.out.find(", results " + result + ", digest "), std::string::npos)
      << trace.out << trace.err;
  const isa::ChildResult step = Run("step", {}, "continue\n");
  EXPECT_NE(step.out.find("halted, results " + result), std::string::npos) << step.out << step.err;
  const isa::ChildResult profile = Run("profile");
  EXPECT_NE(profile.out.find("halted after "), std::string::npos) << profile.out << profile.err;
  const isa::ChildResult view = Run("view", {"-o", Path("page.html")});
  EXPECT_EQ(view.exit_code, 0) << view.err;
  EXPECT_TRUE(fs::exists(Path("page.html")));
  const isa::ChildResult compare = Run("compare", {"--reps", "2", "--json"});
  EXPECT_EQ(compare.exit_code, 0) << compare.err;
  std::size_t engines = 0;
  for (const auto& row : nlohmann::json::parse(compare.out)) {
    if (row["steps"].is_null()) continue;
    ++engines;
    EXPECT_EQ(row["answer"], result) << row;
    EXPECT_EQ(row["printed_bytes"], 3) << row;
  }
  EXPECT_GE(engines, 3u);
  EXPECT_FALSE(fs::exists(Path("box/made")));  // each run had a copy
}

TEST_F(Surroundings, OfScriptsAreGivenToEveryModule) {
  const auto wast = [&](std::vector<std::string> more) {
    fs::remove_all(Path("box"));
    fs::create_directory(Path("box"));
    more.insert(more.begin(), {"wast", Path("tests.wast"), "--notes"});
    return RunTxvm(more, "q");
  };
  const isa::ChildResult all =
      wast({"--dir", Path("box") + ":box", "--env", "A=1", "--random", "7"});
  EXPECT_EQ(all.exit_code, 0) << all.err;
  EXPECT_TRUE(fs::is_directory(Path("box/made")));
  const isa::ChildResult none = wast({});
  EXPECT_NE(none.err.find("expected 99, got trap: unreachable"), std::string::npos) << none.err;
  const isa::ChildResult wrong = wast({"--dir", "/no/such/folder:x"});
  EXPECT_EQ(wrong.err,
            "txvm: error: cannot open the folder /no/such/folder: No such file or directory\n");
  EXPECT_EQ(wrong.exit_code, 3);
}

TEST_F(Surroundings, MistakesAreNamedByEveryCommand) {
  for (const std::string command : {"run", "trace", "step", "profile", "compare", "resume"}) {
    const auto error_of = [&](const std::vector<std::string>& options) {
      std::vector<std::string> words = {command};
      if (command == "resume") words.push_back("/no/such/snapshot");
      words.push_back(Path("main.wat"));
      words.insert(words.end(), options.begin(), options.end());
      const isa::ChildResult run = RunTxvm(words);
      EXPECT_EQ(run.exit_code, 2) << command << run.err;
      return run.err;
    };
    EXPECT_EQ(error_of({"--dir", ":x"}), "txvm: error: --dir ':x' lacks a folder or its name\n")
        << command;
    EXPECT_EQ(error_of({"--env", "A"}), "txvm: error: --env 'A' is not NAME=VALUE\n");
    EXPECT_EQ(error_of({"--clock", "x"}), "txvm: error: --clock 'x' is unknown: virtual or real\n");
    EXPECT_EQ(error_of({"--random", "x"}),
              "txvm: error: --random 'x' is unknown: a seed such as 42, or real\n");
    EXPECT_EQ(error_of({"--link", "lib"}), "txvm: error: --link 'lib' is not NAME=FILE\n");
    EXPECT_EQ(error_of({"--unknown-imports", "x"}),
              "txvm: error: --unknown-imports 'x' is unknown: refuse or trap\n");
  }
}

TEST_F(Surroundings, LibrariesAreRefusedWithTheirReason) {
  ASSERT_TRUE(folder_->Write("code.txa", ".func f results=1\n  PUSH 1\n.end\n.export \"f\" f\n"));
  ASSERT_TRUE(folder_->Write("other.wat", "(module (func (export \"answer\") (param i32)))"));
  for (const std::string command : {"run", "trace", "step", "profile", "compare"}) {
    const auto error_of = [&](const std::string& library) {
      const isa::ChildResult run =
          RunTxvm({command, Path("main.wat"), "--invoke", "f", "--link", library});
      EXPECT_NE(run.exit_code, 0);
      return run.err;
    };
    EXPECT_NE(
        error_of("lib=" + Path("code.txa"))
            .find("--link links .wat and .wasm files; " + Path("code.txa") + " is a .txa file"),
        std::string::npos);
    EXPECT_NE(error_of("lib=/no/such.wat").find("/no/such.wat: error: cannot read: No such file"),
              std::string::npos);
    EXPECT_NE(error_of("lib=" + Path("other.wat")).find("\"lib\" \"answer\""), std::string::npos);
    EXPECT_NE(error_of("bil=" + Path("lib.wat")).find("answer"), std::string::npos);
  }
}

// Where standard streams are closed, files must not take their numbers.
TEST_F(Surroundings, ClosedStreamsAreNotFilesOfTheProgram) {
  ASSERT_TRUE(folder_->Write("prog.wat", R"((module
    (import "wasi_snapshot_preview1" "path_open"
      (func $open (param i32 i32 i32 i32 i32 i64 i64 i32 i32) (result i32)))
    (import "wasi_snapshot_preview1" "fd_write" (func $write (param i32 i32 i32 i32) (result i32)))
    (import "wasi_snapshot_preview1" "proc_exit" (func $exit (param i32)))
    (memory (export "memory") 1)
    (data (i32.const 0) "\08\00\00\00\03\00\00\00log")
    (func (export "_start")
      (drop (call $open (i32.const 3) (i32.const 0) (i32.const 8) (i32.const 3) (i32.const 1)
        (i64.const 66) (i64.const 0) (i32.const 0) (i32.const 16)))
      (drop (call $write (i32.const 1) (i32.const 0) (i32.const 1) (i32.const 20)))
      (drop (call $write (i32.const 2) (i32.const 0) (i32.const 1) (i32.const 20))))))"));
  for (const std::string closed : {"<&-", "<&- >&-", "<&- >&- 2>&-", ">&- 2>&-"}) {
    fs::remove_all(Path("box"));
    fs::create_directory(Path("box"));
    const auto run = isa::RunChild({"/bin/sh", "-c",
                                    "exec " TXVM_BINARY " run " + Path("prog.wat") + " --dir " +
                                        Path("box") + ":box " + closed},
                                   {}, 60);
    ASSERT_TRUE(run);
    EXPECT_EQ(fs::file_size(Path("box/log")), 0u) << closed;
  }
}

// folded leaves runs that are observed to native, and every command says so.
TEST(Substitute, IsNamedWhereverFoldedDoesNotRun) {
  const std::string fib = "examples/fib.wat --invoke fib 12 --engine folded";
  const std::string note = "txvm: engine folded runs as native where steps are observed\n";
  const auto err_of = [&](const std::string& line, std::string_view input = {}) {
    const isa::ChildResult run = RunTxvm(Words(line), input);
    EXPECT_EQ(run.exit_code, 0) << run.err;
    return run.err;
  };
  const ScratchFile page(".html", ""), trace(".tsv", ""), snapshot(".txs", "");
  EXPECT_EQ(err_of("run " + fib), "");
  EXPECT_EQ(err_of("run " + fib + " --trace-digest"), note);
  EXPECT_EQ(err_of("run " + fib + " --trace " + trace.path()), note);
  EXPECT_NE(err_of("run " + fib + " --stats").find(note), std::string::npos);
  EXPECT_EQ(err_of("run " + fib + " --json"), "");
  EXPECT_NE(err_of("run " + fib + " --snapshot " + snapshot.path()).find(note), std::string::npos);
  EXPECT_EQ(err_of("trace " + fib), note);
  EXPECT_EQ(err_of("profile " + fib), note);
  EXPECT_EQ(err_of("step " + fib, "step 3\n"), note);
  EXPECT_NE(err_of("view " + fib + " -o " + page.path()).find(note), std::string::npos);
  const isa::ChildResult compare =
      RunTxvm({"compare", "examples/fib.wat", "--invoke", "fib", "12", "--reps", "1"});
  EXPECT_EQ(compare.err, "");  // nothing is observed there
}

}  // namespace
}  // namespace txvm::frontends::cli

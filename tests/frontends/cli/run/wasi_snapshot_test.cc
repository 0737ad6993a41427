// Snapshots of runs that have files open: resumed on any engine, after a kill, and where something
// is not as it was; and `txvm step` back over a write.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "frontends/c/temp_folder.h"
#include "tests/frontends/cli/cli_runner.h"

namespace txvm::frontends::cli {
namespace {

namespace fs = std::filesystem;

/// Opens `log` to append and `data` to write in descriptor 3, then writes `rounds` times the time
/// and 8 random bytes to both, with `pause` steps or so in between. Ends with exit code 7.
std::string Program(int rounds, int pause) {
  return fmt::format(R"((module
  (import "wasi_snapshot_preview1" "path_open"
    (func $open (param i32 i32 i32 i32 i32 i64 i64 i32 i32) (result i32)))
  (import "wasi_snapshot_preview1" "fd_write" (func $write (param i32 i32 i32 i32) (result i32)))
  (import "wasi_snapshot_preview1" "fd_read" (func $read (param i32 i32 i32 i32) (result i32)))
  (import "wasi_snapshot_preview1" "clock_time_get" (func $time (param i32 i64 i32) (result i32)))
  (import "wasi_snapshot_preview1" "random_get" (func $random (param i32 i32) (result i32)))
  (import "wasi_snapshot_preview1" "proc_exit" (func $exit (param i32)))
  (memory (export "memory") 1)
  (data (i32.const 16) "logdata")
  (data (i32.const 64) "\80\00\00\00\10\00\00\00")
  (func $check (param i32) (if (local.get 0) (then (call $exit (i32.add (i32.const 100) (local.get 0))))))
  (func (export "_start") (local $i i32) (local $j i32)
    (call $check (call $open (i32.const 3) (i32.const 0) (i32.const 16) (i32.const 3)
      (i32.const 1) (i64.const 100) (i64.const 0) (i32.const 1) (i32.const 0)))
    (call $check (call $open (i32.const 3) (i32.const 0) (i32.const 19) (i32.const 4)
      (i32.const 9) (i64.const 102) (i64.const 0) (i32.const 0) (i32.const 4)))
    (local.set $i (i32.const {}))
    (loop $rounds
      (call $check (call $time (i32.const 0) (i64.const 0) (i32.const 128)))
      (call $check (call $random (i32.const 136) (i32.const 8)))
      (call $check (call $write (i32.load (i32.const 0)) (i32.const 64) (i32.const 1) (i32.const 8)))
      (local.set $j (i32.const {}))
      (loop $pause (br_if $pause (local.tee $j (i32.sub (local.get $j) (i32.const 1)))))
      (call $check (call $write (i32.load (i32.const 4)) (i32.const 64) (i32.const 1) (i32.const 8)))
      (br_if $rounds (local.tee $i (i32.sub (local.get $i) (i32.const 1)))))
    (call $exit (i32.const 7))))
)",
                     rounds, pause);
}

std::string Contents(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// A program, a folder to run it in, and what an uncut run leaves there.
class WasiSnapshot : public testing::Test {
 protected:
  void SetUp() override {
    auto created = c::TempFolder::Create();
    ASSERT_TRUE(created);
    folder_.emplace(*std::move(created));
    fs::create_directory(folder_->PathOf("box"));
    snapshot_ = folder_->PathOf("run.txs");
  }
  /// Makes the program and notes what it writes when nothing stops it.
  void Prepare(int rounds, int pause) {
    ASSERT_TRUE(folder_->Write("prog.wat", Program(rounds, pause)));
    fs::create_directory(folder_->PathOf("whole"));
    const isa::ChildResult whole =
        RunTxvm({"run", Path("prog.wat"), "--dir", Path("whole") + ":box", "--engine", "native"});
    EXPECT_EQ(whole.exit_code, 7) << whole.err;
    expected_ = Contents(Path("whole/log"));
    EXPECT_EQ(expected_.size(), static_cast<std::size_t>(rounds) * 16);
    EXPECT_EQ(Contents(Path("whole/data")), expected_);
  }
  std::string Path(const std::string& name) const { return folder_->PathOf(name); }
  isa::ChildResult Run(std::vector<std::string> options) {
    options.insert(options.begin(), {"run", Path("prog.wat"), "--dir", Path("box") + ":box",
                                     "--snapshot", snapshot_});
    return RunTxvm(options);
  }
  isa::ChildResult Resume(std::vector<std::string> options, const std::string& grant = ":box") {
    options.insert(options.begin(), {"resume", snapshot_, Path("prog.wat")});
    if (!grant.empty()) options.insert(options.end(), {"--dir", Path("box") + grant});
    return RunTxvm(options);
  }
  void ExpectWhole() {
    EXPECT_EQ(Contents(Path("box/log")) == expected_, true);
    EXPECT_EQ(Contents(Path("box/data")) == expected_, true);
  }

  std::optional<c::TempFolder> folder_;
  std::string snapshot_, expected_;
};

TEST_F(WasiSnapshot, GoesFromEngineToEngine) {
  Prepare(40, 50);
  const std::vector<std::string> engines = {"attention", "native", "folded"};
  for (const std::string& first : engines) {
    for (const std::string& second : engines) {
      fs::remove_all(Path("box"));
      fs::create_directory(Path("box"));
      EXPECT_EQ(Run({"--engine", first, "--fuel", "3000"}).exit_code, 5);
      EXPECT_LT(Contents(Path("box/log")).size(), expected_.size());
      const isa::ChildResult resumed = Resume({"--engine", second});
      EXPECT_EQ(resumed.exit_code, 7) << resumed.err;
      EXPECT_EQ(resumed.err.find("closed"), std::string::npos) << resumed.err;
      ExpectWhole();
    }
  }
}

// In pieces of every length, so that it is cut between any two calls.
TEST_F(WasiSnapshot, GoesOnFromAnyStep) {
  Prepare(6, 3);
  for (const int piece : {17, 29, 101}) {
    fs::remove_all(Path("box"));
    fs::create_directory(Path("box"));
    const std::string fuel = std::to_string(piece);
    isa::ChildResult part = Run({"--engine", "native", "--fuel", fuel});
    int parts = 1;
    for (; part.exit_code == 5 && parts < 1'000; ++parts) {
      part = Resume({"--engine", "native", "--fuel", fuel, "--snapshot", snapshot_});
    }
    EXPECT_EQ(part.exit_code, 7) << part.err;
    EXPECT_GT(parts, 3);
    ExpectWhole();
  }
}

TEST_F(WasiSnapshot, WritesOneEverySoManyStepsOverTheLast) {
  Prepare(40, 50);
  const isa::ChildResult run = Run({"--snapshot-every", "1000"});
  EXPECT_EQ(run.exit_code, 7) << run.err;
  EXPECT_NE(run.err.find(" snapshots, the last: snapshot at step "), std::string::npos) << run.err;
  EXPECT_NE(run.err.find(",000 written to "), std::string::npos) << run.err;
  ExpectWhole();
  const isa::ChildResult both = Run({"--snapshot-every", "10", "--snapshot-at", "10"});
  EXPECT_EQ(both.err, "txvm: error: --snapshot-at and --snapshot-every exclude each other\n");
  EXPECT_EQ(both.exit_code, 2);
  EXPECT_EQ(Run({"--snapshot-every", "0"}).exit_code, 2);
  // The digest and the counts are those of an uncut run.
  const std::string fib = "run examples/fib.wat --invoke fib 15 --trace-digest";
  const isa::ChildResult cut =
      RunTxvm(Words(fib + " --snapshot-every 777 --snapshot " + snapshot_));
  EXPECT_EQ(cut.out, RunTxvm(Words(fib)).out);
  EXPECT_NE(cut.err.find("25 snapshots, the last: snapshot at step 19,425 "), std::string::npos)
      << cut.err;
  const isa::ChildResult full = RunTxvm(Words(fib + " --snapshot-every 777 --snapshot /dev/full"));
  EXPECT_EQ(full.out, cut.out);
  EXPECT_EQ(full.exit_code, 1);
}

// What a killed run wrote after its last snapshot is cut off, or said; nothing is lost.
TEST_F(WasiSnapshot, NothingIsLostWhenARunIsKilled) {
  Prepare(2'000, 30'000);
  for (const int part : {1, 3}) {
    fs::remove_all(Path("box"));
    fs::create_directory(Path("box"));
    fs::remove(snapshot_);
    const std::size_t enough = expected_.size() / 8 * static_cast<std::size_t>(part);
    const auto killed =
        isa::RunChild({TXVM_BINARY, "run", Path("prog.wat"), "--dir", Path("box") + ":box",
                       "--engine", "native", "--snapshot", snapshot_, "--snapshot-every", "500k"},
                      {}, 60, [&] {
                        std::error_code error;
                        const auto size = fs::file_size(Path("box/log"), error);
                        return !error && size >= enough && fs::exists(snapshot_);
                      });
    ASSERT_TRUE(killed);
    if (!killed->timed_out) GTEST_SKIP() << "the run ended before it was killed";
    EXPECT_LT(Contents(Path("box/log")).size(), expected_.size());
    const isa::ChildResult resumed = Resume({"--engine", "native", "--cut-grown"});
    EXPECT_EQ(resumed.exit_code, 7) << resumed.err;
    ExpectWhole();
  }
}

TEST_F(WasiSnapshot, SaysWhatItCannotRestore) {
  Prepare(40, 50);
  EXPECT_EQ(Run({"--fuel", "3000"}).exit_code, 5);
  const auto said = [](const isa::ChildResult& run, const std::string& text) {
    EXPECT_NE(run.err.find("txvm: " + text + "\n"), std::string::npos) << run.err;
  };
  const std::size_t size = Contents(Path("box/log")).size();
  isa::ChildResult run = Resume({}, "");
  EXPECT_EQ(run.exit_code, 108);  // bad descriptor
  said(run, "descriptor 3 (box) is closed now: its folder is not granted now");
  said(run, "descriptor 4 (box/log) is closed now: its folder is not granted now");
  run = Resume({}, ":box:ro");
  EXPECT_EQ(run.exit_code, 108);
  said(run, "descriptor 5 (box/data) can be read alone now");
  run = Resume({"--clock", "real", "--fuel", "0"});
  said(run, "the run had the virtual clock, now it has the system's");
  fs::resize_file(Path("box/log"), 16);
  said(Resume({"--fuel", "0"}),
       fmt::format("descriptor 4 (box/log) has 16 bytes, it had {} at the snapshot", size));
  fs::remove(Path("box/data"));
  run = Resume({});
  EXPECT_EQ(run.exit_code, 108);
  said(run,
       "descriptor 5 (box/data) is closed now: it cannot be opened again: No such file or "
       "directory");
}

TEST_F(WasiSnapshot, StandardInputGoesOnWhereItWas) {
  ASSERT_TRUE(folder_->Write("prog.wat", R"((module
    (import "wasi_snapshot_preview1" "fd_read" (func $read (param i32 i32 i32 i32) (result i32)))
    (import "wasi_snapshot_preview1" "fd_write" (func $write (param i32 i32 i32 i32) (result i32)))
    (memory (export "memory") 1)
    (data (i32.const 0) "\40\00\00\00\02\00\00\00")
    (func (export "_start") (local i32)
      (local.set 0 (i32.const 3))
      (loop
        (drop (call $read (i32.const 0) (i32.const 0) (i32.const 1) (i32.const 8)))
        (drop (call $write (i32.const 1) (i32.const 0) (i32.const 1) (i32.const 8)))
        (br_if 0 (local.tee 0 (i32.sub (local.get 0) (i32.const 1))))))))"));
  ASSERT_TRUE(folder_->Write("in", "abcdef"));
  const isa::ChildResult whole = RunTxvm({"run", Path("prog.wat"), "--stdin", Path("in")});
  EXPECT_EQ(whole.out, "abcdef");
  const isa::ChildResult first = RunTxvm(
      {"run", Path("prog.wat"), "--stdin", Path("in"), "--fuel", "20", "--snapshot", snapshot_});
  const isa::ChildResult rest = Resume({"--stdin", Path("in")}, "");
  EXPECT_EQ(first.out + rest.out, "abcdef");
  EXPECT_EQ(rest.err.find("standard input"), std::string::npos) << rest.err;
  const isa::ChildResult piped = Resume({}, "");
  EXPECT_NE(piped.err.find("standard input goes on with what comes now: 2 bytes of it were read"),
            std::string::npos)
      << piped.err;
  const isa::ChildResult absent = RunTxvm({"run", Path("prog.wat"), "--stdin", "/no/such/file"});
  EXPECT_EQ(absent.err, "/no/such/file: error: cannot read: No such file or directory\n");
  EXPECT_EQ(absent.exit_code, 3);
}

TEST_F(WasiSnapshot, StepBackOverAWriteSaysThatTheFileKeepsIt) {
  Prepare(3, 2);
  const auto step = [&](const std::string& commands, std::vector<std::string> options = {}) {
    options.insert(options.begin(), {"step", Path("prog.wat"), "--dir", Path("box") + ":box"});
    const isa::ChildResult run = RunTxvm(options, commands);
    EXPECT_EQ(run.exit_code, 0) << run.err;
    return run.out;
  };
  // Two files are created and written three times each: eight changes.
  const std::string out = step("continue\ngoto 0\ncontinue\nback 1\n");
  EXPECT_NE(out.find("files keep 8 changes that the run made after this step\n"), std::string::npos)
      << out;
  EXPECT_EQ(out.find("files keep", out.find("files keep") + 1), std::string::npos) << out;
  ExpectWhole();  // written once
  const std::string saved =
      step("continue\ngoto 0\nsnapshot " + snapshot_ + "\ncontinue\n", {"--engine", "native"});
  EXPECT_NE(saved.find("it holds no open files: the run has been further, and files keep what was "
                       "written\n"),
            std::string::npos)
      << saved;
}

}  // namespace
}  // namespace txvm::frontends::cli

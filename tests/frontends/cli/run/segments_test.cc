// txvm run --segments and txvm check: every engine finds the segments of another one's run, and
// whatever is forged, damaged or missing is named with its segment.
#include "frontends/cli/run/segments.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <functional>

#include "isa/support/file.h"
#include "isa/support/sha256.h"
#include "tests/frontends/cli/cli_runner.h"
#include "vm/snapshot_file.h"

namespace txvm::frontends::cli {
namespace {

namespace fs = std::filesystem;

isa::ChildResult Txvm(const std::string& line, std::string_view input = {}) {
  return RunTxvm(Words(line), input);
}

/// A folder that does not exist yet, removed with what is in it.
class Folder : public testing::Test {
 protected:
  Folder() : file_(".segments", ""), path_(file_.path() + ".d") {}
  ~Folder() override { fs::remove_all(path_); }

  const std::string& path() const { return path_; }
  /// Records a run of six segments.
  void Record(const std::string& options = "") {
    const isa::ChildResult run =
        Txvm("run examples/fib.wat --invoke fib 15 --segments " + path_ + " --every 4k " + options);
    ASSERT_EQ(run.exit_code, 0) << run.err;
    EXPECT_EQ(run.out, "610\n");
  }
  isa::ChildResult Check(const std::string& options = "") {
    return Txvm("check " + path_ + " " + options);
  }
  void ExpectWrong(const std::string& sentence, const std::string& options = "") {
    const isa::ChildResult check = Check(options);
    EXPECT_EQ(check.exit_code, 8) << check.out << check.err;
    EXPECT_NE(check.out.find(sentence), std::string::npos) << check.out << check.err;
  }
  void ExpectError(const std::string& sentence, int exit_code, const std::string& options = "") {
    const isa::ChildResult check = Check(options);
    EXPECT_EQ(check.exit_code, exit_code) << check.out << check.err;
    EXPECT_NE(check.err.find(sentence), std::string::npos) << check.err;
  }
  /// Changes a state as one would who can write the folder: the manifest fits it.
  void Forge(std::size_t index, const std::function<void(vm::Snapshot&)>& change) {
    auto segments = ReadManifest(path_);
    ASSERT_TRUE(segments) << segments.error().ToString();
    const std::string file = StatePath(path_, index);
    const std::string text = *isa::ReadFile(file);
    auto snapshot =
        vm::ReadSnapshot({reinterpret_cast<const std::uint8_t*>(text.data()), text.size()});
    ASSERT_TRUE(snapshot) << snapshot.error().ToString();
    change(*snapshot);
    const std::vector<std::uint8_t> bytes = vm::WriteSnapshot(*snapshot);
    ASSERT_TRUE(isa::WriteFile(file, {reinterpret_cast<const char*>(bytes.data()), bytes.size()}));
    segments->states[index].sha256 = isa::Sha256(bytes);
    segments->states[index].digest = snapshot->digest;
    ASSERT_TRUE(WriteManifest(path_, *segments));
  }

 private:
  ScratchFile file_;
  std::string path_;
};

TEST_F(Folder, EveryEngineReplaysWhatAttentionDid) {
  Record();
  for (const std::string engine : {"native", "attention", "folded", "hull"}) {
    const isa::ChildResult check = Check("--engine " + engine + " --jobs 2");
    EXPECT_EQ(check.exit_code, 0) << check.err;
    EXPECT_EQ(check.out, "5 segments of 5 replayed on " + engine +
                             ": 19,728 steps as recorded on attention, which ended 'halted'\n");
  }
  const isa::ChildResult some = Check("--only 0,2-3 --json");
  EXPECT_EQ(some.out, "{\"folder\": \"" + path() +
                          "\", \"engine\": \"native\", \"segments\": 5, \"checked\": 3, "
                          "\"steps\": 12000, \"wrong\": []}\n");
}

TEST_F(Folder, TheTransformerReplaysAShortSegment) {
  const isa::ChildResult run =
      Txvm("run examples/fib.wat --invoke fib 15 --segments " + path() + " --every 40 --fuel 120");
  EXPECT_EQ(run.exit_code, 5) << run.err;
  const isa::ChildResult check = Check("--engine transformer");
  EXPECT_EQ(check.exit_code, 0) << check.out << check.err;
  EXPECT_NE(check.out.find("which ended 'out of fuel'"), std::string::npos) << check.out;
}

TEST_F(Folder, ATrapIsAnEndToo) {
  const isa::ChildResult run =
      Txvm("run examples/trap.wat --invoke divide 0 --segments " + path() + " --every 1");
  EXPECT_EQ(run.exit_code, 4) << run.err;
  const isa::ChildResult check = Check();
  EXPECT_EQ(check.exit_code, 0) << check.out << check.err;
  EXPECT_NE(check.out.find("which ended 'trapped'"), std::string::npos) << check.out;
}

TEST_F(Folder, WhatAWasiProgramFindsIsFoundAgain) {
  const ScratchFile program(".wat", R"((module
  (import "wasi_snapshot_preview1" "random_get" (func $random (param i32 i32) (result i32)))
  (import "wasi_snapshot_preview1" "clock_time_get" (func $clock (param i32 i64 i32) (result i32)))
  (memory (export "memory") 1)
  (func (export "_start") (local $i i32)
    (loop $more
      (drop (call $random (i32.shl (local.get $i) (i32.const 4)) (i32.const 8)))
      (drop (call $clock (i32.const 1) (i64.const 0)
                         (i32.add (i32.shl (local.get $i) (i32.const 4)) (i32.const 8))))
      (local.set $i (i32.add (local.get $i) (i32.const 1)))
      (br_if $more (i32.lt_u (local.get $i) (i32.const 100)))))))");
  const isa::ChildResult run =
      Txvm("run " + program.path() + " --random 7 --segments " + path() + " --every 500");
  EXPECT_EQ(run.exit_code, 0) << run.err;
  const isa::ChildResult check = Check("--engine attention");
  EXPECT_EQ(check.exit_code, 0) << check.out << check.err;
}

TEST_F(Folder, ImportsThatWereAllowedToTrapAreAllowedAgain) {
  const ScratchFile program(".txa",
                            ".import f \"env\" \"launch\" params=1 results=1\n"
                            ".func calls params=1 results=1\nCALL f\n.end\n"
                            ".export \"calls\" calls\n");
  const isa::ChildResult run =
      Txvm("run " + program.path() + " --unknown-imports trap --invoke calls 41 --segments " +
           path() + " --every 1");
  EXPECT_EQ(run.exit_code, 4) << run.err;
  const isa::ChildResult check = Check();
  EXPECT_EQ(check.exit_code, 0) << check.out << check.err;
}

TEST_F(Folder, ARunThatIsKilledLeavesACheckedBeginning) {
  const std::string line = std::string(TXVM_BINARY) +
                           " run " TXVM_SOURCE_DIR "/examples/fib.wat --invoke fib 40 --segments " +
                           path() + " --every 100k & p=$!; while [ ! -e " + path() +
                           "/000004.txs ] && kill -0 $p; do sleep 0.01; done; kill -9 $p; wait";
  const auto child = isa::RunChild({"/bin/sh", "-c", line}, {}, 60);
  ASSERT_TRUE(child && !child->timed_out);
  const isa::ChildResult check = Check();
  EXPECT_EQ(check.exit_code, 0) << check.out << check.err;
  EXPECT_NE(check.out.find("which ended 'out of fuel'"), std::string::npos) << check.out;
}

TEST_F(Folder, AForgedStateIsFoundInTheSegmentsAroundIt) {
  Record();
  Forge(2, [](vm::Snapshot& snapshot) { snapshot.stack.back() ^= 1; });
  ExpectWrong("segment 1 (steps 4,000 to 8,000): the operand stack differs", "--only 1");
  ExpectWrong("segment 2 (steps 8,000 to 12,000): ", "--only 2 --engine attention");
  const isa::ChildResult others = Check("--only 0,3-4");
  EXPECT_EQ(others.exit_code, 0) << others.out;
}

TEST_F(Folder, AForgedDigestIsFound) {
  Record();
  Forge(3, [](vm::Snapshot& snapshot) { snapshot.digest ^= 1; });
  ExpectWrong("segment 2 (steps 8,000 to 12,000): the digest is ");
}

TEST_F(Folder, AForgedBeginningIsFound) {
  Record();
  Forge(0, [](vm::Snapshot& snapshot) { snapshot.stack.back() = 14; });
  ExpectWrong("segment 0 (steps 0 to 4,000): where the run begins: the operand stack differs");
}

TEST_F(Folder, AForgedResultIsFound) {
  Record();
  auto segments = ReadManifest(path());
  ASSERT_TRUE(segments);
  segments->end.results.front() = 611;
  ASSERT_TRUE(WriteManifest(path(), *segments));
  ExpectWrong("segment 4 (steps 16,000 to 19,728): the results differ");
}

TEST_F(Folder, DamagedAndMissingStatesAreNamed) {
  Record();
  std::string bytes = *isa::ReadFile(StatePath(path(), 1));
  bytes.resize(bytes.size() / 2);
  ASSERT_TRUE(isa::WriteFile(StatePath(path(), 1), bytes));
  ExpectWrong("000001.txs is not the state that the manifest names: its SHA-256 differs");
  fs::remove(StatePath(path(), 1));
  ExpectWrong("000001.txs: cannot read: No such file or directory");
}

TEST_F(Folder, AStateOfAnotherProgramIsNamed) {
  Record();
  const std::string other = path() + "/other";
  const isa::ChildResult run = Txvm("run examples/sum.txa --segments " + other + " --every 100");
  ASSERT_EQ(run.exit_code, 0) << run.err;
  fs::copy_file(StatePath(other, 1), StatePath(path(), 1), fs::copy_options::overwrite_existing);
  Forge(1, [](vm::Snapshot&) {});
  ExpectWrong("segment 0 (steps 0 to 4,000): ");
  fs::copy_file(other + "/program.txp", path() + "/program.txp",
                fs::copy_options::overwrite_existing);
  ExpectError("this is not the program that the manifest names", 3);
}

TEST_F(Folder, ABrokenManifestIsOneClearError) {
  Record();
  const std::string file = path() + "/segments.json";
  const std::string text = *isa::ReadFile(file);
  const auto with = [&](std::string_view from, std::string_view to) {
    std::string changed = text;
    changed.replace(changed.find(from), from.size(), to);
    ASSERT_TRUE(isa::WriteFile(file, changed));
  };
  with("\"every\": 4000", "\"every\": -1");
  ExpectError("segments.json: error: manifest: 'every' is negative", 3);
  with("\"states\"", "\"stages\"");
  ExpectError("manifest: 'states' is missing", 3);
  with("\"txvm_segments\": 1", "\"txvm_segments\": 2");
  ExpectError("manifest: 'txvm_segments' is no version that this txvm reads (1)", 3);
  with("\"step\": 8000", "\"step\": 3");
  ExpectError("manifest: 'step' of a state does not ascend from 0", 3);
  ASSERT_TRUE(isa::WriteFile(file, text.substr(0, 200)));
  ExpectError("segments.json: error: ", 3);
  fs::remove(file);
  ExpectError("segments.json", 3);
}

TEST_F(Folder, WhatCannotBeReplayedIsRefused) {
  const auto refused = [&](const std::string& options, const std::string& sentence) {
    const isa::ChildResult run =
        Txvm("run examples/fib.wat --invoke fib 15 --segments " + path() + " " + options);
    EXPECT_EQ(run.exit_code, 2) << options;
    EXPECT_NE(run.err.find(sentence), std::string::npos) << run.err;
  };
  refused("--dir .", "--segments does not go with --dir: files are not in the segments");
  refused("--clock real", "--segments does not go with --clock real");
  refused("--random real", "--segments does not go with --random real");
  refused("--stats", "--segments does not go with --stats, --trace or --snapshot");
  refused("--every 0", "--every");
  Record();
  refused("", "the folder holds something already");
  ExpectError("--only 5: '5' is neither a segment nor a range of them; there are 0 to 4", 2,
              "--only 5");
  ExpectError("'3-1' is neither a segment nor a range of them", 2, "--only 0,3-1");
}

}  // namespace
}  // namespace txvm::frontends::cli

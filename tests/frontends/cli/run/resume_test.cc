// txvm run --snapshot-at and txvm resume: the resumed run reports what the uncut run does; every
// bad snapshot is one clear error.
#include <gtest/gtest.h>

#include <filesystem>

#include "tests/frontends/cli/cli_runner.h"

namespace txvm::frontends::cli {
namespace {

constexpr std::string_view kFib = "examples/fib.wat --invoke fib 15";
constexpr std::string_view kFibDigest = "610\ndigest 44871a78f0b2b419\n";

isa::ChildResult Txvm(const std::string& line, std::string_view input = {}) {
  return RunTxvm(Words(line), input);
}

/// A file that does not exist yet, removed with it.
class OutputFile : public ScratchFile {
 public:
  explicit OutputFile(std::string_view extension) : ScratchFile(extension, "") {}
};

/// A snapshot of fib(15) at step 5,000.
class Resume : public testing::Test {
 protected:
  void SetUp() override {
    const isa::ChildResult run =
        Txvm("run " + std::string(kFib) + " --trace-digest --snapshot-at 5k --snapshot " +
             snapshot.path());
    EXPECT_EQ(run.out, kFibDigest) << run.err;
    EXPECT_EQ(run.err.find("txvm: snapshot at step 5,000 written to "), 0u) << run.err;
  }
  isa::ChildResult Go(const std::string& options, const std::string& program = "examples/fib.wat") {
    return Txvm("resume " + snapshot.path() + " " + program + " " + options);
  }
  std::string ErrorOf(const std::string& options, int exit_code,
                      const std::string& program = "examples/fib.wat") {
    const isa::ChildResult child = Go(options, program);
    EXPECT_EQ(child.exit_code, exit_code) << child.err;
    EXPECT_EQ(child.out, "");
    return child.err;
  }
  OutputFile snapshot{".txs"};
};

TEST_F(Resume, GivesTheUncutRunsResultAndDigestOnEveryEngine) {
  for (const std::string engine : {"attention", "native", "hull"}) {
    const isa::ChildResult child = Go("--trace-digest --engine " + engine);
    EXPECT_EQ(child.out, kFibDigest) << child.err;
    EXPECT_EQ(child.exit_code, 0);
    EXPECT_EQ(child.err.find("txvm: resumed at step 5,000 on " + engine), 0u) << child.err;
  }
}

TEST_F(Resume, SaysThatTheWeightsBeginANewHistory) {
  EXPECT_EQ(Go("--engine hull").err,
            "txvm: resumed at step 5,000 on hull: a new history, which begins with the 69 tokens "
            "of the snapshot\n");
}

TEST_F(Resume, GoesFromEngineToEngineAndSnapshotToSnapshot) {
  const OutputFile later(".txs");
  const isa::ChildResult dense = Go("--engine transformer --fuel 15 --snapshot " + later.path());
  EXPECT_EQ(dense.exit_code, 5) << dense.err;
  EXPECT_NE(dense.err.find("out of fuel after 5,015 steps"), std::string::npos) << dense.err;
  EXPECT_NE(dense.err.find("snapshot at step 5,015 written to "), std::string::npos) << dense.err;
  const isa::ChildResult rest =
      Txvm("resume " + later.path() + " examples/fib.wat --engine native --trace-digest --json");
  EXPECT_NE(rest.out.find("\"steps\": 19728"), std::string::npos) << rest.out;
  EXPECT_NE(rest.out.find("44871a78f0b2b419"), std::string::npos) << rest.out;
}

TEST_F(Resume, CountsTheStatsOfBothPartsOfARun) {
  const std::string line = "run " + std::string(kFib) + " --stats";
  const auto table = [](const std::string& err) {
    const std::size_t code = err.find("\ncode ");
    return code == std::string::npos ? "" : err.substr(code, err.find('\n', code + 1) - code);
  };
  const std::string whole = table(Txvm(line).err);
  EXPECT_NE(whole, "");
  EXPECT_EQ(table(Txvm(line + " --snapshot-at 100 --snapshot " + snapshot.path()).err), whole);
}

TEST_F(Resume, KeepsTheLimitsItWasTakenUnder) {
  const OutputFile deep(".txs");
  const std::string run = "run examples/fib.wat --invoke fib 15 --max-depth 20 --snapshot-at 50 ";
  EXPECT_EQ(Txvm(run + "--snapshot " + deep.path()).exit_code, 0);
  EXPECT_EQ(Txvm("resume " + deep.path() + " examples/fib.wat").out, "610\n");
  const isa::ChildResult less = Txvm("resume " + deep.path() + " examples/fib.wat --max-depth 3");
  EXPECT_EQ(less.err, "txvm: error: snapshot: its 7 call frames exceed the limit of 3\n");
  EXPECT_EQ(less.exit_code, 7);
}

TEST_F(Resume, TakesAProgramInAnotherForm) {
  const OutputFile compiled(".txp");
  ASSERT_EQ(Txvm("compile examples/fib.wat -o " + compiled.path()).exit_code, 0);
  EXPECT_EQ(Go("--trace-digest", compiled.path()).out, kFibDigest);
}

TEST_F(Resume, RestoresAnInstanceAtRest) {
  const OutputFile rest(".txs");
  const ScratchFile counter(".txa", R"(.global 40
.func count results=1
  GLOBAL.GET 0
  PUSH 1
  ADD
  GLOBAL.TEE 0
.end
.export "count" count
)");
  const isa::ChildResult first = Txvm("run " + counter.path() + " --snapshot " + rest.path());
  EXPECT_EQ(first.out, "41\n");
  EXPECT_EQ(first.err.find("txvm: snapshot of the instance at rest written to "), 0u) << first.err;
  const isa::ChildResult second = Txvm("resume " + rest.path() + " " + counter.path() +
                                       " --invoke count --snapshot " + rest.path());
  EXPECT_EQ(second.out, "42\n") << second.err;
  EXPECT_EQ(Txvm("resume " + rest.path() + " " + counter.path()).out, "43\n");
}

TEST_F(Resume, SaysWhenTheRunEndsBeforeTheSnapshot) {
  const std::string never = snapshot.path() + ".never";
  const std::string run = "run " + std::string(kFib) + " --snapshot " + never + " --snapshot-at ";
  const isa::ChildResult child = Txvm(run + "1M");
  EXPECT_EQ(child.out, "610\n");
  EXPECT_EQ(child.err, "txvm: no snapshot: the run stopped after 19,728 steps, before 1,000,000\n");
  EXPECT_EQ(child.exit_code, 0);
  EXPECT_EQ(Txvm(run + "19728").err, "txvm: no snapshot: the run ended with step 19,728\n");
  EXPECT_FALSE(std::filesystem::exists(never));
}

TEST_F(Resume, ASnapshotThatCannotBeWrittenIsRefusedBeforeTheRun) {
  const auto error_of = [](const std::string& command, const std::string& path) {
    const isa::ChildResult child = Txvm(command + " --snapshot " + path);
    EXPECT_EQ(child.exit_code, 1);
    EXPECT_EQ(child.out, "");
    EXPECT_EQ(child.err.find(path + ": error: cannot write the snapshot: "), 0u) << child.err;
    return child.err.substr(child.err.rfind(": ") + 2);
  };
  const std::string run = "run " + std::string(kFib);
  EXPECT_EQ(error_of(run, "/nonexistent/a.txs"), "No such file or directory\n");
  EXPECT_EQ(error_of(run + " --snapshot-at 5k", "/dev/null/a.txs"), "Not a directory\n");
  EXPECT_EQ(error_of(run, "/tmp"), "Is a directory\n");
  const std::string resume = "resume " + snapshot.path() + " examples/fib.wat";
  EXPECT_EQ(error_of(resume, "/nonexistent/a.txs"), "No such file or directory\n");
}

TEST_F(Resume, AFullDiskTakesTheSnapshotAndNothingElse) {
  const std::string error = "/dev/full: error: cannot write: No space left on device\n";
  const std::string run = "run " + std::string(kFib) + " --trace-digest --snapshot /dev/full";
  for (const std::string at : {"", " --snapshot-at 5k"}) {
    const isa::ChildResult child = Txvm(run + at);
    EXPECT_EQ(child.out, kFibDigest);
    EXPECT_EQ(child.err, error);
    EXPECT_EQ(child.exit_code, 1);
  }
  const isa::ChildResult resumed = Go("--trace-digest --snapshot /dev/full");
  EXPECT_EQ(resumed.out, kFibDigest);
  EXPECT_NE(resumed.err.find(error), std::string::npos) << resumed.err;
  EXPECT_EQ(resumed.exit_code, 1);
  const isa::ChildResult trapped =
      Txvm("run examples/trap.wat --invoke divide 0 --snapshot /dev/full");
  EXPECT_EQ(trapped.err.find("txvm: trap: "), 0u) << trapped.err;
  EXPECT_EQ(trapped.exit_code, 1);
}

TEST_F(Resume, StandardOutputIsForResultsAlone) {
  const isa::ChildResult run = Txvm("run " + std::string(kFib) + " --snapshot -");
  EXPECT_EQ(run.exit_code, 2);
  EXPECT_EQ(run.out, "");
  EXPECT_EQ(run.err,
            "txvm: error: --snapshot - is standard output, where the results go: name a file\n");
  EXPECT_EQ(ErrorOf("--snapshot -", 2), run.err);
  EXPECT_EQ(ErrorOf("--trace -", 2),
            "txvm: error: --trace - is standard output, where the results go: name a file\n");
}

TEST_F(Resume, StopsForFuelAtTheSnapshotItself) {
  const isa::ChildResult child = Txvm(
      "run " + std::string(kFib) + " --fuel 100 --snapshot-at 100 --snapshot " + snapshot.path());
  EXPECT_EQ(child.exit_code, 5);
  EXPECT_EQ(Go("--trace-digest").out, kFibDigest);
}

TEST_F(Resume, RefusesWhatMakesNoSense) {
  EXPECT_EQ(ErrorOf("--invoke fib", 2),
            "txvm: error: the snapshot is of a run under way, which takes neither --invoke nor "
            "arguments\n");
  EXPECT_EQ(ErrorOf("7", 2),
            "txvm: error: the snapshot is of a run under way, which takes neither --invoke nor "
            "arguments\n");
  EXPECT_EQ(ErrorOf("--snapshot-at 4999", 2),
            "txvm: error: --snapshot-at 4,999 lies before step 5,000, where the run is resumed\n");
}

TEST_F(Resume, RefusesAnotherProgram) {
  const std::string error = ErrorOf("", 3, "examples/gcd.txa");
  EXPECT_EQ(error.find("txvm: error: snapshot: it was taken of another program (SHA-256 "), 0u)
      << error;
}

TEST_F(Resume, RefusesAnInvalidProgramWithItsFile) {
  const ScratchFile invalid(".txa", ".flat\n.func \"f\"\nPOP\nHALT\n.end\n");
  EXPECT_EQ(ErrorOf("", 3, invalid.path()),
            invalid.path() +
                ": error: instruction 0 (POP in function 0 \"f\"): needs 1 operand, height is 0\n");
}

TEST_F(Resume, RefusesABadSnapshot) {
  const std::string good = snapshot.Read();
  const auto error_of = [](const std::string& bytes) {
    const ScratchFile file(".txs", bytes);
    const isa::ChildResult child = Txvm("resume " + file.path() + " examples/fib.wat");
    EXPECT_EQ(child.exit_code, 3);
    EXPECT_EQ(child.out, "");
    return child.err.substr(child.err.find(": error: ") + 2);
  };
  EXPECT_EQ(error_of(""), "error: snapshot file: it does not begin like one\n");
  EXPECT_EQ(error_of("(module)"), "error: snapshot file: it does not begin like one\n");
  EXPECT_EQ(error_of(good.substr(0, 100)),
            "error: snapshot file: it is truncated to 100 bytes, a header has 128\n");
  EXPECT_EQ(error_of(good.substr(0, 200)), "error: snapshot file: it is truncated to 200 of its " +
                                               std::to_string(good.size()) + " bytes\n");
  std::string altered = good;
  altered[96] ^= 1;  // ip
  EXPECT_EQ(error_of(altered).find("error: snapshot file: it was altered: its checksum is "), 0u);
  altered = good;
  altered[8] = 9;  // version
  EXPECT_EQ(error_of(altered),
            "error: snapshot file: version 9 is newer than version 1, the newest known here\n");
  const isa::ChildResult absent = Txvm("resume /nonexistent.txs examples/fib.wat");
  EXPECT_EQ(absent.err, "/nonexistent.txs: error: cannot read: No such file or directory\n");
  // A file without end is refused at its beginning.
  const isa::ChildResult endless = Txvm("resume /dev/zero examples/fib.wat");
  EXPECT_EQ(endless.err, "/dev/zero: error: snapshot file: it does not begin like one\n");
}

TEST_F(Resume, ReadsASnapshotFromAPipe) {
  const isa::Result<isa::ChildResult> child =
      isa::RunChild({"/bin/sh", "-c",
                     "cd " TXVM_SOURCE_DIR " && cat " + snapshot.path() +
                         " | exec " TXVM_BINARY " resume /dev/stdin examples/fib.wat"},
                    {}, 60);
  ASSERT_TRUE(child);
  EXPECT_EQ(child->exit_code, 0) << child->err;
}

TEST_F(Resume, WritesThroughLinksAndIntoDevices) {
  namespace fs = std::filesystem;
  const OutputFile target(".txs"), other(".txs");
  fs::remove(other.path());
  fs::create_symlink(target.path(), other.path());
  EXPECT_EQ(Txvm("run examples/fib.wat -i fib 5 --snapshot " + other.path()).exit_code, 0);
  EXPECT_TRUE(fs::is_symlink(other.path()));
  EXPECT_GT(fs::file_size(target.path()), 100u);
  EXPECT_EQ(Txvm("run examples/fib.wat -i fib 5 --snapshot /dev/full").exit_code, 1);
  EXPECT_TRUE(fs::is_character_file("/dev/full"));
}

TEST_F(Resume, ARunThatStopsInTheStartFunctionSaysThatItLeavesNoSnapshot) {
  const ScratchFile endless(".wat",
                            "(module (func $s (loop (br 0))) (start $s) (func (export \"main\")))");
  const std::string never = snapshot.path() + ".never";
  const isa::ChildResult run = Txvm("run " + endless.path() + " --fuel 100 --snapshot " + never);
  EXPECT_EQ(run.exit_code, 5);  // out of fuel
  EXPECT_NE(run.err.find("no snapshot: the run stopped before the entry"), std::string::npos);
  EXPECT_FALSE(std::filesystem::exists(never));
}

TEST_F(Resume, ReadsTheSnapshotFromStandardInput) {
  const isa::ChildResult child = Txvm("resume - examples/fib.wat", snapshot.Read());
  EXPECT_EQ(child.out, "610\n") << child.err;
  const isa::ChildResult both = Txvm("resume - - --format wat", snapshot.Read());
  EXPECT_EQ(both.exit_code, 2);
  EXPECT_EQ(both.err,
            "txvm: error: the snapshot and the program cannot both come from standard input\n");
}

}  // namespace
}  // namespace txvm::frontends::cli

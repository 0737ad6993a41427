// txvm tir optimize --learn, learn, weights and stats as a user runs them.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>

#include "frontends/cli/support/exit_code.h"
#include "isa/support/file.h"
#include "tests/frontends/cli/cli_runner.h"

namespace txvm::frontends::cli {
namespace {

using Stats = nlohmann::json;

class TirLearning : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string name = "/tmp/txvm_learning_XXXXXX";
    folder_ = mkdtemp(name.data());
    setenv("TXVM_DATA_DIR", folder_.c_str(), 1);
    program_ = folder_ + "/program.tasm";
    ASSERT_TRUE(isa::WriteFile(program_,
                               "read_io 1 push 2 push 3 add mul push 0 add write_io 1\n"
                               "push 1 push 1 add write_io 1 halt\n"));
  }
  void TearDown() override {
    unsetenv("TXVM_DATA_DIR");
    std::filesystem::remove_all(folder_);
  }

  Stats GetStats() {
    const isa::ChildResult run = RunTxvm({"tir", "stats", "--json"});
    EXPECT_EQ(run.exit_code, 0) << run.err;
    return Stats::parse(run.out);
  }

  std::string folder_, program_;
};

TEST_F(TirLearning, RemembersWhatTheSearchesFound) {
  EXPECT_EQ(GetStats()["blocks"], 0);
  const isa::ChildResult first = RunTxvm({"tir", "optimize", program_, "--learn"});
  EXPECT_EQ(first.exit_code, 0) << first.err;
  EXPECT_NE(first.err.find("learnt: "), std::string::npos) << first.err;
  const Stats stats = GetStats();
  EXPECT_GT(stats["blocks"], 0);
  EXPECT_LT(stats["result"], stats["instructions"]);
  EXPECT_EQ(RunTxvm({"tir", "optimize", program_, "--learn"}).exit_code, 0);
  EXPECT_EQ(GetStats(), stats) << "the same blocks again";
  EXPECT_EQ(RunTxvm({"tir", "optimize", program_}).exit_code, 0);
  EXPECT_EQ(GetStats(), stats);
}

TEST_F(TirLearning, TellsWhatIsMissing) {
  const isa::ChildResult empty = RunTxvm({"tir", "learn", "--time", "1"});
  EXPECT_EQ(empty.exit_code, Value(ExitCode::kBadInput)) << empty.err;
  EXPECT_NE(empty.err.find("not enough to learn from"), std::string::npos) << empty.err;
  EXPECT_EQ(RunTxvm({"tir", "optimize", program_, "--learn-time", "5"}).exit_code,
            Value(ExitCode::kUsage));
  EXPECT_EQ(RunTxvm({"tir", "weights", "--use", "abc"}).exit_code, Value(ExitCode::kUsage));
  EXPECT_EQ(RunTxvm({"tir", "weights"}).out, "* shipped\n");
  EXPECT_EQ(RunTxvm({"tir", "optimize", program_, "--guide", "learned"}).exit_code, 0);
  ASSERT_TRUE(isa::WriteFile(folder_ + "/optimizer", "no folder"));
  EXPECT_EQ(RunTxvm({"tir", "optimize", program_, "--learn"}).exit_code,
            Value(ExitCode::kInternal));
}

}  // namespace
}  // namespace txvm::frontends::cli

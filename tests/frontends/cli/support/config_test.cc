// Options from a TOML file.
#include <gtest/gtest.h>

#include "frontends/cli/support/exit_code.h"
#include "tests/frontends/cli/cli_runner.h"

namespace txvm::frontends::cli {
namespace {

isa::ChildResult RunWith(std::string_view toml, std::vector<std::string> more = {}) {
  const ScratchFile file(".toml", toml);
  std::vector<std::string> arguments = {"run", "examples/fib.wat", "--invoke", "fib",
                                        "20",  "--config",         file.path()};
  arguments.insert(arguments.end(), more.begin(), more.end());
  isa::ChildResult run = RunTxvm(arguments);
  // The file's name changes from run to run.
  for (std::size_t at; (at = run.err.find(file.path())) != std::string::npos;) {
    run.err.replace(at, file.path().size(), "FILE");
  }
  return run;
}

TEST(Config, OptionsComeFromTheCommandsTable) {
  const isa::ChildResult run = RunWith(
      "[run]\njson = true\nengine = \"native\"\nfuel = 1000\n"
      "[trace]\nfirst = 3\n");
  EXPECT_EQ(run.exit_code, Value(ExitCode::kOutOfFuel)) << run.err;
  EXPECT_NE(run.out.find("\"engine\": \"native\""), std::string::npos) << run.out;
}

TEST(Config, TheCommandLineWins) {
  const std::string toml = "[run]\nengine = \"native\"\nfuel = 10\njson = true\n";
  const isa::ChildResult run = RunWith(toml, {"--fuel", "1M", "-e", "attention"});
  EXPECT_EQ(run.exit_code, 0);
  EXPECT_NE(run.out.find("\"engine\": \"attention\""), std::string::npos) << run.out;
  EXPECT_EQ(RunWith(toml, {"--fuel", "1M", "--json=false"}).out, "6765\n");
}

// How many variables its environment has, and 0 where it has a second folder.
constexpr std::string_view kWasi = R"((module
  (import "wasi_snapshot_preview1" "environ_sizes_get" (func $sizes (param i32 i32) (result i32)))
  (import "wasi_snapshot_preview1" "fd_prestat_get" (func $folder (param i32 i32) (result i32)))
  (memory (export "memory") 1)
  (func (export "variables") (result i32)
    (drop (call $sizes (i32.const 0) (i32.const 4)))
    (i32.load (i32.const 0)))
  (func (export "no_second_folder") (result i32) (call $folder (i32.const 4) (i32.const 8)))))";

TEST(Config, OptionsOfAProgramMayBeRepeated) {
  const ScratchFile program(".wat", kWasi);
  const std::vector<std::string> run = {"run", program.path(), "--env", "A=1",   "--env",
                                        "B=2", "--dir",        ".",     "--dir", ".:/other"};
  const auto with = [&](const char* name) {
    std::vector<std::string> arguments = run;
    arguments.insert(arguments.end(), {"-i", name});
    return RunTxvm(arguments);
  };
  EXPECT_EQ(with("variables").out, "2\n") << with("variables").err;
  EXPECT_EQ(with("no_second_folder").out, "0\n");
}

TEST(Config, AListIsForOptionsThatMayBeRepeated) {
  const ScratchFile program(".wat", kWasi);
  const ScratchFile file(".toml", "[run]\nenv = [\"A=1\", \"B=2\", \"C=3\"]\n");
  const std::vector<std::string> run = {"run",       program.path(), "-i",
                                        "variables", "--config",     file.path()};
  EXPECT_EQ(RunTxvm(run).out, "3\n");
  std::vector<std::string> one = run;
  one.insert(one.end(), {"--env", "D=4"});
  EXPECT_EQ(RunTxvm(one).out, "1\n") << "the command line wins";
  EXPECT_EQ(RunWith("[run]\nenv = \"A=1\"\ndir = []\n").out, "6765\n");
}

TEST(Config, CommandsOfTirHaveTheirTables) {
  const ScratchFile file(".toml", "[tir.profile]\ninput = \"1\"\njson = true\n[tir.cost]\n");
  const ScratchFile program(".tasm", "read_io 1 write_io 1 halt\n");
  const isa::ChildResult run = RunTxvm({"tir", "profile", program.path(), "--config", file.path()});
  EXPECT_EQ(run.exit_code, 0) << run.err;
  EXPECT_NE(run.out.find("\"output\": [\"1\"]"), std::string::npos) << run.out;
}

TEST(Config, AnEmptyFileAndOtherTablesAreFine) {
  EXPECT_EQ(RunWith("").out, "6765\n");
  EXPECT_EQ(RunWith("[bench]\nreps = 3\n").out, "6765\n");
}

struct BadConfig {
  std::string_view toml, message;
};
void PrintTo(const BadConfig& bad, std::ostream* out) { *out << bad.message; }
class BadConfigs : public ::testing::TestWithParam<BadConfig> {};

TEST_P(BadConfigs, AreRefusedWithTheirPlace) {
  const isa::ChildResult run = RunWith(GetParam().toml);
  EXPECT_EQ(run.exit_code, Value(ExitCode::kUsage));
  EXPECT_EQ(run.err, std::string(GetParam().message) + "\n");
  EXPECT_EQ(run.out, "");
}

INSTANTIATE_TEST_SUITE_P(
    Config, BadConfigs,
    ::testing::Values(
        BadConfig{"fuel = 10\n",
                  "FILE:1:1: error: option 'fuel' stands outside a table; write it "
                  "under the command it is for, such as [run]"},
        BadConfig{"[rnu]\n", "FILE:1:2: error: table [rnu] is no command of txvm"},
        BadConfig{"[run]\n\nspeed = 9\n", "FILE:3:1: error: 'speed' is no option of txvm run"},
        BadConfig{"[run]\nfile = \"x\"\n", "FILE:2:1: error: 'file' is no option of txvm run"},
        BadConfig{"[run]\nconfig = \"x\"\n", "FILE:2:1: error: 'config' is no option of txvm run"},
        BadConfig{"[run]\nfuel = \"much\"\n",
                  "FILE:2:1: error: --fuel wants a count such as 250, "
                  "10k, 10M or 2G, not 'much'"},
        BadConfig{"[run]\nfuel = -1\n",
                  "FILE:2:1: error: --fuel wants a count such as 250, 10k, "
                  "10M or 2G, not '-1'"},
        BadConfig{"[run]\njson = 1\n",
                  "FILE:2:1: error: option 'json' is a switch: true or "
                  "false, not '1'"},
        BadConfig{"[run]\nfuel = [1]\n",
                  "FILE:2:1: error: option 'fuel' takes one value, not a list"},
        BadConfig{"[run]\njson = [true]\n",
                  "FILE:2:1: error: option 'json' takes one value, not a list"},
        BadConfig{"[run]\nenv = [[\"A=1\"]]\n",
                  "FILE:2:8: error: option 'env' must be a string, a number or a boolean"},
        BadConfig{"[run]\nenv = [\"A=1\", \"B\"]\n",
                  "FILE:2:1: error: --env 'B' is not NAME=VALUE"},
        BadConfig{"[run]\nfuel = 1979-05-27\n",
                  "FILE:2:8: error: option 'fuel' must be a string, a number or a boolean"},
        BadConfig{"[run]\n\"\" = 3\n", "FILE:2:1: error: '' is no option of txvm run"},
        BadConfig{"[run.foo]\na = 1\n", "FILE:1:6: error: table [run.foo] is no command of txvm"},
        BadConfig{"[tir.porfile]\n", "FILE:1:6: error: table [tir.porfile] is no command of txvm"},
        BadConfig{"[\"tir profile\"]\n",
                  "FILE:1:2: error: table [tir.profile] is no command of txvm"},
        BadConfig{"[tir]\njson = true\n",
                  "FILE:2:1: error: option 'json' stands in [tir]; write it under the command it "
                  "is for, such as [tir.profile]"}));

TEST(Config, ASyntaxErrorHasItsPlace) {
  const isa::ChildResult run = RunWith("[run]\nfuel = = 1\n");
  EXPECT_EQ(run.exit_code, Value(ExitCode::kUsage));
  EXPECT_TRUE(run.err.starts_with("FILE:2:8: error: ")) << run.err;
}

TEST(Config, AMissingFileIsBadInput) {
  const isa::ChildResult run = RunTxvm({"run", "examples/hello.wat", "--config", "nope.toml"});
  EXPECT_EQ(run.exit_code, Value(ExitCode::kBadInput));
  EXPECT_EQ(run.err, "nope.toml: error: cannot read: No such file or directory\n");
}

}  // namespace
}  // namespace txvm::frontends::cli

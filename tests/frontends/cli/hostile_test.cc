// Command lines nobody should type: a clear error, never a crash or a hang.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <random>
#include <utility>

#include "frontends/cli/support/commands.h"
#include "frontends/cli/support/exit_code.h"
#include "tests/frontends/cli/cli_runner.h"

namespace txvm::frontends::cli {
namespace {

void ExpectRefused(const std::vector<std::string>& arguments) {
  const isa::ChildResult run = RunTxvm(arguments);
  std::string line;
  for (const std::string& word : arguments) line += fmt::format(" {:.40}", word);
  EXPECT_EQ(run.signal, 0) << line;
  EXPECT_TRUE(run.exit_code == Value(ExitCode::kUsage) ||
              run.exit_code == Value(ExitCode::kBadInput))
      << line << " gives " << run.exit_code;
  EXPECT_FALSE(run.err.empty()) << line;
}

TEST(Hostile, EmptyAndOddWordsAreRefused) {
  ExpectRefused({""});
  ExpectRefused({"run", ""});
  ExpectRefused({"run", "--"});
  ExpectRefused({"run", "---"});
  ExpectRefused({"run", "--=1", "x"});
  ExpectRefused({"run", "--fuel=", "examples/fib.wat"});
  ExpectRefused({"run", "examples/fib.wat", "--invoke", ""});
  ExpectRefused({"run", "examples/fib.wat", "--invoke", "fib", "--", "--fuel"});
  ExpectRefused({"run", "\xff\xfe"});
  ExpectRefused({"run", "/dev/null"});
  ExpectRefused({"run", "/"});
  ExpectRefused({"--json"});
  ExpectRefused({"verify", "--format", "txp", "examples/fib.wat"});
}

// A name that an export may have, and so none that stands for the default entry.
TEST(Hostile, TheEmptyNameIsThatOfAnExport) {
  const ScratchFile file(".wat",
                         "(module (func (export \"\") (param i32) (result i32) (local.get 0))\n"
                         "  (func (export \"main\")))");
  for (const std::vector<std::string>& words :
       {std::vector<std::string>{"--invoke", ""}, {"--invoke="}, {"-i", ""}}) {
    std::vector<std::string> call = {"run", file.path(), "7"};
    call.insert(call.begin() + 1, words.begin(), words.end());
    const isa::ChildResult run = RunTxvm(call);
    EXPECT_EQ(run.out, "7\n") << run.err;
    call[0] = "trace";
    EXPECT_NE(RunTxvm(call).out.find(", results 7, "), std::string::npos);
    call[1 + words.size()] = "examples/hello.wat";
    const isa::ChildResult none = RunTxvm(call);
    EXPECT_EQ(none.exit_code, Value(ExitCode::kUsage));
    EXPECT_EQ(none.err, "txvm: error: no exported function ''; there is 'main'\n");
  }
}

// As a script writes them whose variable is not set: taken for an absent option, another function
// would run, or a trace be missing, without a word.
TEST(Hostile, AnEmptyValueIsNotTakenForAnAbsentOption) {
  for (const std::string option :
       {"--trace", "--snapshot", "--weights", "--config", "--format", "--dir"}) {
    const isa::ChildResult run = RunTxvm({"run", "examples/hello.wat", option, ""});
    EXPECT_EQ(run.exit_code, Value(ExitCode::kUsage)) << option;
    EXPECT_NE(run.err.find(option + " "), std::string::npos) << run.err;
    EXPECT_EQ(run.out, "") << option;
    const isa::ChildResult same = RunTxvm({"run", option + "=", "examples/hello.wat", "7"});
    EXPECT_EQ(same.exit_code, Value(ExitCode::kUsage)) << option;
    EXPECT_EQ(same.err, run.err);
  }
  ExpectRefused({"compile", "examples/fib.wat", "--output", ""});
  const ScratchFile options(".toml", "[run]\ntrace = \"\"\n");
  const isa::ChildResult run = RunTxvm({"run", "examples/hello.wat", "--config", options.path()});
  EXPECT_EQ(run.err, options.path() + ":2:1: error: --trace wants a value, not ''\n");
}

TEST(Hostile, VeryLongWordsAreRefused) {
  const std::string word(100'000, 'a');
  ExpectRefused({word});
  ExpectRefused({"run", word});
  ExpectRefused({"run", "examples/fib.wat", "--invoke", word});
  ExpectRefused({"run", "examples/fib.wat", "--invoke", "fib", std::string(100'000, '9')});
  ExpectRefused({"run", "examples/fib.wat", "--fuel", std::string(100'000, '9')});
  ExpectRefused({"run", "examples/fib.wat", std::string("--").append(word)});
  std::vector<std::string> many(20'000, "1");
  many.insert(many.begin(), {"run", "examples/fib.wat", "--invoke", "fib"});
  ExpectRefused(many);
}

TEST(Hostile, AProgramWithMoreLocalsThanTheLimitIsRefused) {
  const ScratchFile program(".txa", R"(
.func main locals=5000000
  NOP
.end
.export "main" main
)");
  for (const std::vector<std::string>& command :
       {std::vector<std::string>{"explain", program.path()},
        {"weights", "info", "--program", program.path()}}) {
    const isa::ChildResult run = RunTxvm(command);
    EXPECT_EQ(run.exit_code, Value(ExitCode::kLimit)) << command[0];
    EXPECT_NE(run.err.find("a largest frame of 5000000 locals exceed the limit"), std::string::npos)
        << run.err;
  }
}

// Those of a program without exports, too, which is called as it is.
TEST(Hostile, MoreArgumentsThanOperandSlotsAreRefused) {
  const ScratchFile flat(".txa", ".flat\n.func main params=1 results=1\nHALT\n.end\n");
  for (const char* command : {"run", "trace", "step", "compare"}) {
    const isa::ChildResult run =
        RunTxvm({command, flat.path(), "5", "--unverified", "--max-slots", "0"});
    EXPECT_EQ(run.exit_code, Value(ExitCode::kLimit)) << command << " " << run.signal;
    EXPECT_EQ(run.err, "txvm: error: 1 argument exceeds the limit of 0 operand slots\n");
  }
}

// Both would change what the entry's run begins with.
TEST(Hostile, AStartFunctionAndDataOutOfBoundsAreNotLeftOutUnseen) {
  const ScratchFile start(".wat",
                          "(module (global $g (mut i32) (i32.const 1)) (start $s)\n"
                          "  (func $s (global.set $g (i32.const 41)))\n"
                          "  (func (export \"main\") (result i32) (global.get $g)))");
  const ScratchFile data(".txa",
                         ".memory 1\n.data 65535 1 2\n.func main\n.end\n.export \"main\" main\n");
  const std::string folder = testing::TempDir() + "txvm_not_exported";
  for (const auto& [file, message] : {std::pair(&start, "the program has a start function, "),
                                      {&data, "data segment 0 of 2 bytes at offset 65535"}}) {
    for (const std::vector<std::string>& command :
         {std::vector<std::string>{"explain", file->path()},
          {"weights", "export", folder, "--program", file->path()}}) {
      const isa::ChildResult run = RunTxvm(command);
      EXPECT_EQ(run.exit_code, Value(ExitCode::kBadInput)) << command[0];
      EXPECT_TRUE(run.err.starts_with(file->path() + ": error: " + message)) << run.err;
      EXPECT_EQ(run.out, "");
    }
  }
  EXPECT_FALSE(std::filesystem::exists(folder));
}

// Weights folded with a program are known by it alone: without it they are not called others.
TEST(Hostile, FoldedWeightsAreNotJudgedWithoutTheirProgram) {
  const std::string folder = testing::TempDir() + "txvm_folded_" + std::to_string(::getpid());
  const std::vector<std::string> program = {"--program", "examples/product.txa"};
  std::vector<std::string> command = {"weights", "export", folder, "--fold"};
  command.insert(command.end(), program.begin(), program.end());
  ASSERT_EQ(RunTxvm(command).exit_code, 0);
  const std::string alone = RunTxvm({"weights", "import", folder}).out;
  EXPECT_TRUE(
      alone.ends_with(", folded with a program of 4 instructions (--program FILE checks which)\n"))
      << alone;
  command = {"weights", "import", folder};
  command.insert(command.end(), program.begin(), program.end());
  const std::string checked = RunTxvm(command).out;
  EXPECT_NE(checked.find(", the weights this build generates\nhalted after 4 steps"),
            std::string::npos)
      << checked;
  const isa::ChildResult other =
      RunTxvm({"weights", "import", folder, "--program", "tests/frontends/cli/data/spin.txa"});
  EXPECT_EQ(other.exit_code, Value(ExitCode::kBadInput));
  EXPECT_EQ(other.out, "");
  std::filesystem::remove_all(folder);
}

TEST(Hostile, EveryCommandRefusesAnUnknownOption) {
  for (const std::string_view name : CommandNames()) {
    const isa::ChildResult run = RunTxvm({std::string(name), "--no-such-option"});
    EXPECT_EQ(run.exit_code, Value(ExitCode::kUsage)) << name;
    EXPECT_NE(run.err.find("--no-such-option"), std::string::npos) << run.err;
  }
}

TEST(Hostile, ASwitchTakesNoText) {
  const isa::ChildResult child = RunTxvm({"run", "examples/fib.wat", "--json=foo"});
  EXPECT_EQ(child.exit_code, Value(ExitCode::kUsage));
  EXPECT_NE(child.err.find("txvm: error: "), std::string::npos) << child.err;
}

TEST(Hostile, ASeedThatIsNoneIsAnsweredWithWhatThereIs) {
  const isa::ChildResult run = RunTxvm({"run", "examples/fib.wat", "--random", "dice"});
  EXPECT_EQ(run.exit_code, Value(ExitCode::kUsage));
  EXPECT_EQ(run.err, "txvm: error: --random 'dice' is unknown: a seed such as 42, or real\n");
}

TEST(Hostile, AnUnknownEngineIsAnsweredWithTheEnginesThereAre) {
  const isa::ChildResult run = RunTxvm({"run", "examples/hello.wat", "--engine", "warp"});
  EXPECT_EQ(run.exit_code, Value(ExitCode::kUsage));
  EXPECT_TRUE(run.err.starts_with("txvm: error: --engine 'warp' is unknown: attention, native"))
      << run.err;
}

TEST(Hostile, EveryCommandPrintsHelpWithItsExamples) {
  for (const std::string_view name : CommandNames()) {
    const isa::ChildResult run = RunTxvm({std::string(name), "--help"});
    EXPECT_EQ(run.exit_code, 0) << name;
    EXPECT_NE(run.out.find(fmt::format("  txvm {}", name)), std::string::npos) << name;
    EXPECT_EQ(run.err, "");
  }
}

TEST(Hostile, HelpListsCommandsAndExitCodes) {
  const isa::ChildResult help = RunTxvm({"--help"});
  EXPECT_EQ(help.exit_code, 0);
  for (const std::string_view name : CommandNames()) {
    EXPECT_NE(help.out.find(fmt::format("\n  {} ", name)), std::string::npos) << name;
  }
  EXPECT_NE(help.out.find(ExitCodeHelp()), std::string::npos) << help.out;
  const isa::ChildResult nothing = RunTxvm({});
  EXPECT_EQ(nothing.exit_code, Value(ExitCode::kUsage));
  EXPECT_EQ(nothing.out, "");
  EXPECT_EQ(nothing.err, help.out);
}

TEST(Hostile, RandomWordsNeverCrash) {
  constexpr unsigned kSeed = 20'261;
  constexpr int kLines = 60;
  const std::vector<std::string> words = {"run",
                                          "trace",
                                          "verify",
                                          "isa",
                                          "-",
                                          "--",
                                          "--json",
                                          "--stats",
                                          "--fuel",
                                          "10",
                                          "1G",
                                          "--invoke",
                                          "fib",
                                          "-1",
                                          "--first",
                                          "--engine",
                                          "native",
                                          "-e",
                                          "-i",
                                          "--timeout",
                                          "1s",
                                          "--no-opt",
                                          "-f",
                                          "wat",
                                          "txa",
                                          "--help",
                                          "=",
                                          "--fuel=5",
                                          "examples/fib.wat",
                                          "examples/gcd.txa"};
  std::mt19937 random(kSeed);
  for (int i = 0; i < kLines; ++i) {
    std::vector<std::string> arguments;
    std::string line;
    for (std::size_t n = random() % 6 + 1; n != 0; --n) {
      arguments.push_back(words[random() % words.size()]);
      line += fmt::format(" {}", arguments.back());
    }
    const isa::ChildResult run = RunTxvm(arguments);
    EXPECT_EQ(run.signal, 0) << line;
    EXPECT_LE(run.exit_code, Value(ExitCode::kMismatch)) << line;
    EXPECT_NE(run.exit_code, Value(ExitCode::kInternal)) << line << "\n" << run.err;
  }
}

TEST(Hostile, AProgramOfTooManyTokensIsNeitherExplainedNorExported) {
  constexpr std::size_t kBytes = 1u << 20;  // with the instruction one token too many
  const ScratchFile program(".txa",
                            ".memory 300\n.data 0 \"" + std::string(kBytes, 'a') + "\"\nHALT\n");
  const std::filesystem::path folder =
      std::filesystem::path(::testing::TempDir()) / "txvm-too-many-tokens";
  for (const auto& arguments : std::vector<std::vector<std::string>>{
           {"explain", program.path()},
           {"weights", "export", folder.string(), "--program", program.path()}}) {
    const isa::ChildResult run = RunTxvm(arguments);
    EXPECT_EQ(run.exit_code, Value(ExitCode::kLimit)) << arguments[0];
    EXPECT_EQ(run.err, program.path() +
                           ": error: the program is 1048577 tokens long, the model is "
                           "given at most 1048576\n");
  }
  EXPECT_FALSE(std::filesystem::exists(folder));
}

// A program file may say of its source what it likes.
TEST(Hostile, AnErrorAboutAProgramNamesTheFileItCameFrom) {
  const auto error = [](const std::string& line) {
    const ScratchFile text(".txa",
                           ".flat\n.source \"/etc/passwd\"\n.func f\n" + line + "ADD\n.end\n");
    const ScratchFile program(".txp", "");
    EXPECT_EQ(RunTxvm({"asm", "--unverified", text.path(), "-o", program.path()}).exit_code, 0);
    std::string all;
    for (const std::string& path : {text.path(), program.path()}) {
      for (const char* command : {"run", "verify", "explain", "step"}) {
        const std::string said = RunTxvm({command, path}).err;
        EXPECT_TRUE(said.starts_with(path + ": error: ")) << command << ": " << said;
        all = said.substr(std::min(said.size(), path.size()));
      }
    }
    return all;
  };
  EXPECT_EQ(error(""),
            ": error: instruction 0 (ADD in function 0 \"f\"): needs 2 operands, height is 0\n");
  EXPECT_EQ(error(".line 7\n"),
            ": error: instruction 0 (ADD in function 0 \"f\"): needs 2 operands, height is 0 "
            "(/etc/passwd:7)\n");
}

}  // namespace
}  // namespace txvm::frontends::cli

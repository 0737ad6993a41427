// C on the command line: run and compile, arguments, exit codes, what is printed where.
#include <gtest/gtest.h>

#include <csignal>
#include <cstdlib>
#include <string>
#include <vector>

#include "frontends/c/temp_folder.h"
#include "isa/support/system/child_process.h"
#include "tests/frontends/c/c_runner.h"

namespace txvm::tests {
namespace {

using frontends::c::TempFolder;
using isa::ChildResult;

constexpr double kSeconds = 60;

ChildResult RunTxvm(std::vector<std::string> words, std::string_view input = {}) {
  words.insert(words.begin(), TXVM_BINARY);
  auto result = isa::RunChild(words, input, kSeconds);
  EXPECT_TRUE(result);
  return result ? *std::move(result) : ChildResult();
}

constexpr const char* kEcho = R"(#include <stdio.h>
#include <stdlib.h>
int main(int count, char** words) {
  for (int i = 1; i < count; ++i) puts(words[i]);
  for (int c; (c = getchar()) != EOF;) putchar(c);
  fputs(getenv("MOOD") != NULL ? getenv("MOOD") : "none", stderr);
  return BASE + count;
}
)";

/// A folder with echo.c, lib.c and bad.c, which commands name by their paths.
class CCommand : public testing::Test {
 protected:
  void SetUp() override {
    auto created = TempFolder::Create();
    ASSERT_TRUE(created);
    folder_.emplace(*std::move(created));
    ASSERT_TRUE(folder_->Write("echo.c", kEcho));
    ASSERT_TRUE(folder_->Write("lib.c", "int add(int a, int b) { return a + b; }\n"));
    ASSERT_TRUE(folder_->Write("bad.c", "int main(void) { return x; }\n"));
  }
  std::string At(const char* name) const { return folder_->PathOf(name); }
  std::optional<TempFolder> folder_;
};

TEST_F(CCommand, RunsAProgramWithItsArguments) {
  SKIP_WITHOUT_C();
  for (const char* engine : {"native", "attention"}) {
    const ChildResult result = RunTxvm({"run", At("echo.c"), "-O1", "-D", "BASE=40", "-e", engine,
                                        "--env", "MOOD=fine", "--", "one", "-2", "three words"},
                                       "and input\n");
    EXPECT_EQ(result.out, "one\n-2\nthree words\nand input\n");
    EXPECT_EQ(result.err, "fine");
    EXPECT_EQ(result.exit_code, 44);
  }
}

TEST_F(CCommand, RunsWhereTheParentIgnoresSigchld) {
  SKIP_WITHOUT_C();
  const auto result = isa::RunChild({"/usr/bin/env", "--ignore-signal=CHLD", TXVM_BINARY, "run",
                                     At("echo.c"), "-D", "BASE=40", "--", "one"},
                                    "", kSeconds);
  ASSERT_TRUE(result);
  EXPECT_EQ(result->exit_code, 42) << result->err;
}

TEST_F(CCommand, CompilesToAProgramFile) {
  SKIP_WITHOUT_C();
  const ChildResult compiled =
      RunTxvm({"compile", At("echo.c"), "-DBASE=0", "-O3", "-o", At("echo.txp")});
  EXPECT_EQ(compiled.exit_code, 0) << compiled.err;
  const ChildResult result = RunTxvm({"run", At("echo.txp"), "again"});
  EXPECT_EQ(result.out, "again\n");
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_EQ(RunTxvm({"verify", At("echo.txp")}).exit_code, 0);
}

TEST_F(CCommand, CallsFunctionsOfASourceWithoutMain) {
  SKIP_WITHOUT_C();
  EXPECT_EQ(RunTxvm({"run", At("lib.c"), "--invoke", "add", "40", "2"}).out, "42\n");
  const ChildResult missing = RunTxvm({"run", At("lib.c"), "--invoke", "sub", "1", "2"});
  EXPECT_EQ(missing.exit_code, 2);
  EXPECT_NE(missing.err.find("add"), std::string::npos) << missing.err;
  const ChildResult few = RunTxvm({"run", At("lib.c"), "--invoke", "add", "40"});
  EXPECT_EQ(few.exit_code, 2);
  EXPECT_NE(few.err.find("2"), std::string::npos) << few.err;
}

TEST_F(CCommand, ReadsASourceFromStandardInput) {
  SKIP_WITHOUT_C();
  const ChildResult result =
      RunTxvm({"run", "-", "--format", "c", "--invoke", "f"}, "int f(void) { return 6 * 7; }");
  EXPECT_EQ(result.out, "42\n") << result.err;
}

TEST_F(CCommand, ShowsWhatClangSays) {
  SKIP_WITHOUT_C();
  const ChildResult result = RunTxvm({"run", At("bad.c")});
  EXPECT_EQ(result.exit_code, 3);
  EXPECT_EQ(result.out, "");
  EXPECT_EQ(result.err.find(At("bad.c") + ":1:25: error: use of undeclared identifier 'x'"), 0u)
      << result.err;
  EXPECT_NE(result.err.find(" refused " + At("bad.c")), std::string::npos) << result.err;
}

TEST_F(CCommand, SaysWhatToInstall) {
  const std::string before = std::getenv("PATH");
  setenv("PATH", At("").c_str(), 1);
  const ChildResult result = RunTxvm({"run", At("lib.c")});
  setenv("PATH", before.c_str(), 1);
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_NE(result.err.find("Install it with its linker: apt-get install clang lld"),
            std::string::npos)
      << result.err;
}

TEST_F(CCommand, OptionsThatMakeNoSense) {
  for (const std::vector<std::string>& words : {std::vector<std::string>{"-O", "4"},
                                                {"-O", "fast"},
                                                {"--clock", "sundial"},
                                                {"--random", "dice"},
                                                {"--dir", ":x"},
                                                {"--dir", "/no/such/folder"}}) {
    std::vector<std::string> line = {"run", std::string(TXVM_SOURCE_DIR) + "/examples/hello.wat"};
    line.insert(line.end(), words.begin(), words.end());
    const ChildResult result = RunTxvm(line);
    EXPECT_TRUE(result.exit_code == 2 || result.exit_code == 3) << words[0] << ' ' << words[1];
    EXPECT_NE(result.err.find(words[1]), std::string::npos) << result.err;
    EXPECT_EQ(result.out, "");
  }
}

TEST_F(CCommand, EnginesAgreeOnAFunction) {
  SKIP_WITHOUT_C();
  const ChildResult result =
      RunTxvm({"compare", At("lib.c"), "--invoke", "add", "--reps", "1", "1", "2"});
  EXPECT_EQ(result.exit_code, 0) << result.out << result.err;
  EXPECT_NE(result.out.find("attention"), std::string::npos);
}

TEST_F(CCommand, WaitingForInputStopsAtTheTimeout) {
  SKIP_WITHOUT_C();
  ASSERT_EQ(RunTxvm({"compile", At("echo.c"), "-DBASE=0", "-o", At("echo.txp")}).exit_code, 0);
  // The pipe stays open and empty: a process that sleeps holds it.
  const std::string line =
      "sleep 3 | '" TXVM_BINARY "' run '" + At("echo.txp") + "' --timeout 200ms; echo code $?";
  const auto result = isa::RunChild({isa::FindProgram("bash"), "-c", line}, "", kSeconds);
  ASSERT_TRUE(result);
  EXPECT_NE(result->out.find("code 6"), std::string::npos) << result->out << result->err;
}

TEST_F(CCommand, SeveralSourcesAreOneProgram) {
  SKIP_WITHOUT_C();
  ASSERT_TRUE(folder_->Write("main.c", "#include <math.h>\n#include <stdio.h>\n"
                                       "int add(int a, int b);\n"
                                       "int main(void) { printf(\"%g\\n\", sqrt(add(N, 6))); }\n"));
  const ChildResult result =
      RunTxvm({"run", At("main.c"), "--with", At("lib.c"), "-D", "N=3", "-lm"});
  EXPECT_EQ(result.out, "3\n");
  EXPECT_EQ(result.exit_code, 0) << result.err;
  const ChildResult unknown = RunTxvm({"run", At("main.c"), "-lcurl"});
  EXPECT_NE(unknown.err.find("-l 'curl' is unknown"), std::string::npos) << unknown.err;
}

TEST_F(CCommand, AnOverflowOfTheStackIsNamed) {
  SKIP_WITHOUT_C();
  ASSERT_TRUE(folder_->Write(
      "deep.c", "int down(volatile int* p, int n) {\n  volatile int room[1000];\n"
                "  room[n % 1000] = *p + n;\n  return down(room, n + 1) + room[7];\n}\n"
                "int main(void) { volatile int x = 1; return down(&x, 1); }\n"));
  const ChildResult result = RunTxvm({"run", At("deep.c"), "-O0"});
  EXPECT_NE(result.err.find("C stack overflow"), std::string::npos) << result.err;
  EXPECT_NE(result.err.find("down"), std::string::npos) << result.err;
}

}  // namespace
}  // namespace txvm::tests

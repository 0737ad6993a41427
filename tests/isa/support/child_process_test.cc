// Child processes: what they print, how they end, how long they may take.
#include "isa/support/system/child_process.h"

#include <gtest/gtest.h>

#include <csignal>

namespace txvm::isa {
namespace {

constexpr double kLong = 60;

ChildResult Shell(const std::string& script, std::string_view input = {}, double seconds = kLong) {
  const Result<ChildResult> child = RunChild({"/bin/sh", "-c", script}, input, seconds);
  EXPECT_TRUE(child);
  return child.value_or(ChildResult{});
}

TEST(ChildProcess, CollectsBothStreamsAndTheExitCode) {
  const ChildResult child = Shell("echo out; echo err >&2; exit 7");
  EXPECT_EQ(child.out, "out\n");
  EXPECT_EQ(child.err, "err\n");
  EXPECT_EQ(child.exit_code, 7);
  EXPECT_EQ(child.signal, 0);
}

TEST(ChildProcess, FeedsMoreThanAPipeHolds) {
  const std::string input(1'000'000, 'x');
  EXPECT_EQ(Shell("cat", input).out, input);
}

TEST(ChildProcess, SurvivesAChildThatDoesNotReadItsInput) {
  EXPECT_EQ(Shell("exit 3", std::string(1'000'000, 'x')).exit_code, 3);
}

TEST(ChildProcess, TellsASignalFromAnExit) {
  const ChildResult child = Shell("kill -TERM $$");
  EXPECT_EQ(child.signal, 15);
  EXPECT_EQ(child.exit_code, -1);
}

TEST(ChildProcess, KillsAChildThatTakesTooLong) {
  const ChildResult child = Shell("sleep 100 & sleep 100; echo late", {}, 0.2);
  EXPECT_TRUE(child.timed_out);
  EXPECT_EQ(child.out, "");
  EXPECT_LT(child.seconds, kLong);
}

TEST(ChildProcess, KillsAChildThatClosedItsOutputAndHangs) {
  EXPECT_TRUE(Shell("exec >&- 2>&-; sleep 100", {}, 0.2).timed_out);
}

TEST(ChildProcess, EndsAChildWhenToldToStop) {
  int asked = 0;
  const Result<ChildResult> child =
      RunChild({"/bin/sh", "-c", "sleep 100"}, {}, kLong, [&asked] { return ++asked > 2; });
  ASSERT_TRUE(child);
  EXPECT_TRUE(child->timed_out);
  EXPECT_LT(child->seconds, kLong);
}

// The status of a child is gone then; it counted as success.
TEST(ChildProcess, AnEndThatNobodyCanTellIsAnError) {
  void (*const before)(int) = std::signal(SIGCHLD, SIG_IGN);
  const Result<ChildResult> child = RunChild({"/bin/sh", "-c", "exit 7"}, {}, kLong);
  (void)std::signal(SIGCHLD, before);
  ASSERT_FALSE(child);
  EXPECT_EQ(child.error().code, ErrorCode::kHost);
  EXPECT_EQ(child.error().message, "lost the process of /bin/sh: No child processes");
}

TEST(ChildProcess, AMissingProgramIsAnError) {
  const Result<ChildResult> child = RunChild({"/no/such/program"}, {}, kLong);
  ASSERT_FALSE(child);
  EXPECT_EQ(child.error().message, "cannot start /no/such/program: No such file or directory");
}

TEST(FindProgram, SearchesThePath) {
  EXPECT_TRUE(FindProgram("sh").ends_with("/sh"));
  EXPECT_EQ(FindProgram("no-such-program-anywhere"), "");
}

}  // namespace
}  // namespace txvm::isa

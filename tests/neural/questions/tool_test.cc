// txvm_nl_data as a user calls it.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "isa/support/system/child_process.h"

namespace txvm::neural::questions {
namespace {

using isa::ChildResult;

ChildResult RunTool(std::vector<std::string> words, std::string_view input = {}) {
  constexpr double kMinute = 60;
  words.insert(words.begin(), TXVM_NL_DATA_BINARY);
  const isa::Result<ChildResult> result = isa::RunChild(words, input, kMinute);
  EXPECT_TRUE(result) << result.error().message;
  return result.value_or(ChildResult());
}

TEST(DataTool, PrintsAsManyExamplesAsAreWanted) {
  const ChildResult two = RunTool({"--count", "2", "--seed", "18446744073709551615", "--jsonl"});
  EXPECT_EQ(two.exit_code, 0) << two.err;
  EXPECT_EQ(std::ranges::count(two.out, '\n'), 2) << two.out;
  EXPECT_TRUE(RunTool({"--statistics", "--count", "1"}).out.starts_with("examples 1, "));
}

// "1e3" was 1, "-1" went on without an end, and of no examples there is no mean.
TEST(DataTool, RefusesWhatIsNoNumber) {
  for (const std::string count : {"x", "1e3", "3x", "-1", "+1", "", "18446744073709551616", "0"}) {
    const ChildResult result = RunTool({"--statistics", "--count", count});
    EXPECT_EQ(result.exit_code, 2) << count;
    EXPECT_TRUE(result.err.starts_with(
        "txvm_nl_data: --count is a whole number from 1 to 18446744073709551615, not '" + count +
        "'\n"))
        << result.err;
  }
  EXPECT_TRUE(
      RunTool({"--seed", "zz"})
          .err.starts_with(
              "txvm_nl_data: --seed is a whole number from 0 to 18446744073709551615, not 'zz'\n"));
}

TEST(DataTool, SaysHowItIsUsed) {
  const ChildResult help = RunTool({"--help"});
  EXPECT_EQ(help.exit_code, 0);
  EXPECT_TRUE(help.out.starts_with("usage: txvm_nl_data ")) << help.out;
  const ChildResult unknown = RunTool({"--no\x1bsuch"});
  EXPECT_EQ(unknown.exit_code, 2);
  EXPECT_EQ(unknown.err, "txvm_nl_data: unknown option --no\\1bsuch\n" + help.out);
}

TEST(DataTool, LostOutputIsAnError) {
  const auto full =
      isa::RunChild({"/bin/sh", "-c", "exec " TXVM_NL_DATA_BINARY " --count 3 >/dev/full"}, {}, 60);
  ASSERT_TRUE(full);
  EXPECT_EQ(full->exit_code, 1);
  EXPECT_EQ(full->err, "txvm_nl_data: cannot write standard output\n");
}

TEST(DataTool, AFolderIsNoFileOfQuestions) {
  for (const std::string path : {"/", "/no/such/file"}) {
    const ChildResult result = RunTool({"--contamination", path, "--count", "1"});
    EXPECT_EQ(result.exit_code, 3) << path;
    EXPECT_EQ(result.err, "txvm_nl_data: cannot read " + path + "\n");
    EXPECT_EQ(result.out, "");
  }
}

// Whoever scores the questions apart counts the same lines.
TEST(DataTool, VerdictsAreOfLinesThatAreNotBlank) {
  const ChildResult result = RunTool(
      {"--contamination", "/dev/stdin", "--count", "1", "--jsonl"},
      "\xEF\xBB\xBF{\"question\": \"Who owns the whole blue lake?\"}\r\n\r\n \t\n\nWhat is it "
      "that they sang about?\n");
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_EQ(result.out,
            "all 2, clean 2, contaminated 0, among 1 generated examples\n"
            "{\"line\": 1, \"contaminated\": false}\n{\"line\": 2, \"contaminated\": false}\n");
}

}  // namespace
}  // namespace txvm::neural::questions

// txvm profile: every step counts once, in the table and in every file.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <sstream>

#include "frontends/cli/support/exit_code.h"
#include "tests/frontends/cli/cli_runner.h"

namespace txvm::frontends::cli {
namespace {

using nlohmann::json;

json ProfileOf(const std::string& line) {
  const isa::ChildResult run = RunTxvm(Words("profile --json " + line));
  EXPECT_EQ(run.exit_code, 0) << run.err;
  return json::parse(run.out, nullptr, false);
}

json Row(const json& rows, const std::string& key, const json& value) {
  for (const json& row : rows) {
    if (row[key] == value) return row;
  }
  return {};
}

TEST(Profile, CountsEveryStepOnce) {
  for (const char* line :
       {"examples/fib.wat --invoke fib 12", "examples/gcd.txa --invoke gcd 1071 462",
        "tests/golden/programs/hungarian.wat --invoke jobs"}) {
    const json profile = ProfileOf(line);
    std::uint64_t own = 0, most = 0;
    for (const json& row : profile["functions"]) {
      own += row["exclusive"].get<std::uint64_t>();
      most = std::max(most, row["inclusive"].get<std::uint64_t>());
      EXPECT_LE(row["exclusive"], row["inclusive"]) << line;
    }
    EXPECT_EQ(own, profile["steps"]) << line;
    EXPECT_EQ(most, profile["steps"]) << line;
    for (const json& row : profile["lines"]) {
      EXPECT_LE(row["exclusive"], row["inclusive"]) << line;
      EXPECT_LE(row["inclusive"], profile["steps"]) << line;
    }
  }
}

// fib(12) makes 465 calls; the whole of it but the entry's stub is inside the outermost.
TEST(Profile, ARecursionIsCountedOnceForItsFunction) {
  const json profile = ProfileOf("examples/fib.wat --invoke fib 12");
  const json fib = Row(profile["functions"], "function", "fib");
  EXPECT_EQ(fib["calls"], 465u);
  EXPECT_EQ(fib["inclusive"], fib["exclusive"]);
  const json stub = Row(profile["functions"], "function", "export fib");
  EXPECT_EQ(stub["inclusive"], profile["steps"]);
  // The first call's line holds all but what surrounds it.
  const json line = Row(profile["lines"], "line", 9);
  EXPECT_GT(line["inclusive"], profile["steps"].get<std::uint64_t>() * 3 / 5);
}

TEST(Profile, FilesHoldTheSameSteps) {
  const ScratchFile folded(".txt", ""), svg(".svg", ""), perfetto(".json", "");
  const isa::ChildResult run =
      RunTxvm({"profile", "examples/fib.wat", "--invoke", "fib", "10", "--folded", folded.path(),
               "--svg", svg.path(), "--perfetto", perfetto.path(), "--rows", "3"});
  ASSERT_EQ(run.exit_code, 0) << run.err;
  EXPECT_TRUE(run.out.starts_with("halted after ")) << run.out;
  const std::uint64_t steps = ProfileOf("examples/fib.wat --invoke fib 10")["steps"];
  std::istringstream lines(folded.Read());
  std::uint64_t sum = 0;
  for (std::string line; std::getline(lines, line);) {
    EXPECT_TRUE(line.starts_with("export fib")) << line;
    sum += std::stoull(line.substr(line.rfind(' ')));
  }
  EXPECT_EQ(sum, steps);
  EXPECT_TRUE(svg.Read().starts_with("<svg "));
  EXPECT_NE(svg.Read().find("<title>fib: "), std::string::npos);
  const json trace = json::parse(perfetto.Read());
  std::uint64_t calls = 0, longest = 0;
  for (const json& event : trace["traceEvents"]) {
    if (event["ph"] != "X") continue;
    ++calls;
    longest = std::max(longest, event["dur"].get<std::uint64_t>());
  }
  EXPECT_EQ(calls, 178u);  // 177 of fib, and the entry
  EXPECT_EQ(longest, steps);
}

TEST(Profile, SaysHowTheRunEnded) {
  const isa::ChildResult trap = RunTxvm(Words("profile examples/trap.wat --invoke divide 0"));
  EXPECT_EQ(trap.exit_code, Value(ExitCode::kTrap)) << trap.err;
  const isa::ChildResult fuel =
      RunTxvm(Words("profile examples/fib.wat --invoke fib 20 --fuel 1000"));
  EXPECT_EQ(fuel.exit_code, Value(ExitCode::kOutOfFuel));
  EXPECT_TRUE(fuel.out.starts_with("out of fuel after 1,000 steps\n")) << fuel.out;
  const isa::ChildResult none = RunTxvm(Words("profile examples/fib.wat --invoke fib 2 --fuel 0"));
  EXPECT_EQ(none.exit_code, Value(ExitCode::kUsage));
  EXPECT_NE(none.err.find("the run has no step to count"), std::string::npos) << none.err;
  const isa::ChildResult nowhere =
      RunTxvm(Words("profile examples/fib.wat --invoke fib 2 --svg /nowhere/x.svg"));
  EXPECT_NE(nowhere.err.find("/nowhere/x.svg"), std::string::npos) << nowhere.err;
}

}  // namespace
}  // namespace txvm::frontends::cli

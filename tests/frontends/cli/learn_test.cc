// The programs of examples/learn do what their comments say.
#include <gtest/gtest.h>

#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "tests/frontends/cli/cli_runner.h"

namespace txvm::frontends::cli {
namespace {

/// What each prints by itself.
const std::map<std::string, std::string> kPrinted = {
    {"01_arithmetic.wat", "42\n"},
    {"02_locals.wat", "25\n"},
    {"03_if.wat", "9\n"},
    {"04_loop.wat", "5050\n"},
    {"05_memory.wat", "513\n"},
    {"06_strings.wat", "Hello, learner!\n15\n"},
    {"07_tables.wat", "13\n7\n30\n"},
    {"08_recursion.wat", "3628800\n"},
    {"09_globals.wat", "3\n5\n7\n"},
    {"10_i64.wat", "10000000000\n1410065408\n"},
    {"11_floats.wat", "1.4142135623730951\n0.30000000000000004\n"},
    {"12_traps.wat", "5\n"},
    {"13_imports.wat", "1 2.5 -3\n"},
    {"14_growing.wat", "1\n3\n-1\n7\n"},
    {"15_box.wat", ""},
    {"15_sharing.wat", "0\n0\n"},
    {"16_memories.wat", "1\n2\n3\n104\n"},
};

TEST(Learn, EveryProgramPrintsWhatItsCommentSays) {
  std::set<std::string> found;
  for (const auto& entry : std::filesystem::directory_iterator(TXVM_SOURCE_DIR "/examples/learn")) {
    found.insert(entry.path().filename());
  }
  for (const auto& [name, printed] : kPrinted) {
    EXPECT_EQ(found.erase(name), 1U) << name;
    const isa::ChildResult run = RunTxvm({"examples/learn/" + name});
    EXPECT_EQ(run.out, printed) << name << ": " << run.err;
    EXPECT_EQ(run.exit_code == 0, name != "12_traps.wat") << name;
  }
  EXPECT_TRUE(found.empty()) << *found.begin() << " has no expectation here";
}

TEST(Learn, TheOtherCommandsOfTheCommentsWorkToo) {
  const std::vector<std::pair<std::string, std::string>> commands = {
      {"examples/learn/02_locals.wat --invoke square 12", "144\n"},
      {"examples/learn/03_if.wat --invoke larger -1 -5", "-1\n"},
      {"examples/learn/07_tables.wat --invoke apply 1 9 4", "5\n"},
      {"examples/learn/11_floats.wat --invoke root 81", "9\n"},
      {"examples/learn/13_imports.wat --import console.log=nothing", ""},
      {"examples/learn/15_sharing.wat --link box=examples/learn/15_box.wat", "42\n5\n"},
  };
  for (const auto& [line, printed] : commands) {
    const isa::ChildResult run = RunTxvm(Words(line));
    EXPECT_EQ(run.out, printed) << line << ": " << run.err;
    EXPECT_EQ(run.err, "") << line;
  }
  const isa::ChildResult trap = RunTxvm({"examples/learn/12_traps.wat"});
  EXPECT_TRUE(
      trap.err.starts_with("txvm: trap: integer divide by zero in function 'divide' at "
                           "instruction 3 (examples/learn/12_traps.wat:9)"))
      << trap.err;
  EXPECT_NE(RunTxvm({"examples/learn/13_imports.wat", "--strict-imports"}).exit_code, 0);
}

}  // namespace
}  // namespace txvm::frontends::cli

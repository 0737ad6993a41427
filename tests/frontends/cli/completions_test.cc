// txvm completions: what bash offers.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "tests/frontends/cli/cli_runner.h"

namespace txvm::frontends::cli {
namespace {

// What bash offers in `folder` where the cursor is after the last of `words`, which are of bash.
std::vector<std::string> Offered(const std::string& words, const std::string& folder = "/") {
  const std::string bash = isa::FindProgram("bash");
  const std::string script = "cd '" + folder +
                             "' && eval \"$('" TXVM_BINARY
                             "' completions bash)\" && COMP_WORDS=('" TXVM_BINARY "' " +
                             words +
                             ") && COMP_CWORD=$((${#COMP_WORDS[@]} - 1)) && _txvm && "
                             "for line in \"${COMPREPLY[@]}\"; do printf '%s\\n' \"$line\"; done";
  const isa::Result<isa::ChildResult> run = isa::RunChild({bash, "--norc", "-c", script}, {}, 60);
  EXPECT_TRUE(run);
  if (!run) return {};
  EXPECT_EQ(run->err, "");
  std::vector<std::string> lines;
  for (std::string_view rest = run->out; !rest.empty();) {
    const std::size_t end = rest.find('\n');
    lines.emplace_back(rest.substr(0, end));
    rest.remove_prefix(end + 1);
  }
  return lines;
}

class Completions : public ::testing::Test {
 protected:
  void SetUp() override {
    if (isa::FindProgram("bash").empty()) GTEST_SKIP() << "bash is not installed";
  }
};

TEST_F(Completions, CommandsAndOptionsAreOffered) {
  EXPECT_EQ(Offered("comp"), (std::vector<std::string>{"compile", "compare", "completions"}));
  EXPECT_EQ(Offered("isa --j"), (std::vector<std::string>{"--json"}));
  EXPECT_EQ(Offered("isa add --m"), (std::vector<std::string>{"--markdown"}));
  EXPECT_EQ(Offered("no/such.wat --inv"), (std::vector<std::string>{"--invoke"}));
}

TEST_F(Completions, CommandsOfCommandsHaveTheirOptions) {
  EXPECT_EQ(Offered("tir profile --dig"), (std::vector<std::string>{"--digests"}));
  EXPECT_EQ(Offered("tir --h"), (std::vector<std::string>{}));
  EXPECT_FALSE(Offered("train classifier --").empty());
}

TEST_F(Completions, NamesOfFilesMayHoldBlanks) {
  const std::filesystem::path folder =
      std::filesystem::path(::testing::TempDir()) / "txvm-completions";
  std::filesystem::create_directories(folder);
  std::ofstream(folder / "b c.wat") << "\n";
  std::ofstream(folder / "b d.wat") << "\n";
  for (const char* words : {"b", "run b"}) {
    std::vector<std::string> offered = Offered(words, folder.string());
    std::erase(offered, "bench");
    std::ranges::sort(offered);
    EXPECT_EQ(offered, (std::vector<std::string>{"b c.wat", "b d.wat"})) << words;
  }
  std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace txvm::frontends::cli

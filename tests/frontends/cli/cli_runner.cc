// Runs the program txvm as a user does.
#include "tests/frontends/cli/cli_runner.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <atomic>
#include <fstream>
#include <iomanip>
#include <sstream>

namespace txvm::frontends::cli {

isa::ChildResult RunTxvm(const std::vector<std::string>& arguments, std::string_view input) {
  constexpr double kMinute = 60;
  std::vector<std::string> command = {"/usr/bin/env", "-C", TXVM_SOURCE_DIR, TXVM_BINARY};
  command.insert(command.end(), arguments.begin(), arguments.end());
  const isa::Result<isa::ChildResult> result = isa::RunChild(command, input, kMinute);
  EXPECT_TRUE(result) << result.error().message;
  if (!result) return {};
  EXPECT_FALSE(result->timed_out);
  return *result;
}

std::vector<std::string> Words(std::string_view line) {
  std::istringstream stream{std::string(line)};
  std::vector<std::string> words;
  for (std::string word; stream >> std::quoted(word);) words.push_back(word);
  return words;
}

ScratchFile::ScratchFile(std::string_view extension, std::string_view bytes) {
  static std::atomic<int> count = 0;
  path_ = ::testing::TempDir() + "txvm-cli-" + std::to_string(getpid()) + "-" +
          std::to_string(++count) + std::string(extension);
  std::ofstream(path_, std::ios::binary) << bytes;
}

ScratchFile::~ScratchFile() { unlink(path_.c_str()); }

std::string ScratchFile::Read() const {
  std::ifstream file(path_, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

}  // namespace txvm::frontends::cli

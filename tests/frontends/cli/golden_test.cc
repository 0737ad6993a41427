// Transcripts: every file of golden/ holds commands and what they must print. TXVM_BLESS=1 rewrites
// them. Times and speeds, which change, are written as TIME and SPEED.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <regex>
#include <sstream>

#include "tests/frontends/cli/cli_runner.h"

namespace txvm::frontends::cli {
namespace {

const std::filesystem::path kFolder = TXVM_SOURCE_DIR "/tests/frontends/cli/golden";

std::vector<std::string> Transcripts() {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(kFolder)) {
    names.push_back(entry.path().stem().string());
  }
  std::ranges::sort(names);
  return names;
}

std::string ReadAll(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  EXPECT_TRUE(file) << path;
  return {std::istreambuf_iterator<char>(file), {}};
}

std::string Masked(std::string text) {
  text = std::regex_replace(text, std::regex(R"([0-9.]+ (us|ms|s)\b)"), "TIME");
  text = std::regex_replace(text, std::regex(R"([0-9.]+ M steps/s|\(-\))"), "SPEED");
  return std::regex_replace(text, std::regex(R"("seconds": [-+.0-9e]+)"), "\"seconds\": TIME");
}

// "$ txvm ARGS [< FILE]" with what it printed, then its exit code.
std::string Transcribe(const std::string& line) {
  std::vector<std::string> words = Words(line);
  words.erase(words.begin(), words.begin() + 2);
  std::string input;
  if (const auto redirect = std::ranges::find(words, "<"); redirect != words.end()) {
    input = ReadAll(std::filesystem::path(TXVM_SOURCE_DIR) / *(redirect + 1));
    words.erase(redirect, words.end());
  }
  const isa::ChildResult child = RunTxvm(words, input);
  std::string text = line + "\n" + Masked(child.out);
  if (!child.err.empty()) text += "[stderr]\n" + Masked(child.err);
  return text + "[exit " + std::to_string(child.exit_code) + "]\n";
}

class Golden : public ::testing::TestWithParam<std::string> {};

TEST_P(Golden, CommandsPrintWhatTheTranscriptSays) {
  const std::filesystem::path path = kFolder / (GetParam() + ".txt");
  const std::string expected = ReadAll(path);
  std::istringstream lines(expected);
  std::string actual;
  int commands = 0;
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with("$ txvm")) continue;
    actual += Transcribe(line);
    ++commands;
  }
  EXPECT_GT(commands, 0) << "no command in " << path;
  if (std::getenv("TXVM_BLESS") != nullptr) std::ofstream(path, std::ios::binary) << actual;
  EXPECT_EQ(actual, ReadAll(path)) << "TXVM_BLESS=1 rewrites " << path;
}

// A page's ```console blocks: "$ txvm ARGS", then what a terminal shows, stdout before stderr.
void ExpectTrueTranscripts(const char* page) {
  std::istringstream lines(ReadAll(std::filesystem::path(TXVM_SOURCE_DIR) / page));
  std::string shown, actual;
  bool inside = false;
  int commands = 0;
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("```")) {
      inside = line == "```console";
      continue;
    }
    if (!inside) continue;
    shown += Masked(line) + "\n";
    if (!line.starts_with("$ txvm ")) continue;
    std::vector<std::string> words = Words(line);
    words.erase(words.begin(), words.begin() + 2);
    const isa::ChildResult child = RunTxvm(words);
    actual += line + "\n" + Masked(child.out) + Masked(child.err);
    ++commands;
  }
  EXPECT_GE(commands, 4);
  EXPECT_EQ(shown, actual);
}

TEST(Readme, TheTourPrintsWhatItShows) { ExpectTrueTranscripts("README.md"); }

TEST(Readme, TheGuidePrintsWhatItShows) { ExpectTrueTranscripts("docs/GUIDE.md"); }

INSTANTIATE_TEST_SUITE_P(Cli, Golden, ::testing::ValuesIn(Transcripts()),
                         [](const auto& test) { return test.param; });

}  // namespace
}  // namespace txvm::frontends::cli

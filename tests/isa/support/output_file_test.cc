// Files that take their names when they are whole.
#include "isa/support/output_file.h"

#include <gtest/gtest.h>

#include <fstream>
#include <iterator>

namespace txvm::isa {
namespace {

namespace fs = std::filesystem;

class OutputFiles : public testing::Test {
 protected:
  OutputFiles() { fs::create_directories(folder_); }
  ~OutputFiles() override { fs::remove_all(folder_); }
  static std::string Text(const fs::path& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  std::ptrdiff_t Count() const { return std::distance(fs::directory_iterator(folder_), {}); }

  fs::path folder_ = fs::path(testing::TempDir()) / fmt::format("txvm-output-{}", ::getpid());
  std::string target_ = (folder_ / "m.gguf").string();
};

// In a container every process has the same number, that of a killed one too.
TEST_F(OutputFiles, WhatAKilledProcessLeftIsInNoLaterOnesWay) {
  const std::string left = fmt::format("{}.{}.part", target_, ::getpid());
  const std::string second = fmt::format("{}.{}.1.part", target_, ::getpid());
  std::ofstream(left) << "left";
  std::ofstream(second) << "left too";
  OutputFile file(target_);
  file.Write("whole");
  const auto finished = file.Finish();
  EXPECT_TRUE(finished) << finished.error().message;
  EXPECT_EQ(Text(target_), "whole");
  EXPECT_EQ(Text(left), "left");
  EXPECT_EQ(Text(second), "left too");
  EXPECT_EQ(Count(), 3);
}

TEST_F(OutputFiles, AFileThatIsNotFinishedLeavesNothing) {
  std::ofstream(target_) << "old";
  {
    OutputFile(target_).Write("new");
  }
  EXPECT_EQ(Text(target_), "old");
  EXPECT_EQ(Count(), 1);
}

TEST_F(OutputFiles, ThoseThatBelongTogetherAreReplacedTogether) {
  const auto write = [this](const std::string& last) {
    std::deque<OutputFile> files;
    files.emplace_back(target_).Write("new");
    files.emplace_back(last).Write("new too");
    const auto finished = FinishAll(files);
    return finished ? "" : finished.error().message;
  };
  std::ofstream(target_) << "old";
  const std::string lost = (folder_ / "none/config.json").string();
  EXPECT_EQ(write(lost), "cannot write '" + lost + "': No such file or directory");
  EXPECT_EQ(Text(target_), "old");
  EXPECT_EQ(Count(), 1);
  EXPECT_EQ(write((folder_ / "config.json").string()), "");
  EXPECT_EQ(Text(target_), "new");
  EXPECT_EQ(Count(), 2);
}

}  // namespace
}  // namespace txvm::isa

// txvm train normalizer from outside: it learns, and a killed run ends as one that was let alone.
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <regex>
#include <string>
#include <vector>

#include "tests/frontends/cli/cli_runner.h"
#include "tests/frontends/cli/killed_run.h"

namespace txvm::frontends::cli {
namespace {

namespace fs = std::filesystem;

std::string Bytes(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

class TrainCli : public testing::Test {
 protected:
  TrainCli() { fs::create_directories(root_); }
  ~TrainCli() override { fs::remove_all(root_); }

  std::vector<std::string> Words(const fs::path& out) const {
    return {"train",
            "normalizer",
            "--out",
            out.string(),
            "--steps",
            "200",
            "--batch",
            "32",
            "--width",
            "64",
            "--layers",
            "2",
            "--heads",
            "4",
            "--kv-heads",
            "2",
            "--feed-forward",
            "128",
            "--no-recall",
            "--no-lessons",
            "--vocabulary",
            "800",
            "--checkpoint-steps",
            "20",
            "--log",
            out.string() + ".log"};
  }

  /// Mean loss of the updates [begin, end) that a log has.
  static double MeanLoss(const fs::path& log, int begin, int end) {
    std::ifstream in(log);
    double sum = 0;
    int at = 0;
    for (std::string line; std::getline(in, line); ++at) {
      if (at >= begin && at < end) sum += nlohmann::json::parse(line)["loss"].get<double>();
    }
    EXPECT_GE(at, end);
    return sum / (end - begin);
  }

  const fs::path root_ =
      fs::path(testing::TempDir()) / ("txvm-train-cli-" + std::to_string(::getpid()));
};

TEST_F(TrainCli, LearnsAndSurvivesAKill) {
  const fs::path alone = root_ / "alone", killed = root_ / "killed";
  const isa::ChildResult whole = RunTxvm(Words(alone));
  ASSERT_EQ(whole.exit_code, 0) << whole.err;
  EXPECT_LT(MeanLoss(alone.string() + ".log", 190, 200),
            0.5 * MeanLoss(alone.string() + ".log", 0, 10));

  // In the first cycle, and again in the last of the second round.
  for (const char* checkpoint : {"checkpoint.safetensors", "checkpoint-4.safetensors"}) {
    KillAfterCheckpoint(Words(killed), killed / checkpoint);
    ASSERT_FALSE(fs::exists(killed / "model.safetensors"));
  }
  const isa::ChildResult rest = RunTxvm(Words(killed));
  ASSERT_EQ(rest.exit_code, 0) << rest.err;
  EXPECT_TRUE(std::regex_search(
      whole.out, std::regex("^324 updates, [0-9]+ tokens; fresh examples: loss [0-9.]+, ")))
      << whole.out;
  const std::regex resumed("^324 updates, resumed after [0-9]+, [0-9]+ tokens since;(.*)\n");
  std::smatch match;
  ASSERT_TRUE(std::regex_search(rest.out, match, resumed)) << rest.out;
  EXPECT_TRUE(whole.out.ends_with(match[1].str() + "\n")) << "the same model, the same loss";
  for (const char* name : {"model.safetensors", "config.json", "tokenizer.json"}) {
    EXPECT_EQ(Bytes(killed / name), Bytes(alone / name)) << name;
    EXPECT_FALSE(Bytes(alone / name).empty()) << name;
  }
  // A kill amid a save leaves the part that was written (isa/support/output_file.h), and nothing
  // else.
  const auto is_whole = [](const fs::directory_entry& file) {
    return file.path().extension() != ".part";
  };
  EXPECT_EQ(std::count_if(fs::directory_iterator(killed), {}, is_whole), 3)
      << "no cycle's file is left";

  const isa::ChildResult answer =
      RunTxvm({"ask", "--model", alone.string(), "--json", "Add 5 and 6"});
  EXPECT_EQ(answer.exit_code, 0) << answer.err;
  EXPECT_TRUE(nlohmann::json::parse(answer.out).contains("canonical")) << answer.out;
}

TEST_F(TrainCli, ChecksTheSentencesOfItsQuestions) {
  const isa::ChildResult whole = RunTxvm({"train", "questions", "--check"});
  EXPECT_EQ(whole.exit_code, 0) << whole.err;
  EXPECT_NE(whole.out.find("the next free number of a sentence is "), std::string::npos);
  const isa::ChildResult idle = RunTxvm({"train", "questions"});
  EXPECT_EQ(idle.exit_code, 2);
  EXPECT_NE(idle.err.find("questions have nothing to train"), std::string::npos) << idle.err;
  for (const char* what : {"questions", "normalizer"}) {
    std::vector<std::string> words = {"train", what, "--questions", root_.string()};
    if (words[1] == "questions") words.push_back("--check");
    if (words[1] == "normalizer") words.insert(words.end(), {"--out", (root_ / "x").string()});
    const isa::ChildResult none = RunTxvm(words);
    EXPECT_EQ(none.exit_code, 3) << none.err;
    EXPECT_EQ(none.err, "txvm: error: " + root_.string() +
                            " is no folder of sentences: it has no folder families in it\n");
  }
}

// What is trained decides which options there are, wherever it stands between them.
TEST_F(TrainCli, OptionsMayComeFirst) {
  const std::string out = (root_ / "classifier").string();
  for (const std::vector<std::string>& words :
       {std::vector<std::string>{"train", "--out", out, "classifier", "--rank", "2"},
        {"train", "--rank", "2", "--out=" + out, "classifier"},
        {"train", "--help", "--rank", "2", "classifier"}}) {
    std::vector<std::string> wrong = words;
    wrong.insert(wrong.end(), {"--projections", "none"});
    const isa::ChildResult result = RunTxvm(wrong);
    EXPECT_NE((result.err + result.out).find("projection"), std::string::npos) << result.err;
  }
  const isa::ChildResult ended =
      RunTxvm({"train", "--projections", "none", "--out=" + out, "--", "classifier"});
  EXPECT_NE(ended.err.find("projection"), std::string::npos) << ended.err;
  const isa::ChildResult normalizer = RunTxvm(
      {"train", "--out", "classifier", "--adamw", "normalizer", "--heads", "3", "--kv-heads", "2"});
  EXPECT_EQ(normalizer.err, "txvm: error: --heads 3 is no multiple of --kv-heads 2\n");
}

TEST_F(TrainCli, OneUpdateIsOne) {
  const isa::ChildResult one =
      RunTxvm({"train", "classifier", "--out", (root_ / "one").string(), "--steps", "1", "--batch",
               "1", "--items", "0", "--rank", "1"});
  EXPECT_EQ(one.out, "1 update\n") << one.err;
}

// At once and with a message, not by an abort after minutes.
TEST_F(TrainCli, AModelBeyondTheMemoryIsRefused) {
  constexpr long kEnough = 256L << 30;  // bytes: the largest model would begin to learn
  if (::sysconf(_SC_PHYS_PAGES) > kEnough / ::sysconf(_SC_PAGESIZE)) {
    GTEST_SKIP() << "more than 256 GiB of memory: the largest model would begin to learn";
  }
  const isa::ChildResult result =
      RunTxvm({"train", "normalizer", "--out", (root_ / "large").string(), "--layers", "64",
               "--width", "4096", "--feed-forward", "16384", "--heads", "32", "--kv-heads", "32"});
  EXPECT_EQ(result.exit_code, 7);
  EXPECT_NE(result.err.find("parameters takes"), std::string::npos) << result.err;
}

TEST_F(TrainCli, TheCompiledCircuitNeedsRoomAndMuon) {
  std::vector<std::string> words = Words(root_ / "circuit");
  words.erase(std::ranges::find(words, "--no-recall"));
  const isa::ChildResult small = RunTxvm(words);
  EXPECT_EQ(small.exit_code, 2);
  EXPECT_NE(small.err.find("2 blocks, 2 key and value heads of 16 and width 64 have no room"),
            std::string::npos)
      << small.err;
  words.push_back("--adamw");
  words[std::ranges::find(words, "--layers") - words.begin() + 1] = "3";
  const isa::ChildResult adamw = RunTxvm(words);
  EXPECT_EQ(adamw.exit_code, 2);
  EXPECT_NE(adamw.err.find("add --no-recall"), std::string::npos) << adamw.err;
}

// The log may lie in the folder that the training makes; a shape that is refused leaves none.
TEST_F(TrainCli, RefusesBeforeItOpensItsLog) {
  std::vector<std::string> words = Words(root_ / "shape");
  words.back() = (root_ / "shape.jsonl").string();
  const auto set = [&words](const char* option, const char* value) {
    *std::next(std::ranges::find(words, option)) = value;
  };
  set("--heads", "7");
  EXPECT_EQ(RunTxvm(words).exit_code, 2);
  EXPECT_FALSE(std::filesystem::exists(root_ / "shape.jsonl"));
  words = Words(root_ / "inside");
  words.back() = (root_ / "inside" / "log.jsonl").string();
  set("--steps", "1");
  const isa::ChildResult inside = RunTxvm(words);
  EXPECT_EQ(inside.exit_code, 0) << inside.err;
  EXPECT_TRUE(std::filesystem::exists(root_ / "inside" / "log.jsonl"));
}

TEST_F(TrainCli, SaysWhatItCannotWrite) {
  std::vector<std::string> words = Words(root_ / "model");
  words.back() = (root_ / "no" / "such" / "log").string();
  const isa::ChildResult result = RunTxvm(words);
  EXPECT_NE(result.exit_code, 0);
  EXPECT_NE(result.err.find("cannot write"), std::string::npos) << result.err;
  words.back() = "/dev/full";
  const isa::ChildResult full = RunTxvm(words);
  EXPECT_NE(full.exit_code, 0);
  EXPECT_NE(full.err.find("cannot write /dev/full"), std::string::npos) << full.err;
}

}  // namespace
}  // namespace txvm::frontends::cli

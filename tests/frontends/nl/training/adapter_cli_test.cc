// txvm train adapter from outside: a toy llama learns, a killed run ends as one that was let alone,
// whatever the number of threads, and txvm ask reads with what came out.
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <regex>
#include <string>
#include <vector>

#include "neural/llm/bundle.h"
#include "tests/frontends/cli/cli_runner.h"
#include "tests/frontends/cli/killed_run.h"
#include "tests/frontends/nl/reader/piece_tokenizers.h"
#include "tests/neural/llm/random_model.h"

namespace txvm::frontends::cli {
namespace {

namespace fs = std::filesystem;
namespace llm = neural::llm;

std::string Bytes(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

void Write(const fs::path& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary) << bytes;
}

/// A folder with a llama of random weights that writes text in bytes.
void MakeBase(const fs::path& folder, std::uint64_t seed) {
  llm::Bundle bundle;
  bundle.tokenizer = nl::PieceTokenizer({" =", " +", " -", " *", " the", "how many"}, true);
  llm::Config config = llm::SmallConfig(1, true);
  config.vocab = bundle.tokenizer->size();
  config.hidden = 64;
  config.feed_forward = 96;
  config.layers = 2;
  config.heads = 4;
  config.positions = 512;
  bundle.model = llm::RandomModel(config, seed);
  bundle.format = "GGUF 3";  // its tokenizer's files are written, not copied
  const auto saved = llm::SaveBundle(bundle, "", folder.string(), false);
  ASSERT_TRUE(saved) << saved.error().message;
}

class AdapterCli : public testing::Test {
 protected:
  AdapterCli() {
    fs::create_directories(root_);
    MakeBase(base_, 1);
  }
  ~AdapterCli() override { fs::remove_all(root_); }

  std::vector<std::string> Command(const fs::path& out, const std::string& threads) const {
    return {"train",
            "adapter",
            "--base",
            base_.string(),
            "--out",
            out.string(),
            "--steps",
            "30",
            "--batch",
            "8",
            "--rate",
            "0.01",
            "--lens",
            "20",
            "--threads",
            threads,
            "--log",
            out.string() + ".log",
            "--checkpoint-steps",
            "4"};
  }

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
      fs::path(testing::TempDir()) / ("txvm-adapter-cli-" + std::to_string(::getpid()));
  const fs::path base_ = root_ / "base";
};

TEST_F(AdapterCli, LearnsAndSurvivesAKill) {
  const fs::path alone = root_ / "alone", killed = root_ / "killed";
  const isa::ChildResult whole = RunTxvm(Command(alone, "1"));
  ASSERT_EQ(whole.exit_code, 0) << whole.err;
  EXPECT_TRUE(std::regex_search(
      whole.out, std::regex("^30 updates, [0-9]+ tokens; fresh examples: loss [0-9.]+, ")))
      << whole.out;
  EXPECT_LT(MeanLoss(alone.string() + ".log", 25, 30),
            0.7 * MeanLoss(alone.string() + ".log", 0, 3));

  KillAfterCheckpoint(Command(killed, "2"), killed / "checkpoint.safetensors");
  ASSERT_FALSE(fs::exists(killed / "adapter_model.safetensors"));
  const isa::ChildResult rest = RunTxvm(Command(killed, "2"));
  ASSERT_EQ(rest.exit_code, 0) << rest.err;
  for (const char* name : {"adapter_model.safetensors", "adapter_config.json"}) {
    EXPECT_FALSE(Bytes(alone / name).empty()) << name;
    EXPECT_EQ(Bytes(killed / name), Bytes(alone / name)) << name;
  }
  EXPECT_FALSE(fs::exists(killed / "checkpoint.safetensors"));

  const isa::ChildResult answer = RunTxvm(
      {"ask", "--model", base_.string(), "--adapter", alone.string(), "--json", "Add 5 and 6"});
  ASSERT_TRUE(answer.exit_code == 0 || answer.exit_code == 5) << answer.err;
  EXPECT_TRUE(nlohmann::json::parse(answer.out).contains("canonical")) << answer.out;
}

TEST_F(AdapterCli, WhatCannotBeTrainedLeavesNoTrace) {
  const fs::path out = root_ / "out";
  struct Case {
    std::vector<std::string> words;
    std::string says;
  };
  const std::string base = base_.string();
  const Case kCases[] = {{{"--out", out.string()}, "a model to adapt is needed: --base PATH"},
                         {{"--base", base}, "a folder for the adapter is needed: --out DIR"},
                         {{"--base", base, "--out", out.string(), "--projections", "q,x"},
                          "there is no projection 'x': q, k, v, o, gate, up or down"},
                         {{"--base", base, "--out", out.string(), "--precision", "int4"},
                          "--precision is bfloat16 or float32, not 'int4'"},
                         {{"--base", (root_ / "none").string(), "--out", out.string()}, "none"}};
  for (const Case& one : kCases) {
    std::vector<std::string> words = {"train", "adapter"};
    words.insert(words.end(), one.words.begin(), one.words.end());
    const isa::ChildResult result = RunTxvm(words);
    EXPECT_NE(result.exit_code, 0) << one.says;
    EXPECT_TRUE(result.err.contains(one.says)) << result.err;
    EXPECT_FALSE(fs::exists(out)) << one.says;
  }
  fs::remove(base_ / "tokenizer.json");
  const isa::ChildResult mute =
      RunTxvm({"train", "adapter", "--base", base, "--out", out.string()});
  EXPECT_NE(mute.exit_code, 0);
  EXPECT_TRUE(mute.err.contains("the base model has no tokenizer")) << mute.err;
  EXPECT_FALSE(fs::exists(out));
}

TEST_F(AdapterCli, AdaptersOfOthersAndDamagedOnesAreRefused) {
  const fs::path mine = root_ / "mine", other = root_ / "other";
  std::vector<std::string> words = Command(mine, "1");
  words[7] = "2";  // updates
  ASSERT_EQ(RunTxvm(words).exit_code, 0);
  const auto ask = [&](const fs::path& base) {
    return RunTxvm({"ask", "--model", base.string(), "--adapter", mine.string(), "Add 5 and 6"});
  };
  MakeBase(other, 2);
  isa::ChildResult refused = ask(other);
  EXPECT_NE(refused.exit_code, 0);
  EXPECT_TRUE(refused.err.contains("the adapter was made for another model")) << refused.err;

  const std::string whole = Bytes(mine / "adapter_model.safetensors");
  std::string damaged = whole;
  damaged[damaged.size() - 1] = '\x7F';  // a NaN
  damaged[damaged.size() - 2] = '\xC0';
  Write(mine / "adapter_model.safetensors", damaged);
  refused = ask(base_);
  EXPECT_NE(refused.exit_code, 0);
  EXPECT_TRUE(refused.err.contains("has a value or a scale that is no number")) << refused.err;

  Write(mine / "adapter_model.safetensors", whole.substr(0, whole.size() - 7));
  refused = ask(base_);
  EXPECT_NE(refused.exit_code, 0);
  EXPECT_TRUE(refused.err.contains("adapter_model.safetensors")) << refused.err;

  Write(mine / "adapter_model.safetensors", whole);
  const isa::ChildResult both = RunTxvm({"ask", "--model", base_.string(), "--adapter",
                                         mine.string(), "--prompt", "seed", "Add 5 and 6"});
  EXPECT_NE(both.exit_code, 0);
  EXPECT_TRUE(both.err.contains("--prompt and --pipeline are for chat models without an adapter"))
      << both.err;

  // A checkpoint of another run.
  std::vector<std::string> resumed = Command(root_ / "run", "1");
  ASSERT_TRUE(fs::create_directories(root_ / "run"));
  Write(root_ / "run" / "checkpoint.safetensors", whole);
  refused = RunTxvm(resumed);
  EXPECT_NE(refused.exit_code, 0);
  EXPECT_TRUE(refused.err.contains("checkpoint")) << refused.err;
}

}  // namespace
}  // namespace txvm::frontends::cli

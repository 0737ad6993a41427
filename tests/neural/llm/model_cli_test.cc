// txvm model as a user runs it.
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>

#include "frontends/cli/support/exit_code.h"
#include "neural/llm/bundle.h"
#include "neural/llm/save.h"
#include "tests/frontends/cli/cli_runner.h"
#include "tests/neural/llm/random_model.h"
#include "tests/neural/llm/tokenizer_files.h"

namespace txvm::frontends::cli {
namespace {

namespace llm = neural::llm;

class ModelCommandTest : public testing::Test {
 protected:
  ModelCommandTest() {
    llm::Config config = llm::SmallConfig(2, true);
    config.vocab = 272;
    EXPECT_TRUE(llm::SaveSafetensors(*llm::RandomModel(config, 5, llm::Element::kBF16), source_));
    llm::WriteText(source_ + "/tokenizer.json", llm::kCharacterTokenizer);
    llm::WriteText(source_ + "/tokenizer_config.json",
                   R"({"chat_template": "{{ '<|user|>' }}{{ eos_token }}"})");
  }
  static std::string Generated(const std::string& path, std::vector<std::string> more = {}) {
    std::vector<std::string> words = {"model",  "generate", path, "--prompt",
                                      "ab cab", "--tokens", "12"};
    words.insert(words.end(), more.begin(), more.end());
    const isa::ChildResult result = RunTxvm(words);
    EXPECT_EQ(result.exit_code, 0) << result.err;
    return result.out;
  }
  llm::TemporaryFolder folder_;
  std::string source_ = folder_ / "model";
};

TEST_F(ModelCommandTest, InfoNamesWhatIsThere) {
  const isa::ChildResult result = RunTxvm({"model", "info", source_});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_EQ(result.out,
            "format       safetensors\nparameters   564,096\nlayers       3\nhidden       128\n"
            "feed forward 352\nheads        8 of 16, 2 for keys and values\n"
            "vocabulary   272, head tied to the embedding\n"
            "positions    256, rotation base 10000, pairs i and i + half\n"
            "matrices     BF16 22, 1,126,400 bytes\n"
            "tokenizer    BPE on characters, 269 pieces, 1 added\nchat         zephyr\n");
}

TEST_F(ModelCommandTest, ConvertedModelsSayTheSame) {
  const std::string gguf = folder_ / "model.gguf", back = folder_ / "back";
  const std::string expected = Generated(source_);
  EXPECT_EQ(RunTxvm({"model", "convert", source_, gguf}).exit_code, 0);
  EXPECT_EQ(Generated(gguf), expected);
  EXPECT_EQ(RunTxvm({"model", "convert", gguf, back}).exit_code, 0);
  EXPECT_EQ(Generated(back), expected);
  EXPECT_EQ(llm::FileText(back + "/model.safetensors"),
            llm::FileText(source_ + "/model.safetensors"));
  EXPECT_EQ(RunTxvm({"model", "convert", source_, folder_ / "q.gguf", "--type", "q8_0"}).exit_code,
            0);
  const isa::ChildResult info = RunTxvm({"model", "info", folder_ / "q.gguf"});
  EXPECT_NE(info.out.find("Q8_0 22"), std::string::npos) << info.out;
  const isa::ChildResult copy = RunTxvm({"model", "convert", source_, folder_ / "copy"});
  EXPECT_EQ(copy.exit_code, 0);
  EXPECT_EQ(Generated(folder_ / "copy"), expected);
}

TEST_F(ModelCommandTest, DrawsFollowTheSeedAndChatsTheTemplate) {
  const std::vector<std::string> warm = {"--temperature", "1.5", "--top-k", "50",
                                         "--top-p",       "0.95"};
  auto other = warm;
  other.insert(other.end(), {"--seed", "9"});
  EXPECT_EQ(Generated(source_, warm), Generated(source_, warm));
  EXPECT_NE(Generated(source_, warm), Generated(source_, other));
  EXPECT_NE(Generated(source_, {"--chat", "--system", "c"}), Generated(source_));
  EXPECT_EQ(Generated(source_, {"--threads", "3"}), Generated(source_, {"--threads", "1"}));
}

TEST_F(ModelCommandTest, ATextThatFillsTheModelSaysSo) {
  const auto note = [&](const char* tokens) {
    return RunTxvm({"model", "generate", source_, "--prompt", "ab", "--tokens", tokens}).err;
  };
  EXPECT_TRUE(note("500").ends_with("/s: the model's 256 positions are full\n")) << note("500");
  EXPECT_TRUE(note("3").ends_with("/s\n")) << note("3");
}

TEST_F(ModelCommandTest, AFolderIsConvertedInPlace) {
  const std::string expected = Generated(source_);
  const isa::ChildResult result =
      RunTxvm({"model", "convert", source_, source_, "--to", "safetensors", "--type", "f32"});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_EQ(Generated(source_), expected);
}

TEST_F(ModelCommandTest, AnOlderIndexDoesNotHideTheConvertedModel) {
  const std::string back = folder_ / "back";
  std::filesystem::create_directories(back);
  llm::WriteText(back + "/model.safetensors.index.json", R"({"weight_map": {"a": "none"}})");
  EXPECT_EQ(RunTxvm({"model", "convert", source_, back}).exit_code, 0);
  EXPECT_EQ(Generated(back), Generated(source_));
}

TEST_F(ModelCommandTest, APipeGetsTheModelAlone) {
  const std::string copy = folder_ / "copy.gguf";
  const auto piped = isa::RunChild(
      {"/bin/sh", "-c",
       TXVM_BINARY " model convert " + source_ + " /dev/stdout --to gguf | cat > " + copy},
      {}, 60);
  ASSERT_TRUE(piped);
  EXPECT_EQ(piped->err, "");
  EXPECT_EQ(RunTxvm({"model", "convert", source_, folder_ / "m.gguf"}).out,
            (folder_ / "m.gguf") + "\n");
  EXPECT_TRUE(llm::FileText(copy) == llm::FileText(folder_ / "m.gguf"));
}

// A pipe that nobody reads holds it up until the signal comes.
TEST_F(ModelCommandTest, AnInterruptedConversionSaysSo) {
  for (const std::string signal : {"INT", "TERM", "HUP"}) {
    const std::string fifo = folder_ / signal;
    ASSERT_EQ(mkfifo(fifo.c_str(), S_IRUSR | S_IWUSR), 0);
    const auto stopped = isa::RunChild({"/bin/sh", "-c",
                                        "exec timeout --foreground --preserve-status -s " + signal +
                                            " -k 30 2 " TXVM_BINARY " model convert " + source_ +
                                            " " + fifo + " --to gguf 3<>" + fifo},
                                       {}, 60);
    ASSERT_TRUE(stopped);
    EXPECT_EQ(stopped->exit_code, Value(ExitCode::kInterrupted));
    EXPECT_EQ(stopped->err, "txvm: stopped before the model was written\n");
    EXPECT_EQ(stopped->out, "");
  }
}

TEST_F(ModelCommandTest, AnEmptyPromptIsNamed) {
  std::filesystem::remove(source_ + "/tokenizer.json");
  llm::WriteText(source_ + "/tokenizer.model", llm::SentencePieceFile());
  llm::WriteText(source_ + "/tokenizer_config.json", R"({"add_bos_token": false})");
  EXPECT_EQ(RunTxvm({"model", "generate", source_, "--prompt", ""}).err,
            "txvm: error: no token to read: the prompt is empty\n");
}

TEST_F(ModelCommandTest, WrongRequestsAreNamed) {
  const auto error = [](const std::vector<std::string>& words, ExitCode code) {
    const isa::ChildResult result = RunTxvm(words);
    EXPECT_EQ(result.exit_code, Value(code));
    return result.err;
  };
  EXPECT_EQ(error({"model", "train", source_}, ExitCode::kUsage),
            "txvm: error: model does info, convert or generate, not 'train'\n");
  EXPECT_EQ(error({"model", "convert", source_, "x", "--type", "q4_k"}, ExitCode::kUsage),
            "txvm: error: --type is f32, f16, bf16 or q8_0, not 'q4_k'\n");
  EXPECT_EQ(error({"model", "convert", source_, "x", "--to", "onnx"}, ExitCode::kUsage),
            "txvm: error: --to is gguf or safetensors, not 'onnx'\n");
  EXPECT_EQ(error({"model", "generate", source_}, ExitCode::kUsage),
            "txvm: error: model generate needs --prompt TEXT\n");
  EXPECT_NE(error({"model", "info", folder_ / "none"}, ExitCode::kBadInput).find("cannot read"),
            std::string::npos);
  EXPECT_NE(error({"model", "generate", source_, "--prompt", "a", "--top-p", "2"}, ExitCode::kUsage)
                .find("--top-p is a number from 0 to 1"),
            std::string::npos);
  EXPECT_EQ(error({"model", "generate", source_, "--prompt", "a", "--repeat-penalty", "0"},
                  ExitCode::kUsage),
            "txvm: error: --repeat-penalty is a number from 1 to 10, not '0'\n");
}

TEST_F(ModelCommandTest, WhatWouldBeIgnoredIsRefused) {
  const auto error = [](const std::vector<std::string>& words) {
    const isa::ChildResult result = RunTxvm(words);
    EXPECT_EQ(result.exit_code, Value(ExitCode::kUsage));
    return result.err;
  };
  EXPECT_EQ(error({"model", "info", source_, folder_ / "other"}),
            "txvm: error: model info takes no second path\n");
  EXPECT_EQ(error({"model", "generate", source_, "--prompt", "a", "--type", "q8_0"}),
            "txvm: error: model generate takes no --type\n");
  EXPECT_EQ(error({"model", "convert", source_, folder_ / "x", "--prompt", "a"}),
            "txvm: error: model convert takes no --prompt\n");
  for (const auto& [option, value] : {std::pair("--tokens", "3"),
                                      {"--tokens", "256"},
                                      {"--temperature", "1"},
                                      {"--top-k", "3"},
                                      {"--top-p", "0.5"},
                                      {"--min-p", "0.1"},
                                      {"--repeat-penalty", "1.1"},
                                      {"--seed", "3"},
                                      {"--threads", "2"}}) {
    EXPECT_EQ(error({"model", "info", source_, option, value}),
              "txvm: error: model info takes no " + std::string(option) + "\n");
  }
  for (const auto& [option, value] :
       {std::pair("--top-k", "3"), {"--top-p", "0.5"}, {"--min-p", "0.1"}, {"--seed", "3"}}) {
    EXPECT_EQ(error({"model", "generate", source_, "--prompt", "a", option, value}),
              "txvm: error: " + std::string(option) + " is of draws: it needs --temperature\n");
  }
  EXPECT_EQ(error({"model", "generate", source_, "--prompt", "a", "--system", "b"}),
            "txvm: error: --system is a message of a chat: it needs --chat\n");
}

}  // namespace
}  // namespace txvm::frontends::cli

// The model that comes with txvm: its limits, its formats, and the published sentences it must
// read.
#include "frontends/nl/reader/default_model.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "frontends/nl/reader/ask.h"
#include "frontends/nl/reader/codec.h"
#include "frontends/nl/reader/model_reader.h"
#include "isa/support/file.h"
#include "neural/llm/context.h"
#include "neural/questions/sentence_file.h"
#include "tests/neural/llm/random_model.h"

namespace txvm::frontends::nl {
namespace {

namespace fs = std::filesystem;
namespace llm = neural::llm;

const llm::Bundle& Shipped() {
  static const llm::Bundle bundle = [] {
    auto opened = OpenDefaultModel();
    EXPECT_TRUE(opened) << opened.error().message;
    return *std::move(opened);
  }();
  return bundle;
}

std::vector<float> Logits(const llm::Bundle& bundle, std::string_view question) {
  const auto codec = Codec::Of(*bundle.tokenizer);
  EXPECT_TRUE(codec);
  llm::Workers workers(1);
  llm::Context context(bundle.model, workers);
  EXPECT_TRUE(context.Feed(codec->Prompt(*Lex(question))));
  return {context.logits().begin(), context.logits().end()};
}

TEST(DefaultModel, StaysWithinItsLimits) {
  constexpr std::uintmax_t kMostBytes = 5'000'000;
  constexpr std::size_t kMostParameters = 2'400'000;
  std::uintmax_t bytes = 0;
  for (const char* name : {"nl.safetensors", "config.json", "tokenizer.json"}) {
    bytes += fs::file_size(fs::path(TXVM_SOURCE_DIR) / "models" / name);
  }
  EXPECT_LE(bytes, kMostBytes);
  const llm::Config& c = Shipped().model->config;
  const std::size_t kv = c.kv_heads * c.head_dim;
  const std::size_t block =
      2 * c.hidden * c.hidden + 2 * c.hidden * kv + 3 * c.hidden * c.feed_forward + 2 * c.hidden;
  EXPECT_LE(c.vocab * c.hidden + c.layers * block + c.hidden, kMostParameters);
  EXPECT_TRUE(c.tied);
}

TEST(DefaultModel, IsTheFileInTheTree) {
  const auto file = llm::OpenBundle((fs::path(TXVM_SOURCE_DIR) / "models/nl.safetensors").string());
  ASSERT_TRUE(file) << file.error().message;
  EXPECT_EQ(Logits(*file, "Add 5 and 6"), Logits(Shipped(), "Add 5 and 6"));
}

TEST(DefaultModel, GivesTheSameLogitsAsGguf) {
  const llm::TemporaryFolder folder;
  const std::string path = (fs::path(folder.path()) / "nl.gguf").string();
  const auto saved = llm::SaveBundle(Shipped(), "", path, true, {llm::Element::kBF16});
  ASSERT_TRUE(saved) << saved.error().message;
  const auto gguf = llm::OpenBundle(path);
  ASSERT_TRUE(gguf) << gguf.error().message;
  EXPECT_EQ(gguf->format, "GGUF 3");
  for (const char* question :
       {"Add 5 and 6", "Janet has 50 apples. She gives away 15. How many remain?",
        "What is the café's total, if 3 people pay $4.50 each?", "(8 + 4) * 3", ""}) {
    EXPECT_EQ(Logits(*gguf, question), Logits(Shipped(), question)) << question;
  }
}

/// Questions and answers by set: "answer | question" in each line.
std::map<std::string, std::vector<std::pair<std::string, std::string>>> FixedSets() {
  std::map<std::string, std::vector<std::pair<std::string, std::string>>> sets;
  const std::string path = TXVM_SOURCE_DIR "/bench/nl/sentences/fixed.txt";
  const auto text = isa::ReadFile(path);
  EXPECT_TRUE(text) << path;
  if (!text) return sets;
  const auto sections = neural::questions::ParseSentences(path, *text,  // which the sections are in
                                                          neural::questions::Numbering::kPlain);
  EXPECT_TRUE(sections) << path;
  if (!sections) return sets;
  for (const neural::questions::SentenceSection& section : *sections) {
    for (const neural::questions::SentenceLine& line : section.lines) {
      const std::size_t bar = line.text.find(" | ");
      sets[std::string(section.head)].emplace_back(line.text.substr(bar + 3),
                                                   line.text.substr(0, bar));
    }
  }
  return sets;
}

TEST(DefaultModel, AnswersThePublishedSentences) {
  auto reader = ModelReader::Make(Shipped().model, *Shipped().tokenizer, {});
  ASSERT_TRUE(reader);
  std::size_t count = 0;
  for (const auto& [set, items] : FixedSets()) {
    std::string missed;
    for (const auto& [question, answer] : items) {
      const auto report = Ask(question, [&](std::string_view text) { return reader->Read(text); });
      ASSERT_TRUE(report) << report.error().message;
      ++count;
      if (report->AnswerText() == answer) continue;
      missed += "\n  " + question + " " + report->AnswerText() + ", not " + answer;
    }
    EXPECT_EQ(missed, "") << set;
  }
  EXPECT_EQ(count, 102u);
}

}  // namespace
}  // namespace txvm::frontends::nl

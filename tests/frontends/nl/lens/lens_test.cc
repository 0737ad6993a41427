// The middle end on a model trained for some updates: reading, the study, training of an adapter,
// the suffix study.
#include "frontends/nl/lens/lens.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>
#include <vector>

#include "frontends/nl/language/lens_label.h"
#include "frontends/nl/lens/probe.h"
#include "frontends/nl/lens/study.h"
#include "frontends/nl/lens/suffix.h"
#include "frontends/nl/lens/suffix_data.h"
#include "frontends/nl/lens/training.h"
#include "frontends/nl/training/training.h"
#include "neural/llm/adapter.h"
#include "neural/llm/bundle.h"
#include "neural/llm/context.h"
#include "tests/neural/questions/bank.h"

namespace txvm::frontends::nl {
namespace {

namespace fs = std::filesystem;

class LensModel : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    folder_ = fs::path(testing::TempDir()) / ("txvm-lens-" + std::to_string(getpid()));
    fs::remove_all(folder_);
    TrainingOptions options;
    options.steps = 12;
    options.batch = 16;
    options.vocabulary = 700;
    options.vocabulary_examples = 300;
    options.width = 32;
    options.layers = 3;
    options.feed_forward = 48;
    options.heads = 2;
    options.kv_heads = 1;
    options.recall = false;
    const auto report = TrainNormalizer(neural::questions::Bank(), folder_ / "base", options,
                                        [](auto, auto, const auto&) { return true; });
    ASSERT_TRUE(report) << report.error().message;
  }
  static void TearDownTestSuite() { fs::remove_all(folder_); }

  static neural::llm::Bundle Base() {
    auto bundle = neural::llm::OpenBundle(folder_ / "base");
    EXPECT_TRUE(bundle) << bundle.error().message;
    return *std::move(bundle);
  }
  static ClassifierOptions Classifier() {
    ClassifierOptions options;
    options.steps = 60;
    options.batch = 16;
    options.lora = {4, 8, {"v", "o", "gate"}};
    return options;
  }
  static std::string Bytes(const fs::path& path) {
    std::ifstream in(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }

  inline static fs::path folder_;
};

TEST_F(LensModel, ReportsEveryLayerAndTheLastIsTheOutput) {
  const neural::llm::Bundle base = Base();
  auto reader = LensReader::Make(base.model, *base.tokenizer);
  ASSERT_TRUE(reader);
  const std::string question = "What is 5 plus 3?";
  const auto report = reader->Read(question, 4);
  ASSERT_TRUE(report) << report.error().message;
  EXPECT_EQ(report->decision, 1u);
  ASSERT_EQ(report->layers.size(), 3u);
  const auto codec = Codec::Of(*base.tokenizer);
  const auto lexed = Lex(question);
  neural::llm::Workers workers(1);
  neural::llm::Context context(base.model, workers);
  ASSERT_TRUE(context.Feed(codec->Prompt(*lexed)));
  const std::vector<double> next = Probabilities(context.logits());
  const LensLayer& last = report->layers.back();
  ASSERT_EQ(last.top.size(), 4u);
  EXPECT_NEAR(last.top.front().probability, *std::ranges::max_element(next), 1e-9);
  for (std::size_t i = 1; i < last.top.size(); ++i) {
    EXPECT_GE(last.top[i - 1].probability, last.top[i].probability);
  }
  EXPECT_EQ(report->Agrees().has_value(), report->label.has_value());
}

TEST_F(LensModel, TheStudyIsTheSameOnAnyNumberOfThreads) {
  const neural::llm::Bundle base = Base();
  const auto one =
      StudyLens(neural::questions::Bank(), base.model, *base.tokenizer, {1, 40, 60, 1});
  const auto three =
      StudyLens(neural::questions::Bank(), base.model, *base.tokenizer, {1, 40, 60, 3});
  ASSERT_TRUE(one && three);
  EXPECT_EQ(one->items, 40u);
  ASSERT_EQ(one->layers.size(), 3u);
  for (std::size_t i = 0; i < 3; ++i) {
    const LensScore &a = one->layers[i], &b = three->layers[i];
    EXPECT_EQ(a.accuracy, b.accuracy);
    EXPECT_EQ(a.label, b.label);
    EXPECT_EQ(a.probe, b.probe);
    EXPECT_GT(a.probe, 0);
    for (const double share : {a.accuracy, a.first, a.label, a.probe, a.agreement}) {
      EXPECT_GE(share, 0);
      EXPECT_LE(share, 1 + 1e-9);
    }
  }
}

TEST_F(LensModel, FreshItemsHaveLabelsAndAreNotThoseOfTraining) {
  const neural::llm::Bundle base = Base();
  const neural::questions::Generator generator(neural::questions::Bank(), {});
  const auto encoder = ExampleEncoder::Make(*base.tokenizer);
  const auto fresh = LensItems(generator, *encoder, kLensFreshExamples, 50, 512);
  const auto lessons = LensItems(generator, *encoder, kProbeExamples, 50, 512);
  ASSERT_TRUE(fresh && lessons);
  EXPECT_EQ(fresh->size(), 50u);
  EXPECT_NE(fresh->front().question, lessons->front().question);
  for (const LensItem& item : *fresh) {
    const auto label = LensLabel(item.program);
    ASSERT_TRUE(label);
    EXPECT_EQ(*label, item.label);
    EXPECT_FALSE(item.answer.empty());
  }
}

TEST_F(LensModel, TheStudyLooksAtOneFamily) {
  const neural::llm::Bundle base = Base();
  neural::questions::GeneratorOptions only;
  only.family = neural::questions::Family::kCommand;
  const auto encoder = ExampleEncoder::Make(*base.tokenizer);
  const auto items = LensItems(neural::questions::Generator(neural::questions::Bank(), only),
                               *encoder, kLensFreshExamples, 20, 512);
  ASSERT_TRUE(items);
  for (const LensItem& item : *items) EXPECT_LE(item.program.size(), 8u) << item.question;

  LensStudyOptions study{1, 20, 0, 1, neural::questions::Family::kCommand};
  const auto table = StudyLens(neural::questions::Bank(), base.model, *base.tokenizer, study);
  ASSERT_TRUE(table) << table.error().message;
  EXPECT_EQ(table->items, 20u);
  study.family = neural::questions::Family::kAbstain;  // no program, no operation
  const auto none = StudyLens(neural::questions::Bank(), base.model, *base.tokenizer, study);
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().code, isa::ErrorCode::kInvalid);
}

TEST_F(LensModel, TrainingTeachesTheLensResumesAndRepeatsItself) {
  const neural::llm::Bundle base = Base();
  // Batches differ more than an update teaches: several of them on either side.
  constexpr std::uint64_t kCompared = 20;
  double early = 0, late = 0;
  const auto progress = [&](std::uint64_t done, std::uint64_t steps,
                            const neural::train::StepReport& step) {
    const double loss = step.loss.lens_nats / static_cast<double>(step.loss.lens_items);
    if (done <= kCompared) early += loss;
    if (done > steps - kCompared) late += loss;
    return true;
  };
  const fs::path whole = folder_ / "whole", parts = folder_ / "parts";
  const auto report =
      TrainClassifier(neural::questions::Bank(), base, whole, Classifier(), progress);
  ASSERT_TRUE(report) << report.error().message;
  EXPECT_TRUE(report->finished);
  EXPECT_LT(late, early);
  int calls = 0;
  ASSERT_TRUE(TrainClassifier(neural::questions::Bank(), base, parts, Classifier(),
                              [&](auto, auto, const auto&) { return ++calls < 5; }));
  ASSERT_TRUE(fs::exists(parts / "checkpoint.safetensors"));
  EXPECT_FALSE(fs::exists(parts / "adapter_model.safetensors"));
  ASSERT_TRUE(TrainClassifier(neural::questions::Bank(), base, parts, Classifier(), progress));
  EXPECT_FALSE(fs::exists(parts / "checkpoint.safetensors"));
  EXPECT_EQ(Bytes(whole / "adapter_model.safetensors"), Bytes(parts / "adapter_model.safetensors"));
  const auto adapter = neural::llm::OpenAdapter(whole);
  ASSERT_TRUE(adapter) << adapter.error().message;
  EXPECT_EQ(adapter->deltas.size(), 9u);
  EXPECT_TRUE(neural::llm::ApplyAdapter(*base.model, *adapter));
}

TEST_F(LensModel, TrainingTakesTheModelsWeightsAsTheyAre) {
  const neural::llm::Bundle base = Base();
  const auto from_model = TrainingBaseOf(*base.model);
  const auto checkpoint = neural::llm::OpenCheckpoint(folder_ / "base");
  ASSERT_TRUE(from_model && checkpoint);
  EXPECT_EQ(from_model->parameters, *neural::llm::ReadParameters(*checkpoint));
  auto untied = std::make_shared<neural::llm::Model>(*base.model);
  untied->config.tied = false;
  EXPECT_EQ(TrainingBaseOf(*untied).error().code, isa::ErrorCode::kUnsupported);
}

TEST_F(LensModel, TheSuffixStudyMeasuresEveryArm) {
  const neural::llm::Bundle base = Base();
  SuffixOptions options;
  options.steps = 3;
  options.batch = 8;
  const auto arms = StudySuffixes(neural::questions::Bank(), base, options,
                                  [](auto, auto, auto, const auto&) { return true; });
  ASSERT_TRUE(arms) << arms.error().message;
  ASSERT_EQ(arms->size(), kSuffixArms.size());
  for (const SuffixArmReport& arm : *arms) {
    EXPECT_EQ(arm.probes.size(), SuffixPrompts().size());
    for (const auto& place : arm.routes) {
      for (const auto& suffix : place) {
        EXPECT_EQ(suffix[0].prompts, 90u);
        EXPECT_EQ(suffix[1].prompts, 30u);
        EXPECT_LE(suffix[0].value + suffix[0].claim, 1 + 1e-9);
      }
    }
  }
  const auto stopped = StudySuffixes(neural::questions::Bank(), base, options,
                                     [](auto, auto, auto, const auto&) { return false; });
  ASSERT_TRUE(stopped);
  EXPECT_TRUE(stopped->empty());
}

TEST_F(LensModel, ABatchOfTheSuffixStudyIsAsLargeAsItIsSaid) {
  const neural::llm::Bundle base = Base();
  const auto tokens = [&base](std::size_t batch) {
    SuffixOptions options;
    options.steps = 1;
    options.batch = batch;
    std::uint64_t counted = 0;
    const auto stopped = StudySuffixes(neural::questions::Bank(), base, options,
                                       [&](auto, auto, auto, const auto& step) {
                                         counted = step.loss.tokens;
                                         return false;
                                       });
    EXPECT_TRUE(stopped) << stopped.error().message;
    return counted;
  };
  EXPECT_GT(tokens(3), tokens(2));
}

TEST_F(LensModel, ASuffixTakesThePlaceOfTheProgramToken) {
  const neural::llm::Bundle base = Base();
  const auto codec = Codec::Of(*base.tokenizer);
  const auto with = SuffixPrompt(*codec, "15 > 10", "=", true);
  const auto without = SuffixPrompt(*codec, "15 > 10", "=", false);
  ASSERT_TRUE(with && without);
  EXPECT_EQ(with->size(), without->size() + 1);
  const neural::train::Sequence sequence = SuffixSequence(*codec, *without, Token::kMinus);
  EXPECT_EQ(sequence.prompt, without->size());
  EXPECT_EQ(sequence.tokens.size(), without->size() + 4);
  EXPECT_EQ(sequence.lens, codec->IdOf(Token::kMinus));
}

TEST(LinearProbe, FindsWhatIsLinear) {
  // Class 0: left of the line x + y = 0; a third column is noise.
  ProbeData data{3, {}, {}};
  for (int i = 0; i < 200; ++i) {
    const float x = static_cast<float>(std::sin(i * 1.7)),
                y = static_cast<float>(std::cos(i * 2.3));
    data.rows.insert(data.rows.end(), {x, y, static_cast<float>(std::sin(i * 7.1))});
    data.classes.push_back(x + y > 0 ? 1 : 0);
  }
  const LinearProbe probe(data, 2);
  EXPECT_GT(ShareOfEqual(probe.Classify(data), data.classes), 0.95);
  EXPECT_EQ(ShareOfEqual({}, {}), 0);
}

}  // namespace
}  // namespace txvm::frontends::nl

// Questions read by a model: whatever its weights, what comes out parses, and copies numbers.
#include "frontends/nl/reader/model_reader.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>
#include <filesystem>
#include <string>
#include <vector>

#include "frontends/nl/language/ast.h"
#include "frontends/nl/language/parser.h"
#include "frontends/nl/training/training.h"
#include "frontends/nl/training/training_examples.h"
#include "neural/llm/bundle.h"
#include "tests/neural/questions/bank.h"

namespace txvm::frontends::nl {
namespace {

// A model trained for some updates in a scratch folder: it knows little, and that is the point.
class SmallModel : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    folder_ = std::filesystem::path(testing::TempDir()) /
              ("txvm-model-reader-" + std::to_string(getpid()));
    std::filesystem::remove_all(folder_);
    const auto report = TrainNormalizer(neural::questions::Bank(), folder_, Options(),
                                        [](auto, auto, const auto&) { return true; });
    ASSERT_TRUE(report) << report.error().message;
    ASSERT_TRUE(report->finished);
    held_out_ = report->held_out;
  }
  static void TearDownTestSuite() { std::filesystem::remove_all(folder_); }

  static TrainingOptions Options() {
    TrainingOptions options;
    options.steps = 12;
    options.batch = 16;
    options.vocabulary = 700;
    options.vocabulary_examples = 300;
    options.width = 32;
    options.layers = 1;
    options.feed_forward = 48;
    options.heads = 2;
    options.kv_heads = 1;
    options.recall = false;
    return options;
  }

  static ModelReader Reader(const ModelReaderOptions& options = {}) {
    const auto bundle = neural::llm::OpenBundle(folder_);
    EXPECT_TRUE(bundle) << bundle.error().message;
    auto reader = ModelReader::Make(bundle->model, *bundle->tokenizer, options);
    EXPECT_TRUE(reader) << reader.error().message;
    return *std::move(reader);
  }

  inline static std::filesystem::path folder_;
  inline static neural::train::Loss held_out_;
};

TEST_F(SmallModel, EveryReadingParses) {
  ModelReader reader = Reader();
  for (const char* question : {"What is 5 plus 3?", "", "<sum> <N7> <program>",
                               "\xFF\xFE 12 \xC3\xA9t\xC3\xA9 \n\t 1,000,000",
                               "Add 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 "
                               "25 26 27 28 29 30 31 32"}) {
    const auto reading = reader.Read(question);
    ASSERT_TRUE(reading) << reading.error().message;
    EXPECT_TRUE(Parse(reading->tokens, reading->numbers.size())) << question;
    EXPECT_GT(*reading->confidence, 0);
    EXPECT_LE(*reading->confidence, 1);
  }
}

TEST_F(SmallModel, AbstainsBelowTheLeastConfidenceUnlessToldNotTo) {
  ModelReaderOptions options;
  options.least_confidence = 1.1;
  const auto ask = [&options](std::string_view question) {
    ModelReader reader = Reader(options);
    return Ask(question, [&reader](std::string_view text) { return reader.Read(text); });
  };
  const auto unsure = ask("What is 5 plus 3?");
  ASSERT_TRUE(unsure);
  EXPECT_EQ(unsure->reading.tokens, (std::vector<Token>{Token::kNoSense, Token::kEnd}));
  options.allow_abstention = false;
  const auto forced = ask("Tell me a joke");
  ASSERT_TRUE(forced);
  EXPECT_FALSE(IsAbstention(forced->reading.tokens.front()));
}

TEST_F(SmallModel, DoubtsStoriesOfUnknownWording) {
  ModelReader reader = Reader();
  const auto doubt = [&reader](std::string_view question) {
    const auto reading = reader.Read(question);
    EXPECT_TRUE(reading) << question;
    return reading ? reading->doubt : 0;
  };
  const double known =
      doubt("Nina has 4 pens and 5 cups. Nina lost 3 cups. How many cups does Nina have now?");
  EXPECT_NE(known, 0);
  EXPECT_GT(doubt("cups pens lost? 4 many has 5 does have Nina how. now Nina, 3 and cups Nina"),
            known);
  EXPECT_EQ(doubt("Add 5 and 6"), 0) << "no story";
  EXPECT_EQ(doubt(""), 0);
}

TEST_F(SmallModel, TooManyNumbersAndTooLongQuestionsAreRefused) {
  std::string many, lengthy;
  for (int i = 0; i < 33; ++i) many += "7 and ";
  for (int i = 0; i < 3'000; ++i) lengthy += "word ";
  EXPECT_FALSE(Reader().Read(many));
  const auto refused = Reader().Read(lengthy);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, isa::ErrorCode::kLimit);
}

TEST_F(SmallModel, ScoresThatAreNoNumbersAreAnError) {
  const auto bundle = neural::llm::OpenBundle(folder_);
  ASSERT_TRUE(bundle);
  auto model = std::make_shared<neural::llm::Model>(*bundle->model);
  model->final_norm[0] = std::nanf("");
  auto reader = ModelReader::Make(model, *bundle->tokenizer);
  ASSERT_TRUE(reader);
  const auto reading = reader->Read("Add 5 and 6");
  ASSERT_FALSE(reading);
  EXPECT_EQ(reading.error().code, isa::ErrorCode::kInvalid);
  EXPECT_NE(reading.error().message.find("are no numbers"), std::string::npos);
}

TEST_F(SmallModel, ExamplesThatNeverFitEndInAnError) {
  const auto bundle = neural::llm::OpenBundle(folder_);
  const auto encoder = ExampleEncoder::Make(*bundle->tokenizer);
  const neural::questions::Generator generator(neural::questions::Bank(), {});
  const auto batch = BatchOf(generator, *encoder, 0, 4, 2, false);
  ASSERT_FALSE(batch);
  EXPECT_EQ(batch.error().message,
            "none of 10000 generated questions fits the model's 2 positions");
}

// Neither the circuit nor the lessons may change in the middle of a run.
TEST_F(SmallModel, ARunGoesOnWithItsOwnRecipeOnly) {
  TrainingOptions options = Options();
  options.width = 64;
  options.layers = 3;
  options.heads = 4;
  options.kv_heads = 2;
  options.recall = true;
  const std::filesystem::path folder = folder_ / "recipe";
  int calls = 0;
  const auto stopped = TrainNormalizer(neural::questions::Bank(), folder, options,
                                       [&](auto, auto, const auto&) { return ++calls < 2; });
  ASSERT_TRUE(stopped) << stopped.error().message;
  TrainingOptions without_recall = options, without_lessons = options;
  without_recall.recall = false;
  without_lessons.lessons = false;
  for (const TrainingOptions& other : {without_recall, without_lessons}) {
    const auto report = TrainNormalizer(neural::questions::Bank(), folder, other,
                                        [](auto, auto, const auto&) { return true; });
    ASSERT_FALSE(report);
    EXPECT_EQ(report.error().code, isa::ErrorCode::kInvalid) << report.error().message;
  }
  const auto rest = TrainNormalizer(neural::questions::Bank(), folder, options,
                                    [](auto, auto, const auto&) { return true; });
  ASSERT_TRUE(rest) << rest.error().message;
  EXPECT_EQ(rest->steps, UpdatesOf(options) - 2);
}

TEST_F(SmallModel, ShapesNoModelHasAreRefusedAtOnce) {
  TrainingOptions options = Options();
  options.heads = 5;
  const auto report = TrainNormalizer(neural::questions::Bank(), folder_ / "none", options,
                                      [](auto, auto, const auto&) { return true; });
  ASSERT_FALSE(report);
  EXPECT_EQ(report.error().code, isa::ErrorCode::kUsage);
  EXPECT_EQ(report.error().message, "--width 32 is no multiple of --heads 5");
}

TEST_F(SmallModel, TrainingLearnsAndRepeatsItself) {
  const double start = std::log(700.0);
  EXPECT_LT(held_out_.nats / static_cast<double>(held_out_.tokens), start);
  const std::filesystem::path again = folder_.string() + "-again";
  int calls = 0;
  // Stopped after five updates, then gone on with: the same model.
  ASSERT_TRUE(TrainNormalizer(neural::questions::Bank(), again, Options(),
                              [&](auto, auto, const auto&) { return ++calls < 5; }));
  ASSERT_TRUE(std::filesystem::exists(again / "checkpoint.safetensors"));
  const auto report = TrainNormalizer(neural::questions::Bank(), again, Options(),
                                      [](auto, auto, const auto&) { return true; });
  ASSERT_TRUE(report) << report.error().message;
  EXPECT_EQ(report->held_out.nats, held_out_.nats);
  EXPECT_FALSE(std::filesystem::exists(again / "checkpoint.safetensors"));
  std::filesystem::remove_all(again);
}

}  // namespace
}  // namespace txvm::frontends::nl

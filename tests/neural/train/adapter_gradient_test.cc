// Adapters of frozen models: gradients against central differences and against the trainer that
// merges, runs that repeat and resume, bases that cannot be trained.
#include "neural/train/adapter_gradient.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>
#include <filesystem>
#include <limits>
#include <memory>

#include "neural/llm/checkpoint.h"
#include "neural/llm/save.h"
#include "neural/train/adapter_trainer.h"
#include "tests/neural/train/small_model.h"

namespace txvm::neural::train {
namespace {

constexpr LossScales kScales = {0.6, 0, LensTerm{0, 1.5}};

AdamWOptions Schedule(std::uint64_t steps) {
  AdamWOptions adam;
  adam.rate = 2e-2;
  adam.warmup = 5;
  adam.steps = steps;
  adam.decay = 0;
  return adam;
}

/// A frozen model and factors beside it.
class AdapterBase : public testing::Test {
 protected:
  AdapterBase() : base_(RoughWeights(TrainingLayout(config_))) {
    auto lora = LoraLayoutOf(TrainingLayout(config_), {3, 6, LoraOptions().projections});
    EXPECT_TRUE(lora);
    lora_ = *std::move(lora);
    model_ = llm::ModelOnParameters(config_, base_);
    Random random(21);
    factors_.resize(lora_.size);
    for (float& factor : factors_) factor = static_cast<float>(0.2 * random.Normal());
  }

  std::vector<float> GradientWith(std::size_t threads, std::size_t memory,
                                  Precision precision = Precision::kFloat) {
    llm::Workers workers(threads);
    AdapterGradient passes(*model_, lora_, precision, workers, memory);
    std::vector<float> gradient(lora_.size, 0);
    passes.Run(LensTasks(5, 3), kScales, factors_, gradient);
    return gradient;
  }

  std::unique_ptr<AdapterTrainer> Trainer(double lens, std::size_t threads) {
    return std::make_unique<AdapterTrainer>(model_, lora_, DualLoss{1, lens}, Schedule(8), 3,
                                            Precision::kFloat, threads);
  }

  llm::Config config_ = SmallConfig();
  std::vector<float> base_, factors_;
  LoraLayout lora_;
  std::shared_ptr<llm::Model> model_;
};

TEST_F(AdapterBase, CentralDifferencesAgreeInEveryFactor) {
  llm::Workers workers(2);
  AdapterGradient passes(*model_, lora_, Precision::kFloat, workers);
  const std::vector<Sequence> batch = LensTasks(5, 3);
  const auto total = [&](std::span<const float> at) {
    const Loss loss = passes.Run(batch, kScales, at, {});
    return 0.6 * loss.nats + 1.5 * loss.lens_nats;
  };
  std::vector<float> gradient(lora_.size, 0);
  passes.Run(batch, kScales, factors_, gradient);
  const std::span<const float> all(gradient);
  for (const LoraPair& pair : lora_.pairs) {
    ExpectSlope(total, factors_, all.subspan(pair.a, lora_.rank * pair.cols), pair.a,
                pair.weight + " A");
    ExpectSlope(total, factors_, all.subspan(pair.b, pair.rows * lora_.rank), pair.b,
                pair.weight + " B");
  }
  EXPECT_EQ(lora_.pairs.size(), 7 * config_.layers);
}

TEST_F(AdapterBase, TheTrainerThatMergesHasTheSameLossAndGradient) {
  const Layout layout = TrainingLayout(config_);
  std::vector<float> merged = base_;
  for (const LoraPair& pair : lora_.pairs) MergePair(lora_, pair, base_, factors_, merged);
  LlamaGradient other(config_, layout);
  std::vector<float> expected(lora_.size, 0), gradient(lora_.size, 0);
  const Loss there = other.RunFactors(merged, LensTasks(5, 3), kScales, lora_, factors_, expected);
  llm::Workers workers(1);
  const Loss here = AdapterGradient(*model_, lora_, Precision::kFloat, workers)
                        .Run(LensTasks(5, 3), kScales, factors_, gradient);
  EXPECT_NEAR(here.nats, there.nats, 1e-4 * there.nats);
  EXPECT_NEAR(here.lens_nats, there.lens_nats, 1e-4 * there.lens_nats);
  EXPECT_EQ(here.tokens, there.tokens);
  EXPECT_EQ(here.lens_items, there.lens_items);
  for (std::size_t i = 0; i < lora_.size; ++i) {
    ASSERT_NEAR(gradient[i], expected[i], 1e-3 * (1 + std::abs(expected[i]))) << i;
  }
}

TEST_F(AdapterBase, ThreadsAndRoomChangeNoBit) {
  const std::vector<float> once = GradientWith(1, AdapterGradient::kMemory);
  EXPECT_EQ(GradientWith(3, AdapterGradient::kMemory), once);
  EXPECT_EQ(GradientWith(1, 0), once);
  EXPECT_EQ(GradientWith(3, 0), once);
}

TEST_F(AdapterBase, RoundedProductsAreNearTheExactOnes) {
  if (BestPrecision() != Precision::kBf16) GTEST_SKIP() << "no tiles for bfloat16";
  const std::vector<float> exact = GradientWith(1, 0);
  const std::vector<float> rounded = GradientWith(1, 0, Precision::kBf16);
  EXPECT_EQ(GradientWith(3, AdapterGradient::kMemory, Precision::kBf16), rounded);
  double difference = 0, length = 0;
  for (std::size_t i = 0; i < exact.size(); ++i) {
    difference += std::pow(double{exact[i]} - double{rounded[i]}, 2);
    length += std::pow(double{exact[i]}, 2);
  }
  EXPECT_LT(std::sqrt(difference / length), 0.05);
}

// A GGUF file has rows of queries and keys in another order; the adapter has not.
TEST_F(AdapterBase, TheOrderOfRowsInAFileChangesNothing) {
  const std::string path =
      (std::filesystem::path(testing::TempDir()) / ("pairs-" + std::to_string(getpid()) + ".gguf"))
          .string();
  ASSERT_TRUE(llm::SaveGguf(*model_, {}, path));
  const auto checkpoint = llm::OpenCheckpoint(path);
  ASSERT_TRUE(checkpoint) << checkpoint.error().message;
  const auto pairs = llm::BuildModel(*checkpoint);
  ASSERT_TRUE(pairs) << pairs.error().message;
  ASSERT_EQ((*pairs)->config.rope_layout, llm::RopeLayout::kPairs);
  llm::Workers workers(1);
  AdapterGradient passes(**pairs, lora_, Precision::kFloat, workers);
  std::vector<float> gradient(lora_.size, 0);
  passes.Run(LensTasks(5, 3), kScales, factors_, gradient);
  EXPECT_EQ(gradient, GradientWith(1, 0));
  std::filesystem::remove(path);
}

TEST_F(AdapterBase, LearnsAndResumesToTheSameBits) {
  const auto whole = Trainer(0.4, 2), first = Trainer(0.4, 1), second = Trainer(0.4, 3),
             other = Trainer(0.5, 1);
  const auto step = [](AdapterTrainer& trainer, std::uint64_t from, std::uint64_t to) {
    for (std::uint64_t i = from; i < to; ++i) ASSERT_TRUE(trainer.Step(LensTasks(16, i)));
  };
  const Loss before = whole->Evaluate(LensTasks(64, 1'000'000));
  step(*whole, 0, 8);
  EXPECT_LT(whole->Evaluate(LensTasks(64, 1'000'000)).nats, before.nats);
  step(*first, 0, 3);
  const std::string path = (std::filesystem::path(testing::TempDir()) /
                            ("adapter-run-" + std::to_string(getpid()) + ".safetensors"))
                               .string();
  ASSERT_TRUE(first->Save(path, "data"));
  ASSERT_TRUE(second->Load(path, "data"));
  EXPECT_EQ(second->steps_done(), 3u);
  step(*second, 3, 8);
  EXPECT_TRUE(std::ranges::equal(whole->factors(), second->factors()));
  const auto refused = other->Load(path, "data");
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, isa::ErrorCode::kInvalid);
  std::filesystem::remove(path);
}

TEST_F(AdapterBase, WeightsThatAreNoNumbersEndTheTraining) {
  base_[TrainingLayout(config_).blocks[0].v] = std::numeric_limits<float>::quiet_NaN();
  const auto trainer = Trainer(0, 1);
  const auto step = trainer->Step(LensTasks(4, 1));
  ASSERT_FALSE(step);
  EXPECT_EQ(step.error().message,
            "after 0 updates the loss or its gradient is no number: the base model's weights or "
            "the learning rate are at fault");
}

}  // namespace
}  // namespace txvm::neural::train

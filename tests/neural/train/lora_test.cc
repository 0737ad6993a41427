// Low-rank adapters: exact gradients, a frozen base, runs that repeat and resume, files that load.
#include "neural/train/lora.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <memory>

#include "neural/llm/context.h"
#include "tests/neural/train/small_model.h"

namespace txvm::neural::train {
namespace {

constexpr DualLoss kLoss{1, 0.4};

AdamWOptions Schedule(std::uint64_t steps) {
  AdamWOptions adam;
  adam.rate = 2e-2;
  adam.warmup = 5;
  adam.steps = steps;
  adam.decay = 0;
  return adam;
}

std::vector<float> Copy(std::span<const float> values) { return {values.begin(), values.end()}; }

LoraLayout Factors(const std::vector<std::string>& projections = LoraOptions().projections) {
  auto lora = LoraLayoutOf(TrainingLayout(SmallConfig()), {3, 6, projections});
  EXPECT_TRUE(lora);
  return *std::move(lora);
}

TEST(Lora, CentralDifferencesAgreeInEveryFactor) {
  const llm::Config config = SmallConfig();
  const Layout layout = TrainingLayout(config);
  const LoraLayout lora = Factors();
  const std::vector<Sequence> batch = LensTasks(5, 3);
  const std::vector<float> base = RoughWeights(layout);
  std::vector<float> factors(lora.size);
  Random random(21);
  for (float& factor : factors) factor = static_cast<float>(0.2 * random.Normal());
  LlamaGradient passes(config, layout);
  const LossScales scales = {0.6, 0, LensTerm{0, 1.5}};
  const auto merged = [&](std::span<const float> at) {
    std::vector<float> weights = base;
    for (const LoraPair& pair : lora.pairs) MergePair(lora, pair, base, at, weights);
    return weights;
  };
  const auto total = [&](std::span<const float> at) {
    const Loss loss = passes.Run(merged(at), batch, scales, {});
    return 0.6 * loss.nats + 1.5 * loss.lens_nats;
  };
  std::vector<float> gradient(layout.size, 0), factor_gradient(lora.size, 0);
  passes.Run(merged(factors), batch, scales, gradient);
  // Once through the whole gradient of the weights, once without it.
  std::vector<float> direct(lora.size, 0);
  passes.RunFactors(merged(factors), batch, scales, lora, factors, direct);
  for (const LoraPair& pair : lora.pairs) {
    PairGradient(lora, pair, gradient, factors, factor_gradient);
    for (std::size_t i = pair.a; i < pair.b + pair.rows * lora.rank; ++i) {
      ASSERT_NEAR(direct[i], factor_gradient[i], 1e-3 * (1 + std::abs(direct[i])))
          << pair.weight << " " << i;
    }
    const std::span<const float> all(direct);
    ExpectSlope(total, factors, all.subspan(pair.a, lora.rank * pair.cols), pair.a,
                pair.weight + " A");
    ExpectSlope(total, factors, all.subspan(pair.b, pair.rows * lora.rank), pair.b,
                pair.weight + " B");
  }
  EXPECT_EQ(lora.pairs.size(), 7 * config.layers);
}

TEST(Lora, StartsAsTheBaseAndMovesOnlyWhatItAdapts) {
  const llm::Config config = SmallConfig();
  const Layout layout = TrainingLayout(config);
  const std::vector<float> base = RoughWeights(layout);
  LoraTrainer trainer(config, base, Factors({"v", "down"}), kLoss, Schedule(10), 1, 1);
  EXPECT_EQ(Copy(trainer.weights()), base);
  trainer.Step(LensTasks(8, 1));
  for (const llm::ParameterView& view : layout.views) {
    const bool adapted =
        view.name.ends_with("v_proj.weight") || view.name.ends_with("down_proj.weight");
    const bool same = std::equal(&base[view.offset], &base[view.offset] + view.size,
                                 &trainer.weights()[view.offset]);
    EXPECT_EQ(same, !adapted) << view.name;
  }
}

TEST(Lora, LearnsTheLensAndTheOutputTogether) {
  const llm::Config config = SmallConfig();
  OptimizerOptions optimizer;
  optimizer.adam = Schedule(150);
  Trainer pretraining(config, optimizer, 1, 2);
  for (std::uint64_t step = 0; step < 150; ++step) pretraining.Step(LensTasks(32, step));
  LoraTrainer trainer(config, pretraining.weights(), Factors(), {0, 0.4}, Schedule(150), 1, 2);
  const std::vector<Sequence> fresh = LensTasks(64, 1'000'000);
  const Loss before = trainer.Evaluate(fresh);
  for (std::uint64_t step = 0; step < 150; ++step) trainer.Step(LensTasks(32, step));
  const Loss after = trainer.Evaluate(fresh);
  EXPECT_LT(after.lens_nats, 0.6 * before.lens_nats);
  EXPECT_LT(after.nats, before.nats);
}

TEST(Lora, AnyNumberOfThreadsGivesTheSameBits) {
  const std::vector<float> base = RoughWeights(TrainingLayout(SmallConfig()));
  LoraTrainer one(SmallConfig(), base, Factors(), kLoss, Schedule(5), 7, 1);
  LoraTrainer three(SmallConfig(), base, Factors(), kLoss, Schedule(5), 7, 3);
  for (std::uint64_t step = 0; step < 5; ++step) {
    const StepReport a = one.Step(LensTasks(20, step)), b = three.Step(LensTasks(20, step));
    EXPECT_EQ(a.loss.lens_nats, b.loss.lens_nats);
    EXPECT_EQ(a.norm, b.norm);
  }
  EXPECT_EQ(Copy(one.weights()), Copy(three.weights()));
}

class LoraFiles : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = std::filesystem::path(testing::TempDir()) /
              ("txvm-lora-" + std::to_string(getpid()) +
               testing::UnitTest::GetInstance()->current_test_info()->name());
    std::filesystem::create_directories(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  std::filesystem::path folder_;
};

TEST_F(LoraFiles, AResumedRunIsTheUninterruptedOne) {
  const std::vector<float> base = RoughWeights(TrainingLayout(SmallConfig()));
  const auto make = [&](double lens) {
    return std::make_unique<LoraTrainer>(SmallConfig(), base, Factors(), DualLoss{1, lens},
                                         Schedule(8), 3, 2);
  };
  const auto whole = make(0.4), first = make(0.4), second = make(0.4), other = make(0.5);
  for (std::uint64_t step = 0; step < 8; ++step) whole->Step(LensTasks(16, step));
  for (std::uint64_t step = 0; step < 3; ++step) first->Step(LensTasks(16, step));
  const std::string path = folder_ / "checkpoint.safetensors";
  ASSERT_TRUE(first->Save(path, "data"));
  ASSERT_TRUE(second->Load(path, "data"));
  EXPECT_EQ(second->steps_done(), 3u);
  for (std::uint64_t step = 3; step < 8; ++step) second->Step(LensTasks(16, step));
  EXPECT_EQ(Copy(whole->weights()), Copy(second->weights()));
  const auto refused = other->Load(path, "data");
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, isa::ErrorCode::kInvalid);
}

TEST_F(LoraFiles, TheInferenceEngineReadsTheAdapter) {
  const llm::Config config = SmallConfig();
  const std::vector<float> base = RoughWeights(TrainingLayout(config));
  LoraTrainer trainer(config, base, Factors(), kLoss, Schedule(6), 3, 1);
  for (std::uint64_t step = 0; step < 6; ++step) trainer.Step(LensTasks(16, step));
  ASSERT_TRUE(llm::SaveAdapter(trainer.adapter(), folder_));
  // As a folder, and as a file under a name of its own beside the configuration.
  std::filesystem::copy_file(folder_ / "adapter_model.safetensors", folder_ / "own.safetensors");
  const std::vector<llm::Token> tokens = {3, 1, 4, 1, 5};
  llm::Workers workers(1);
  llm::Context merged(llm::ModelOnParameters(config, trainer.weights()), workers);
  const auto expected = merged.FeedForAll(tokens);
  ASSERT_TRUE(expected);
  for (const std::string& path : {folder_.string(), (folder_ / "own.safetensors").string()}) {
    const auto adapter = llm::OpenAdapter(path);
    ASSERT_TRUE(adapter) << adapter.error().message;
    const auto adapted = llm::ApplyAdapter(*llm::ModelOnParameters(config, base), *adapter);
    ASSERT_TRUE(adapted) << adapted.error().message;
    llm::Context context(*adapted, workers);
    const auto logits = context.FeedForAll(tokens);
    ASSERT_TRUE(logits);
    for (std::size_t i = 0; i < logits->size(); ++i) {
      ASSERT_NEAR((*logits)[i], (*expected)[i], 1e-3) << path << " " << i;
    }
  }
}

TEST(Lora, WhatCannotBeAdaptedIsRefused) {
  const Layout layout = TrainingLayout(SmallConfig());
  for (const LoraOptions& options :
       {LoraOptions{0, 1, {"q"}}, LoraOptions{1, 1, {}}, LoraOptions{1, 1, {"q", "norm"}}}) {
    const auto lora = LoraLayoutOf(layout, options);
    ASSERT_FALSE(lora);
    EXPECT_EQ(lora.error().code, isa::ErrorCode::kUsage);
  }
}

}  // namespace
}  // namespace txvm::neural::train

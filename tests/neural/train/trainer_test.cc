// Training: it learns, it repeats itself bit by bit, and it survives being stopped.
#include "neural/train/trainer.h"

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>

#include "hwy/detect_targets.h"
#include "neural/train/recall_circuit.h"
#include "tests/neural/train/small_model.h"
#include "vm/tensor/simd_target.h"

namespace txvm::neural::train {
namespace {

OptimizerOptions Schedule(std::uint64_t steps) {
  OptimizerOptions optimizer;
  optimizer.adam.rate = 1e-2;
  optimizer.adam.warmup = 10;
  optimizer.adam.steps = steps;
  optimizer.muon.emplace();
  optimizer.prompt_weight = 0.5;
  return optimizer;
}

std::vector<float> Copy(std::span<const float> values) { return {values.begin(), values.end()}; }

class Optimizers : public testing::TestWithParam<bool> {};

TEST_P(Optimizers, LearnToCopy) {
  OptimizerOptions optimizer = Schedule(150);
  if (!GetParam()) optimizer.muon.reset();
  optimizer.prompt_weight = 0;  // these prompts are random: nothing in them can be learnt
  Trainer trainer(SmallConfig(), optimizer, 1, 2);
  const std::vector<Sequence> fresh = CopyTasks(64, 1'000'000);
  const Loss before = trainer.Evaluate(fresh);
  for (std::uint64_t step = 0; step < 150; ++step) trainer.Step(CopyTasks(32, step));
  const Loss after = trainer.Evaluate(fresh);
  EXPECT_LT(after.nats, 0.6 * before.nats);
  EXPECT_GT(after.right, 2 * before.right);
  EXPECT_EQ(after.tokens, before.tokens);
}

INSTANTIATE_TEST_SUITE_P(Trainer, Optimizers, testing::Bool(),
                         [](const auto& muon) { return muon.param ? "Muon" : "AdamW"; });

TEST(Trainer, PromptsCountEvenlyLess) {
  const llm::Config config = SmallConfig();
  const Layout layout = TrainingLayout(config);
  Trainer trainer(config, Schedule(4), 1, 1);
  for (const double weight : {0.5, 0.375, 0.25, 0.125}) {
    const std::vector<Sequence> batch = CopyTasks(8, 1);
    const double scale = 1 / static_cast<double>(CountedTokens(batch));
    std::vector<float> gradient(layout.size, 0);
    LlamaGradient(config, layout)
        .Run(trainer.weights(), batch, {.output = scale, .prompt = weight * scale}, gradient);
    double squares = 0;
    for (const float value : gradient) squares += static_cast<double>(value) * value;
    EXPECT_NEAR(trainer.Step(batch).norm, std::sqrt(squares), 1e-4 * std::sqrt(squares));
  }
}

TEST(Trainer, MayStartFromWhatAModelFileHas) {
  Trainer trained(SmallConfig(), Schedule(5), 7, 1), branch(SmallConfig(), Schedule(5), 8, 1);
  trained.Step(CopyTasks(20, 1));
  const std::vector<float> written = AsWritten(trained.layout(), trained.weights());
  EXPECT_NE(written, Copy(trained.weights()));
  EXPECT_EQ(written, AsWritten(trained.layout(), written));
  branch.StartFrom(written);
  EXPECT_EQ(Copy(branch.weights()), written);
  EXPECT_NEAR(branch.Evaluate(CopyTasks(20, 2)).nats, trained.Evaluate(CopyTasks(20, 2)).nats,
              0.02 * trained.Evaluate(CopyTasks(20, 2)).nats);
}

// Sums are taken in an order of their own, not in that of the lanes.
TEST(Trainer, TargetsWithAFusedMultiplyAddGiveTheSameBits) {
  std::vector<std::vector<float>> weights;
  for (const std::int64_t target : vm::SimdTargets()) {
    if (target > HWY_AVX2) continue;  // better targets are smaller numbers
    vm::SelectSimdTarget(target);
    Trainer trainer(SmallConfig(), Schedule(10), 1, 1);
    for (std::uint64_t step = 0; step < 10; ++step) trainer.Step(CopyTasks(20, step));
    weights.push_back(Copy(trainer.weights()));
  }
  vm::SelectSimdTarget(0);
  if (weights.size() < 2) GTEST_SKIP() << "this processor has fewer than two such targets";
  for (const std::vector<float>& other : weights) EXPECT_EQ(other, weights[0]);
}

TEST(Trainer, AnyNumberOfThreadsGivesTheSameBits) {
  Trainer one(SmallConfig(), Schedule(5), 7, 1), three(SmallConfig(), Schedule(5), 7, 3);
  for (std::uint64_t step = 0; step < 5; ++step) {
    const StepReport a = one.Step(CopyTasks(20, step)), b = three.Step(CopyTasks(20, step));
    EXPECT_EQ(a.loss.nats, b.loss.nats);
    EXPECT_EQ(a.norm, b.norm);
  }
  EXPECT_EQ(Copy(one.weights()), Copy(three.weights()));
}

class Checkpoints : public testing::Test {
 protected:
  void SetUp() override {
    path_ = std::filesystem::path(testing::TempDir()) /
            ("txvm-checkpoint-" +
             std::string(testing::UnitTest::GetInstance()->current_test_info()->name()));
  }
  void TearDown() override { std::filesystem::remove(path_); }

  std::filesystem::path path_;
};

TEST_F(Checkpoints, AResumedRunIsTheUninterruptedOne) {
  Trainer whole(SmallConfig(), Schedule(8), 3, 2), first(SmallConfig(), Schedule(8), 3, 2);
  for (std::uint64_t step = 0; step < 8; ++step) whole.Step(CopyTasks(16, step));
  for (std::uint64_t step = 0; step < 3; ++step) first.Step(CopyTasks(16, step));
  ASSERT_TRUE(first.Save(path_, "data"));
  Trainer second(SmallConfig(), Schedule(8), 3, 2);
  const auto loaded = second.Load(path_, "data");
  ASSERT_TRUE(loaded) << loaded.error().message;
  EXPECT_EQ(second.steps_done(), 3u);
  for (std::uint64_t step = 3; step < 8; ++step) second.Step(CopyTasks(16, step));
  EXPECT_EQ(Copy(whole.weights()), Copy(second.weights()));
}

TEST_F(Checkpoints, DamageIsNoticedAndNothingChanges) {
  Trainer trainer(SmallConfig(), Schedule(8), 3, 1);
  trainer.Step(CopyTasks(16, 0));
  ASSERT_TRUE(trainer.Save(path_, "data"));
  std::ifstream in(path_, std::ios::binary);
  const std::string good{std::istreambuf_iterator<char>(in), {}};
  Random random(2);
  for (int trial = 0; trial < 200; ++trial) {
    std::string bad = good;
    bad[random.Below(bad.size())] ^= static_cast<char>(1 + random.Below(255));
    if (trial % 4 == 0) bad.resize(random.Below(bad.size()));
    std::ofstream(path_, std::ios::binary) << bad;
    Trainer other(SmallConfig(), Schedule(8), 3, 1);
    const std::vector<float> before = Copy(other.weights());
    EXPECT_FALSE(other.Load(path_, "data")) << trial;
    EXPECT_EQ(Copy(other.weights()), before);
    EXPECT_EQ(other.steps_done(), 0u);
  }
}

TEST_F(Checkpoints, MomentsOfAnotherSizeAreDamage) {
  RunState state;
  state.weights.assign(3, 1);
  state.moments.first.assign(3, 1);
  state.moments.second.assign(3, 1);
  ASSERT_TRUE(SaveRun(path_, "run", state));
  ASSERT_TRUE(LoadRun(path_, "run", 3));
  for (std::vector<float>* moments : {&state.moments.first, &state.moments.second}) {
    moments->resize(1);
    ASSERT_TRUE(SaveRun(path_, "run", state));
    const auto loaded = LoadRun(path_, "run", 3);
    ASSERT_FALSE(loaded);
    EXPECT_EQ(loaded.error().code, isa::ErrorCode::kCorrupt);
    moments->resize(3);
  }
}

TEST_F(Checkpoints, AnotherRunIsRefused) {
  Trainer trainer(SmallConfig(), Schedule(8), 3, 1);
  ASSERT_TRUE(trainer.Save(path_, "data"));
  Trainer other(SmallConfig(), Schedule(8), 4, 1);
  const auto loaded = other.Load(path_, "data");
  ASSERT_FALSE(loaded);
  EXPECT_EQ(loaded.error().code, isa::ErrorCode::kInvalid);
  const auto learnt = Trainer(SmallConfig(), Schedule(8), 3, 1).Load(path_, "other data");
  EXPECT_EQ(learnt.error().code, isa::ErrorCode::kInvalid);
  OptimizerOptions adamw = Schedule(8);
  adamw.muon.reset();
  EXPECT_EQ(Trainer(SmallConfig(), adamw, 3, 1).Load(path_, "data").error().code,
            isa::ErrorCode::kInvalid);
  EXPECT_TRUE(loaded.error().message.ends_with(
      "is of a run with another configuration, seed, schedule or data"));
  EXPECT_EQ(other.Load("/nonexistent/file", "data").error().code, isa::ErrorCode::kIo);
}

TEST_F(Checkpoints, WhatCannotBeReadIsNamed) {
  const std::string folder = testing::TempDir();
  const auto no_file = LoadRun(folder, "run", 3);
  ASSERT_FALSE(no_file);
  EXPECT_EQ(no_file.error().code, isa::ErrorCode::kIo);
  EXPECT_EQ(no_file.error().message, "cannot read '" + folder + "': not a regular file");
  std::ofstream(path_) << "no checkpoint";
  const auto no_tensors = LoadRun(path_, "run", 3);
  ASSERT_FALSE(no_tensors);
  EXPECT_EQ(no_tensors.error().code, isa::ErrorCode::kCorrupt);
  EXPECT_TRUE(no_tensors.error().message.starts_with("'" + path_.string() + "': "))
      << no_tensors.error().message;
}

llm::Config ConfigWithRoomForRecall() {
  llm::Config config = SmallConfig();
  config.layers = 3;
  config.hidden = 32;
  config.head_dim = 8;
  return config;
}

TEST(Trainer, TheCircuitLearnsSlowly) {
  const llm::Config config = ConfigWithRoomForRecall();
  using Blocks = std::vector<BlockLayout>;
  const auto moved = [&](float rate, std::size_t (*offset_of)(const Blocks&)) {
    OptimizerOptions optimizer = Schedule(10);
    optimizer.recall = {.rate = rate};
    optimizer.adam.decay = 0;
    Trainer trainer(config, optimizer, 1, 1);
    const std::size_t at = offset_of(trainer.layout().blocks);
    const float start = trainer.weights()[at];
    trainer.Step(CopyTasks(8, 1));
    return static_cast<double>(trainer.weights()[at]) - start;
  };
  constexpr std::size_t kHead = 8, kHeadRows = kHead * 32;
  for (const auto& part : {+[](const Blocks& blocks) { return blocks[0].q; },
                           +[](const Blocks& blocks) { return blocks[0].down; },
                           +[](const Blocks& blocks) { return blocks[1].o; },
                           +[](const Blocks& blocks) { return blocks[1].k + kHeadRows; },
                           +[](const Blocks& blocks) { return blocks[2].q; }}) {
    EXPECT_NEAR(moved(0.125f, part) / moved(1, part), 0.125, 1e-3);
    EXPECT_EQ(moved(0, part), 0);
  }
  // The second head of a group, the other group of block 2 and the other blocks do as ever.
  for (const auto& part : {+[](const Blocks& blocks) { return blocks[0].q + kHeadRows; },
                           +[](const Blocks& blocks) { return blocks[1].o + kHead; },
                           +[](const Blocks& blocks) { return blocks[2].k + kHeadRows; },
                           +[](const Blocks& blocks) { return blocks[1].gate; },
                           +[](const Blocks& blocks) { return blocks[2].gate; }}) {
    EXPECT_EQ(moved(0, part), moved(1, part));
    EXPECT_NE(moved(0, part), 0);
  }
}

TEST(Trainer, TheMeanEmbeddingStaysWithTheCircuit) {
  const llm::Config config = ConfigWithRoomForRecall();
  OptimizerOptions optimizer = Schedule(20);
  optimizer.recall.emplace();
  Trainer trainer(config, optimizer, 1, 1);
  const std::vector<float> start = Copy(trainer.weights());
  for (int step = 0; step < 20; ++step) trainer.Step(CopyTasks(8, 1));
  EXPECT_NE(trainer.weights()[0], start[0]);
  for (std::size_t i = 0; i < config.hidden; ++i) {
    double mean = 0;
    for (std::size_t token = 0; token < config.vocab; ++token) {
      mean += trainer.weights()[token * config.hidden + i];
    }
    EXPECT_NEAR(mean / static_cast<double>(config.vocab), kRecallMean, 1e-5);
  }
}

TEST(Trainer, ARunWithTheCircuitDoesNotGoOnWithout) {
  const llm::Config config = ConfigWithRoomForRecall();
  const std::string path = testing::TempDir() + "recall.checkpoint.safetensors";
  OptimizerOptions optimizer = Schedule(10);
  optimizer.recall.emplace();
  Trainer with(config, optimizer, 1, 1);
  ASSERT_TRUE(with.Save(path, "data"));
  optimizer.recall.reset();
  Trainer without(config, optimizer, 1, 1);
  const auto loaded = without.Load(path, "data");
  ASSERT_FALSE(loaded);
  EXPECT_EQ(loaded.error().code, isa::ErrorCode::kInvalid);
}

}  // namespace
}  // namespace txvm::neural::train

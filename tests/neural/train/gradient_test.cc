// Gradients against central differences, and the forward pass against the inference engine.
#include <gtest/gtest.h>

#include <cmath>
#include <memory>

#include "neural/llm/context.h"
#include "neural/llm/model.h"
#include "tests/neural/train/small_model.h"

namespace txvm::neural::train {
namespace {

TEST(Gradient, CentralDifferencesAgreeInEveryTensor) {
  EXPECT_GT(ExpectSlopes(SmallConfig(), CopyTasks(5, 3), {}).nats, 0);
}

TEST(Gradient, CentralDifferencesAgreeWherePromptsCount) {
  const llm::Config config = SmallConfig();
  for (std::size_t layer = 0; layer < config.layers; ++layer) {
    const Loss loss = ExpectSlopes(config, LensTasks(5, 3), {0.6, 0.4, LensTerm{layer, 1.5}});
    EXPECT_GT(loss.prompt_nats, 0);
  }
}

TEST(Gradient, PromptsThatCountLeaveTheOtherLossesAsTheyAre) {
  const llm::Config config = SmallConfig();
  const Layout layout = TrainingLayout(config);
  const std::vector<float> weights = RoughWeights(layout);
  const std::vector<Sequence> batch = LensTasks(5, 3);
  LlamaGradient passes(config, layout);
  for (std::size_t layer = 0; layer < config.layers; ++layer) {
    const Loss without = passes.Run(weights, batch, {1, 0, LensTerm{layer, 1}}, {});
    const Loss with = passes.Run(weights, batch, {1, 0.5, LensTerm{layer, 1}}, {});
    EXPECT_EQ(without.prompt_nats, 0);
    EXPECT_NEAR(with.nats, without.nats, 1e-4 * without.nats);
    EXPECT_NEAR(with.lens_nats, without.lens_nats, 1e-4 * without.lens_nats);
    EXPECT_EQ(with.tokens, without.tokens);
  }
}

TEST(Gradient, IsAddedAndScaled) {
  const llm::Config config = SmallConfig();
  const Layout layout = TrainingLayout(config);
  const std::vector<Sequence> batch = CopyTasks(3, 5);
  const std::vector<float> weights = RoughWeights(layout);
  LlamaGradient passes(config, layout);
  std::vector<float> once(layout.size, 0), twice(layout.size, 0);
  passes.Run(weights, batch, {.output = 2}, once);
  passes.Run(weights, batch, {}, twice);
  passes.Run(weights, batch, {}, twice);
  for (std::size_t i = 0; i < layout.size; ++i) {
    ASSERT_NEAR(once[i], twice[i], 1e-4 * (1 + std::abs(once[i]))) << i;
  }
}

// A configuration may claim more positions than memory has room for rotations.
TEST(Gradient, PositionsThatNoSequenceReachesCostNothing) {
  llm::Config config = SmallConfig();
  const std::vector<float> weights = RoughWeights(TrainingLayout(config));
  const std::vector<Sequence> batch = CopyTasks(3, 5);
  const Layout layout = TrainingLayout(config);
  const double nats = LlamaGradient(config, layout).Run(weights, batch, {}, {}).nats;
  config.positions = std::size_t{1} << 40;
  EXPECT_EQ(LlamaGradient(config, layout).Run(weights, batch, {}, {}).nats, nats);
}

TEST(Gradient, ASequenceDoesNotSeeItsNeighbours) {
  const llm::Config config = SmallConfig();
  const Layout layout = TrainingLayout(config);
  const std::vector<float> weights = RoughWeights(layout);
  const std::vector<Sequence> batch = CopyTasks(4, 6);
  LlamaGradient passes(config, layout);
  double alone = 0;
  for (const Sequence& sequence : batch) {
    alone += passes.Run(weights, std::span(&sequence, 1), {}, {}).nats;
  }
  EXPECT_NEAR(passes.Run(weights, batch, {}, {}).nats, alone, 1e-4 * alone);
}

TEST(Gradient, ForwardPassIsThatOfTheInferenceEngine) {
  const llm::Config config = SmallConfig();
  const std::vector<float> weights = RoughWeights(TrainingLayout(config));
  const std::shared_ptr<llm::Model> model = llm::ModelOnParameters(config, weights);
  llm::Workers workers(1);
  double nats = 0, prompt_nats = 0;
  const std::vector<Sequence> batch = CopyTasks(6, 8);
  for (const Sequence& sequence : batch) {
    llm::Context context(model, workers);
    const auto logits = context.FeedForAll(sequence.tokens);
    ASSERT_TRUE(logits) << logits.error().message;
    for (std::size_t at = 1; at < sequence.tokens.size(); ++at) {
      const float* row = logits->data() + (at - 1) * config.vocab;
      double sum = 0;
      for (std::size_t j = 0; j < config.vocab; ++j) sum += std::exp(static_cast<double>(row[j]));
      (at < sequence.prompt ? prompt_nats : nats) +=
          std::log(sum) - static_cast<double>(row[sequence.tokens[at]]);
    }
  }
  const Layout layout = TrainingLayout(config);
  EXPECT_NEAR(LlamaGradient(config, layout).Run(weights, batch, {}, {}).nats, nats, 1e-4 * nats);
  const Loss all = LlamaGradient(config, layout).Run(weights, batch, {.prompt = 1}, {});
  EXPECT_NEAR(all.nats, nats, 1e-4 * nats);
  EXPECT_NEAR(all.prompt_nats, prompt_nats, 1e-4 * prompt_nats);
}

}  // namespace
}  // namespace txvm::neural::train

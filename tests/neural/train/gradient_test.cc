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
  const llm::Config config = SmallConfig();
  const Layout layout = TrainingLayout(config);
  const std::vector<Sequence> batch = CopyTasks(5, 3);
  const std::vector<float> weights = RoughWeights(layout);
  std::vector<float> gradient(layout.size, 0);
  LlamaGradient passes(config, layout);
  const Loss loss = passes.Run(weights, batch, 1, gradient);
  EXPECT_GT(loss.nats, 0);
  const auto nats = [&](std::span<const float> at) { return passes.Run(at, batch, 1, {}).nats; };
  for (const llm::ParameterView& view : layout.views) {
    ExpectSlope(nats, weights, std::span(gradient).subspan(view.offset, view.size), view.offset,
                view.name);
  }
}

TEST(Gradient, IsAddedAndScaled) {
  const llm::Config config = SmallConfig();
  const Layout layout = TrainingLayout(config);
  const std::vector<Sequence> batch = CopyTasks(3, 5);
  const std::vector<float> weights = RoughWeights(layout);
  LlamaGradient passes(config, layout);
  std::vector<float> once(layout.size, 0), twice(layout.size, 0);
  passes.Run(weights, batch, 2, once);
  passes.Run(weights, batch, 1, twice);
  passes.Run(weights, batch, 1, twice);
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
  const double nats = LlamaGradient(config, layout).Run(weights, batch, 1, {}).nats;
  config.positions = std::size_t{1} << 40;
  EXPECT_EQ(LlamaGradient(config, layout).Run(weights, batch, 1, {}).nats, nats);
}

TEST(Gradient, ASequenceDoesNotSeeItsNeighbours) {
  const llm::Config config = SmallConfig();
  const Layout layout = TrainingLayout(config);
  const std::vector<float> weights = RoughWeights(layout);
  const std::vector<Sequence> batch = CopyTasks(4, 6);
  LlamaGradient passes(config, layout);
  double alone = 0;
  for (const Sequence& sequence : batch) {
    alone += passes.Run(weights, std::span(&sequence, 1), 1, {}).nats;
  }
  EXPECT_NEAR(passes.Run(weights, batch, 1, {}).nats, alone, 1e-4 * alone);
}

TEST(Gradient, ForwardPassIsThatOfTheInferenceEngine) {
  const llm::Config config = SmallConfig();
  const std::vector<float> weights = RoughWeights(TrainingLayout(config));
  const std::shared_ptr<llm::Model> model = llm::ModelOnParameters(config, weights);
  llm::Workers workers(1);
  double nats = 0;
  const std::vector<Sequence> batch = CopyTasks(6, 8);
  for (const Sequence& sequence : batch) {
    llm::Context context(model, workers);
    const auto logits = context.FeedForAll(sequence.tokens);
    ASSERT_TRUE(logits) << logits.error().message;
    for (std::size_t at = sequence.prompt; at < sequence.tokens.size(); ++at) {
      const float* row = logits->data() + (at - 1) * config.vocab;
      double sum = 0;
      for (std::size_t j = 0; j < config.vocab; ++j) sum += std::exp(static_cast<double>(row[j]));
      nats += std::log(sum) - static_cast<double>(row[sequence.tokens[at]]);
    }
  }
  const Layout layout = TrainingLayout(config);
  EXPECT_NEAR(LlamaGradient(config, layout).Run(weights, batch, 1, {}).nats, nats, 1e-4 * nats);
}

}  // namespace
}  // namespace txvm::neural::train

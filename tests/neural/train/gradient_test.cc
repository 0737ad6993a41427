// Gradients against central differences, and the forward pass against the inference engine.
#include <gtest/gtest.h>

#include <cmath>
#include <memory>

#include "neural/llm/context.h"
#include "neural/llm/model.h"
#include "tests/neural/train/small_model.h"

namespace txvm::neural::train {
namespace {

// Weights far enough from their start for every term of the gradient to matter.
std::vector<float> RoughWeights(const Layout& layout) {
  std::vector<float> weights(layout.size);
  Random random(9);
  for (float& weight : weights) weight = static_cast<float>(0.3 * random.Normal());
  for (const llm::ParameterView& view : layout.views) {
    if (Decays(view)) continue;
    for (std::size_t i = 0; i < view.size; ++i) weights[view.offset + i] += 1;
  }
  return weights;
}

TEST(Gradient, CentralDifferencesAgreeInEveryTensor) {
  const llm::Config config = SmallConfig();
  const Layout layout = TrainingLayout(config);
  const std::vector<Sequence> batch = CopyTasks(5, 3);
  std::vector<float> weights = RoughWeights(layout);
  std::vector<float> gradient(layout.size, 0);
  LlamaGradient passes(config, layout);
  const Loss loss = passes.Run(weights, batch, 1, gradient);
  EXPECT_GT(loss.nats, 0);
  Random random(4);
  for (const llm::ParameterView& view : layout.views) {
    // Along a random direction of the tensor: the sum over all its entries at once.
    std::vector<float> direction(view.size);
    for (float& part : direction) part = static_cast<float>(random.Normal());
    double expected = 0, length = 0;
    for (std::size_t i = 0; i < view.size; ++i) {
      expected +=
          static_cast<double>(gradient[view.offset + i]) * static_cast<double>(direction[i]);
      length += static_cast<double>(gradient[view.offset + i]) *
                static_cast<double>(gradient[view.offset + i]);
    }
    const double h = 1e-3;
    const auto moved = [&](double by) {
      std::vector<float> other = weights;
      for (std::size_t i = 0; i < view.size; ++i) {
        other[view.offset + i] += static_cast<float>(by * static_cast<double>(direction[i]));
      }
      return passes.Run(other, batch, 1, {}).nats;
    };
    // Five points: the third derivative drops out.
    const double difference =
        (8 * (moved(h) - moved(-h)) - (moved(2 * h) - moved(-2 * h))) / (12 * h);
    EXPECT_GT(std::sqrt(length), 0) << view.name;
    EXPECT_NEAR(difference, expected, 1e-3 * std::max(1.0, std::sqrt(length) * 4)) << view.name;
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

// The lens term: its gradient, its read-out, and that nothing else notices it.
#include <gtest/gtest.h>

#include <cmath>
#include <memory>

#include "neural/llm/context.h"
#include "neural/llm/model.h"
#include "tests/neural/train/small_model.h"

namespace txvm::neural::train {
namespace {

TEST(Lens, CentralDifferencesAgreeInEveryTensorAndLayer) {
  const llm::Config config = SmallConfig();
  for (std::size_t layer = 0; layer < config.layers; ++layer) {
    const Loss loss = ExpectSlopes(config, LensTasks(5, 3), {0.6, 0, LensTerm{layer, 1.5}});
    EXPECT_EQ(loss.lens_items, 4u);
  }
}

TEST(Lens, ReadsWhatTheInferenceEngineReads) {
  const llm::Config config = SmallConfig();
  const Layout layout = TrainingLayout(config);
  const std::vector<float> weights = RoughWeights(layout);
  const std::vector<Sequence> batch = LensTasks(5, 8);
  const std::shared_ptr<llm::Model> model = llm::ModelOnParameters(config, weights);
  llm::Workers workers(1);
  for (std::size_t layer = 0; layer < config.layers; ++layer) {
    double nats = 0;
    for (const Sequence& sequence : batch) {
      if (!sequence.lens) continue;
      llm::Context context(model, workers);
      std::vector<float> logits;
      context.Observe([&](std::size_t at, std::size_t, std::span<const float> hidden) {
        if (at == layer) logits = context.Lens(hidden.last(config.hidden));
      });
      ASSERT_TRUE(context.Feed(std::span(sequence.tokens).first(sequence.prompt)));
      double sum = 0;
      for (const float logit : logits) sum += std::exp(static_cast<double>(logit));
      nats += std::log(sum) - static_cast<double>(logits[static_cast<std::size_t>(*sequence.lens)]);
    }
    const Loss loss =
        LlamaGradient(config, layout).Run(weights, batch, {1, 0, LensTerm{layer, 1}}, {});
    EXPECT_NEAR(loss.lens_nats, nats, 1e-4 * nats);
  }
}

TEST(Lens, WithoutATermLabelsChangeNoBit) {
  const llm::Config config = SmallConfig();
  const Layout layout = TrainingLayout(config);
  const std::vector<float> weights = RoughWeights(layout);
  const std::vector<Sequence> labelled = LensTasks(5, 3);
  std::vector<Sequence> plain = labelled;
  for (Sequence& sequence : plain) sequence.lens.reset();
  LlamaGradient passes(config, layout);
  std::vector<float> with(layout.size, 0), without(layout.size, 0), unlabelled(layout.size, 0);
  const Loss a = passes.Run(weights, labelled, {}, with);
  const Loss b = passes.Run(weights, plain, {}, without);
  const Loss c = passes.Run(weights, plain, {1, 0, LensTerm{0, 1}}, unlabelled);
  EXPECT_EQ(with, without);
  EXPECT_EQ(with, unlabelled);
  EXPECT_EQ(a.nats, b.nats);
  EXPECT_EQ(a.nats, c.nats);
  EXPECT_EQ(a.lens_items + b.lens_items + c.lens_items, 0u);
}

}  // namespace
}  // namespace txvm::neural::train

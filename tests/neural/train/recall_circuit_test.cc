// The compiled circuit, before any training: what stood before an earlier occurrence of a token, or
// two after it, is what the model holds most likely of all that could have stood there.
#include "neural/train/recall_circuit.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "neural/llm/context.h"
#include "neural/llm/model.h"
#include "neural/train/random.h"
#include "tests/neural/train/small_model.h"

namespace txvm::neural::train {
namespace {

llm::Config ShippedShape() {
  llm::Config config = SmallConfig();
  config.vocab = 600;
  config.hidden = 192;
  config.layers = 5;
  config.heads = 6;
  config.head_dim = 32;
  config.feed_forward = 512;
  config.positions = 512;
  return config;
}

// Different tokens.
std::vector<llm::Token> Draw(std::size_t count, std::size_t vocab, Random& random) {
  std::vector<llm::Token> tokens;
  while (tokens.size() < count) {
    const auto token = static_cast<llm::Token>(random.Below(vocab));
    if (std::ranges::find(tokens, token) == tokens.end()) tokens.push_back(token);
  }
  return tokens;
}

// Of 200 sequences "a0 b0 x y z a1 b1 x y z ... ? bj" those for which aj is the likeliest of all a;
// after: of "b0 x a0 y z b1 x a1 y z ... ? bj".
int CountRecalled(const llm::Config& config, std::span<const float> weights, bool after) {
  constexpr std::size_t kPairs = 6;
  const auto model = llm::ModelOnParameters(config, weights);
  Random random(7);
  int right = 0;
  for (int i = 0; i < 200; ++i) {
    const std::vector<llm::Token> drawn = Draw(2 * kPairs + 4, config.vocab, random);
    std::vector<llm::Token> tokens;
    for (std::size_t pair = 0; pair < kPairs; ++pair) {
      const llm::Token a = drawn[2 * pair], b = drawn[2 * pair + 1], x = drawn[2 * kPairs];
      tokens.insert(tokens.end(), {after ? b : a, after ? x : b, after ? a : x,
                                   drawn[2 * kPairs + 1], drawn[2 * kPairs + 2]});
    }
    const std::size_t asked = random.Below(kPairs);
    tokens.insert(tokens.end(), {drawn[2 * kPairs + 3], drawn[2 * asked + 1]});
    llm::Workers workers(1);
    llm::Context context(model, workers);
    EXPECT_TRUE(context.Feed(tokens).has_value());
    std::size_t best = 0;
    for (std::size_t pair = 1; pair < kPairs; ++pair) {
      if (context.logits()[drawn[2 * pair]] > context.logits()[drawn[2 * best]]) best = pair;
    }
    right += best == asked ? 1 : 0;
  }
  return right;
}

TEST(RecallCircuit, FindsWhatStoodNearAnEqualTokenWithoutTraining) {
  const llm::Config config = ShippedShape();
  const Layout layout = TrainingLayout(config);
  std::vector<float> weights = InitialWeights(config, layout, 1);
  // By chance 33, with a deviation of 5.
  EXPECT_LT(CountRecalled(config, weights, false), 55) << "noise alone must not do it";
  EXPECT_LT(CountRecalled(config, weights, true), 55);
  CompileRecall(config, layout, 1, weights);
  EXPECT_GT(CountRecalled(config, weights, false), 90);
  EXPECT_GT(CountRecalled(config, weights, true), 90);
}

}  // namespace
}  // namespace txvm::neural::train

#include "neural/triton/guide/learner.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "neural/train/random.h"
#include "tests/neural/triton/guide/samples.h"

namespace txvm::triton::guide {
namespace {

std::vector<Part> AllParts() {
  std::vector<Part> parts = {kInput, kFirst, kFirstBias, kSecond, kSecondBias};
  for (std::size_t l = 0; l < kLayers; ++l) {
    const LayerParts layer = LayerAt(l);
    parts.insert(parts.end(),
                 {layer.qkv, layer.out, layer.up, layer.down, layer.scale, layer.shift});
  }
  return parts;
}

TEST(Learner, ThePartsCoverAllParameters) {
  std::size_t sum = 0;
  for (const Part& part : AllParts()) sum += part.size();
  EXPECT_EQ(sum, kParameters);
  EXPECT_EQ(kParameters * 8, 726'528U);  // bytes as field elements
}

// Along a direction in each matrix.
TEST(Learner, GradientsAreThoseOfDifferences) {
  const std::vector<RunLessons> runs = LessonsOf(TaughtWindows(3, 4));
  ASSERT_FALSE(runs.empty());
  std::vector<float> weights = InitialWeights(9);
  neural::train::Random random(1);
  for (float& weight : weights) weight += static_cast<float>(0.02 * random.Normal());
  for (const RunLessons& run : runs) {
    std::vector<float> gradient(kParameters);
    LossOf(weights, run, gradient);
    for (const Part& part : AllParts()) {
      // Half along the gradient, where the slope is steep, half anywhere. Short: no relu turns.
      const auto norm = [&](const std::vector<float>& x) {
        double squares = 0;
        for (std::size_t i = part.offset; i < part.end(); ++i) {
          squares += static_cast<double>(x[i]) * x[i];
        }
        return std::max(std::sqrt(squares), 1e-9);
      };
      std::vector<float> any(kParameters), direction(kParameters);
      for (std::size_t i = part.offset; i < part.end(); ++i) {
        any[i] = static_cast<float>(random.Normal());
      }
      double slope = 0;
      const double steep = norm(gradient), length = norm(any);
      for (std::size_t i = part.offset; i < part.end(); ++i) {
        direction[i] = static_cast<float>(gradient[i] / steep + any[i] / length);
        slope += static_cast<double>(direction[i]) * gradient[i];
      }
      constexpr float kStep = 2e-3F;
      std::vector<float> up = weights, down = weights;
      for (std::size_t i = 0; i < kParameters; ++i) {
        up[i] += kStep * direction[i];
        down[i] -= kStep * direction[i];
      }
      const double measured = (LossOf(up, run, {}).loss - LossOf(down, run, {}).loss) / (2 * kStep);
      EXPECT_NEAR(slope, measured, 0.02 * std::abs(measured) + 0.05) << "part at " << part.offset;
    }
  }
}

TEST(Learner, LearnsWhatItIsTaughtOnAnyNumberOfThreads) {
  const std::vector<RunLessons> runs = LessonsOf(TaughtWindows(40, 6));
  const double before = ScoreOf(InitialWeights(1), runs).right;
  LearnOptions options;
  options.epochs = 30;
  options.batch = 8;
  std::size_t epochs = 0;
  options.progress = [&](std::size_t, const Score&) { return ++epochs, true; };
  neural::llm::Workers one(1), three(3);
  const std::vector<float> weights = Learn(runs, options, one);
  EXPECT_EQ(epochs, 30U);
  const Score after = ScoreOf(weights, runs);
  EXPECT_GT(after.right, 0.9) << "from " << before;
  EXPECT_LT(before, 0.6);
  EXPECT_EQ(weights, Learn(runs, options, three));
  options.seed = 2;
  EXPECT_NE(weights, Learn(runs, options, three));
}

TEST(Learner, StopsWhenTold) {
  const std::vector<RunLessons> runs = LessonsOf(TaughtWindows(5, 6));
  LearnOptions options;
  std::size_t epochs = 0;
  options.progress = [&](std::size_t, const Score&) { return ++epochs < 2; };
  neural::llm::Workers workers(1);
  Learn(runs, options, workers);
  EXPECT_EQ(epochs, 2U);
}

}  // namespace
}  // namespace txvm::triton::guide

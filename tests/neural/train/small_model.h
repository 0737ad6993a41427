// A model small enough for central differences, and sequences for it.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <span>
#include <string>
#include <vector>

#include "neural/llm/config.h"
#include "neural/train/layout.h"
#include "neural/train/llama.h"
#include "neural/train/random.h"

namespace txvm::neural::train {

inline llm::Config SmallConfig() {
  llm::Config config;
  config.vocab = 23;
  config.hidden = 16;
  config.feed_forward = 24;
  config.layers = 2;
  config.heads = 4;
  config.kv_heads = 2;
  config.head_dim = 6;
  config.positions = 32;
  config.epsilon = 1e-5f;
  config.rope_base = 10000;
  config.tied = true;
  return config;
}

/// Sequences a small model can learn: the last tokens repeat the first ones.
inline std::vector<Sequence> CopyTasks(std::size_t count, std::uint64_t seed) {
  Random random(seed);
  std::vector<Sequence> batch(count);
  for (Sequence& sequence : batch) {
    const std::size_t half = 2 + random.Below(4);
    for (std::size_t i = 0; i < half; ++i) {
      sequence.tokens.push_back(static_cast<llm::Token>(1 + random.Below(20)));
    }
    sequence.tokens.push_back(0);
    sequence.prompt = sequence.tokens.size();
    for (std::size_t i = 0; i < half; ++i) sequence.tokens.push_back(sequence.tokens[i]);
  }
  return batch;
}

/// The same with a label for the lens in all but the first: the sequence's first token.
inline std::vector<Sequence> LensTasks(std::size_t count, std::uint64_t seed) {
  std::vector<Sequence> batch = CopyTasks(count, seed);
  for (std::size_t i = 1; i < count; ++i) batch[i].lens = batch[i].tokens.front();
  return batch;
}

/// Weights far enough from their start for every term of the gradient to matter.
inline std::vector<float> RoughWeights(const Layout& layout) {
  std::vector<float> weights(layout.size);
  Random random(9);
  for (float& weight : weights) weight = static_cast<float>(0.3 * random.Normal());
  for (const llm::ParameterView& view : layout.views) {
    if (Decays(view)) continue;
    for (std::size_t i = 0; i < view.size; ++i) weights[view.offset + i] += 1;
  }
  return weights;
}

/// Expects the gradient of loss(at) for the entries from `offset` on to be `gradient`, along a
/// random direction of them: the sum over all at once.
template <typename Function>
void ExpectSlope(const Function& loss, const std::vector<float>& at,
                 std::span<const float> gradient, std::size_t offset, const std::string& name) {
  Random random(4);
  std::vector<float> direction(gradient.size());
  for (float& part : direction) part = static_cast<float>(random.Normal());
  double expected = 0, length = 0;
  for (std::size_t i = 0; i < gradient.size(); ++i) {
    expected += static_cast<double>(gradient[i]) * static_cast<double>(direction[i]);
    length += static_cast<double>(gradient[i]) * static_cast<double>(gradient[i]);
  }
  const double h = 1e-3;
  const auto moved = [&](double by) {
    std::vector<float> other = at;
    for (std::size_t i = 0; i < gradient.size(); ++i) {
      other[offset + i] += static_cast<float>(by * static_cast<double>(direction[i]));
    }
    return loss(other);
  };
  // Five points: the third derivative drops out.
  const double difference =
      (8 * (moved(h) - moved(-h)) - (moved(2 * h) - moved(-2 * h))) / (12 * h);
  EXPECT_GT(std::sqrt(length), 0) << name;
  EXPECT_NEAR(difference, expected, 1e-3 * std::max(1.0, std::sqrt(length) * 4)) << name;
}

/// Expects the gradient of what `scales` says to be that of its losses, tensor by tensor; returns
/// the losses.
inline Loss ExpectSlopes(const llm::Config& config, const std::vector<Sequence>& batch,
                         const LossScales& scales) {
  const Layout layout = TrainingLayout(config);
  const std::vector<float> weights = RoughWeights(layout);
  std::vector<float> gradient(layout.size, 0);
  LlamaGradient passes(config, layout);
  const Loss loss = passes.Run(weights, batch, scales, gradient);
  const auto total = [&](std::span<const float> at) {
    const Loss there = passes.Run(at, batch, scales, {});
    return scales.output * there.nats + scales.prompt * there.prompt_nats +
           (scales.lens ? scales.lens->scale * there.lens_nats : 0);
  };
  for (const llm::ParameterView& view : layout.views) {
    ExpectSlope(total, weights, std::span(gradient).subspan(view.offset, view.size), view.offset,
                view.name);
  }
  return loss;
}

}  // namespace txvm::neural::train

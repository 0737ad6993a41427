// A model small enough for central differences, and sequences for it.
#pragma once

#include <vector>

#include "neural/llm/config.h"
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

}  // namespace txvm::neural::train

// Choosing the next token.
#pragma once

#include <cmath>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "isa/support/random.h"
#include "neural/llm/config.h"

namespace txvm::neural::llm {

struct SamplerOptions {
  float temperature = 0;  // 0: always the best token
  std::size_t top_k = 0;  // only this many best tokens; 0: all
  float top_p = 1;        // only the best tokens whose probabilities reach this sum
  float min_p = 0;        // only tokens at least this times as probable as the best
  /// Divides the scores of tokens that the text has, multiplies them where they are negative
  /// (arXiv:1909.05858). 1: none.
  float repeat_penalty = 1;
  std::uint64_t seed = 0;  // of the draws
};

/// A token and what the distribution (masked, but neither penalized nor tempered) says of it.
struct Choice {
  Token token = 0;
  float log_probability = 0;
};

/// Draws tokens; the same options and scores give the same tokens everywhere.
class Sampler {
 public:
  explicit Sampler(const SamplerOptions& options = {}) : options_(options), random_(options.seed) {}

  /// A token by its scores, that follows `text`; -infinity and NaN mean never. Ties go to the lower
  /// id. nullopt when no score is finite. What the options allow is cut in the order in which they
  /// stand above. O(n + text), or O(n log n) to draw.
  std::optional<Choice> Choose(std::span<const float> logits, std::span<const Token> text = {});

 private:
  double Uniform();  // in [0, 1)
  SamplerOptions options_;
  isa::SplitMix64 random_;
};

/// Logarithms of probabilities among all of a row's logits, one at a time.
class LogSoftmax {
 public:
  /// REQUIRES: at least one logit. Cost O(logits).
  explicit LogSoftmax(std::span<const float> logits);
  /// Whether the logits are numbers: finite, but for some of minus infinity.
  bool valid() const { return std::isfinite(largest_) && std::isfinite(log_sum_); }
  double operator()(float logit) const { return static_cast<double>(logit - largest_) - log_sum_; }

 private:
  float largest_;
  double log_sum_;
};

}  // namespace txvm::neural::llm

#include "neural/llm/sampler.h"

#include <algorithm>
#include <cmath>

namespace txvm::neural::llm {
namespace {

struct Candidate {
  Token token = 0;
  float logit = 0;
};

}  // namespace

// SplitMix64: one addition and a mix, so that the seed is the state.
double Sampler::Uniform() {
  state_ += 0x9E3779B97F4A7C15u;
  std::uint64_t x = state_;
  x = (x ^ x >> 30) * 0xBF58476D1CE4E5B9u;
  x = (x ^ x >> 27) * 0x94D049BB133111EBu;
  x ^= x >> 31;
  return static_cast<double>(x >> 11) * 0x1p-53;
}

std::optional<Choice> Sampler::Choose(std::span<const float> logits) {
  std::vector<Candidate> candidates;
  for (std::size_t i = 0; i < logits.size(); ++i) {
    if (std::isfinite(logits[i])) candidates.push_back({static_cast<Token>(i), logits[i]});
  }
  if (candidates.empty()) return std::nullopt;
  const Candidate best = *std::ranges::max_element(candidates, {}, &Candidate::logit);
  double total = 0;
  for (const Candidate& c : candidates) total += std::exp(double{c.logit} - double{best.logit});
  const double normalizer = double{best.logit} + std::log(total);
  const auto choice = [&](const Candidate& c) {
    return Choice{c.token, static_cast<float>(double{c.logit} - normalizer)};
  };
  if (!(options_.temperature > 0)) return choice(best);
  std::ranges::stable_sort(candidates, std::ranges::greater(), &Candidate::logit);
  if (options_.top_k > 0 && options_.top_k < candidates.size()) candidates.resize(options_.top_k);
  std::vector<double> weights;
  double sum = 0;
  for (const Candidate& c : candidates) {
    weights.push_back(std::exp((double{c.logit} - double{best.logit}) / options_.temperature));
    sum += weights.back();
  }
  std::size_t kept = 0;
  double reached = 0;
  while (kept < weights.size() && (kept == 0 || reached < double{options_.top_p} * sum)) {
    reached += weights[kept++];
  }
  double left = Uniform() * reached;
  for (std::size_t i = 0; i + 1 < kept; ++i) {
    left -= weights[i];
    if (left < 0) return choice(candidates[i]);
  }
  return choice(candidates[kept - 1]);
}

LogSoftmax::LogSoftmax(std::span<const float> logits)
    : largest_(*std::ranges::max_element(logits)) {
  double sum = 0;
  for (const float logit : logits) sum += std::exp(static_cast<double>(logit - largest_));
  log_sum_ = std::log(sum);
}

}  // namespace txvm::neural::llm

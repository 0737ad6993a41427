#include "neural/llm/sampler.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <unordered_set>

namespace txvm::neural::llm {
namespace {

struct Candidate {
  Token token = 0;
  float logit = 0;
  float score = 0;  // the logit after the penalty
};

/// Makes the tokens of a text less likely.
void Penalize(std::span<Candidate> candidates, std::span<const Token> text, float penalty) {
  const std::unordered_set<Token> seen(text.begin(), text.end());
  for (Candidate& c : candidates) {
    if (!seen.contains(c.token)) continue;
    const float score = c.logit > 0 ? c.logit / penalty : c.logit * penalty;
    c.score = std::max(score, std::numeric_limits<float>::lowest());
  }
}

}  // namespace

double Sampler::Uniform() { return static_cast<double>(random_.Next() >> 11) * 0x1p-53; }

std::optional<Choice> Sampler::Choose(std::span<const float> logits, std::span<const Token> text) {
  std::vector<Candidate> candidates;
  for (std::size_t i = 0; i < logits.size(); ++i) {
    if (std::isfinite(logits[i])) {
      candidates.push_back({static_cast<Token>(i), logits[i], logits[i]});
    }
  }
  if (candidates.empty()) return std::nullopt;
  const float largest = std::ranges::max_element(candidates, {}, &Candidate::logit)->logit;
  double total = 0;
  for (const Candidate& c : candidates) total += std::exp(double{c.logit} - double{largest});
  const double normalizer = double{largest} + std::log(total);
  if (options_.repeat_penalty != 1) Penalize(candidates, text, options_.repeat_penalty);
  const Candidate best = *std::ranges::max_element(candidates, {}, &Candidate::score);
  const auto choice = [&](const Candidate& c) {
    return Choice{c.token, static_cast<float>(double{c.logit} - normalizer)};
  };
  if (!(options_.temperature > 0)) return choice(best);
  std::ranges::stable_sort(candidates, std::ranges::greater(), &Candidate::score);
  if (options_.top_k > 0 && options_.top_k < candidates.size()) candidates.resize(options_.top_k);
  std::vector<double> weights;
  double sum = 0;
  for (const Candidate& c : candidates) {
    weights.push_back(std::exp((double{c.score} - double{best.score}) / options_.temperature));
    sum += weights.back();
  }
  std::size_t kept = 0;
  double reached = 0;
  while (kept < weights.size() && (kept == 0 || (reached < double{options_.top_p} * sum &&
                                                 weights[kept] >= double{options_.min_p}))) {
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

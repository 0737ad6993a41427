#include "neural/train/adamw.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace txvm::neural::train {

double RateAt(const AdamWOptions& options, std::uint64_t step) {
  const double at = static_cast<double>(step) + 1;
  const double warmup = static_cast<double>(options.warmup);
  if (at < warmup) return options.rate * at / warmup;
  const double rest = std::max(1.0, static_cast<double>(options.steps) - warmup);
  const double done = std::min(1.0, (at - warmup) / rest);
  const double wave = 0.5 * (1 + std::cos(std::numbers::pi * done));
  return options.rate * (options.final_rate + (1 - options.final_rate) * wave);
}

double ClipScale(const AdamWOptions& options, double norm) {
  return norm > options.clip ? options.clip / norm : 1.0;
}

void AdamWUpdate(const AdamWOptions& options, std::uint64_t step, double scale,
                 std::span<const float> gradient, std::span<const std::uint8_t> decays,
                 std::size_t begin, std::size_t end, std::span<float> weights, Moments& moments) {
  const double rate = RateAt(options, step);
  const double at = static_cast<double>(step) + 1;
  const auto beta1 = static_cast<float>(options.beta1), beta2 = static_cast<float>(options.beta2);
  const auto correct1 = static_cast<float>(1 / (1 - std::pow(options.beta1, at)));
  const auto correct2 = static_cast<float>(1 / (1 - std::pow(options.beta2, at)));
  const auto decay = static_cast<float>(rate * options.decay);
  const auto eta = static_cast<float>(rate), epsilon = static_cast<float>(options.epsilon);
  const auto factor = static_cast<float>(scale);
  for (std::size_t i = begin; i < end; ++i) {
    const float g = gradient[i] * factor;
    float& m = moments.first[i];
    float& v = moments.second[i];
    m = beta1 * m + (1 - beta1) * g;
    v = beta2 * v + (1 - beta2) * (g * g);
    const float moved = eta * (m * correct1) / (std::sqrt(v * correct2) + epsilon);
    weights[i] -= moved + (decays[i] != 0 ? decay * weights[i] : 0.0f);
  }
}

}  // namespace txvm::neural::train

// AdamW with a warm-up and cosine schedule (Loshchilov and Hutter, arXiv 1711.05101).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "neural/train/layout.h"

namespace txvm::neural::train {

struct AdamWOptions {
  double rate = 2e-3;        // at its highest
  double final_rate = 0.02;  // of it, at the end
  std::uint64_t warmup = 200, steps = 2'000;
  double beta1 = 0.9, beta2 = 0.98, epsilon = 1e-8;
  double decay = 0.05;  // of matrices, per step and unit of rate
  double clip = 1.0;    // largest norm of a gradient
};

/// Rate of step `step`, from 0.
double RateAt(const AdamWOptions& options, std::uint64_t step);

/// First and second moments, (layout.size,) each.
struct Moments {
  std::vector<float> first, second;
};

/// Scale that brings a gradient of this norm down to options.clip, at most 1.
double ClipScale(const AdamWOptions& options, double norm);

/// One update of weights[begin, end), elementwise: any split over threads gives the same. `step`
/// counts from 0; `scale` multiplies the gradient. decays: (layout.size,).
void AdamWUpdate(const AdamWOptions& options, std::uint64_t step, double scale,
                 std::span<const float> gradient, std::span<const std::uint8_t> decays,
                 std::size_t begin, std::size_t end, std::span<float> weights, Moments& moments);

}  // namespace txvm::neural::train

// Learns the network's weights from lessons: in floats, by backpropagation and AdamW.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "neural/llm/workers.h"
#include "neural/triton/guide/lessons.h"
#include "neural/triton/guide/parameters.h"

namespace txvm::triton::guide {

/// How a network does on lessons.
struct Score {
  double loss = 0;   // mean, in nats
  double right = 0;  // share of lessons whose move is the first choice
  std::size_t lessons = 0;
};

struct LearnOptions {
  std::uint64_t seed = 1;
  std::size_t epochs = 6;
  std::size_t batch = 16;  // runs per update
  double rate = 2e-3;      // at its highest
  /// Called after each epoch with (epochs done, how the lessons went); false stops. May be empty.
  std::function<bool(std::size_t, const Score&)> progress;
};

/// Loss and gradient of some runs: adds to `gradient` (kParameters,), unless it is empty, the
/// gradient of the summed loss.
Score LossOf(std::span<const float> weights, const RunLessons& run, std::span<float> gradient);

/// Weights before any lesson.
std::vector<float> InitialWeights(std::uint64_t seed);

/// The weights after all epochs, or as far as it got. Deterministic by seed on one machine, for any
/// number of threads.
std::vector<float> Learn(const std::vector<RunLessons>& runs, const LearnOptions& options,
                         neural::llm::Workers& workers);

Score ScoreOf(std::span<const float> weights, const std::vector<RunLessons>& runs);

/// The nearest numerators of weights, at most kMostWeight.
std::vector<std::int32_t> Numerators(std::span<const float> weights);

}  // namespace txvm::triton::guide

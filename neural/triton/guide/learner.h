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

/// How well a network does on lessons.
struct Score {
  double loss = 0;   // mean, in nats
  double right = 0;  // share of lessons whose move is the first choice
  std::size_t lessons = 0;
};

/// How to learn.
struct LearnOptions {
  std::uint64_t seed = 1;
  std::size_t epochs = 6;
  std::size_t batch = 16;         // runs per update
  double rate = 2e-3;             // at its highest
  std::vector<float> start = {};  // weights to begin with, (kParameters,); empty: InitialWeights
  /// Called after each epoch with (epochs done, how the lessons went); false stops. May be empty.
  std::function<bool(std::size_t, const Score&)> progress;
};

/// Loss and gradient of some runs: adds to `gradient` (kParameters,), unless it is empty, the
/// gradient of the summed loss.
Score LossOf(std::span<const float> weights, const RunLessons& run, std::span<float> gradient);

/// Weights before any lesson.
std::vector<float> InitialWeights(std::uint64_t seed);

/// The weights after all epochs, or after those done when the progress said stop. Deterministic by
/// seed on one machine, for any number of threads.
std::vector<float> Learn(const std::vector<RunLessons>& runs, const LearnOptions& options,
                         neural::llm::Workers& workers);

/// The score of these weights on all lessons of the runs.
Score ScoreOf(std::span<const float> weights, const std::vector<RunLessons>& runs);

/// Weights in units of 2^-16, rounded to nearest and clamped to +-kMostWeight.
std::vector<std::int32_t> Numerators(std::span<const float> weights);

}  // namespace txvm::triton::guide

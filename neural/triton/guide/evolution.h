// Evolution of the weights: what counts is how short the searches' results are, not how well the
// teacher is imitated.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "neural/llm/workers.h"
#include "neural/triton/guide/network.h"
#include "neural/triton/guide/teaching.h"

namespace txvm::triton::guide {

struct EvolveOptions {
  std::uint64_t seed = 1;
  std::size_t generations = 0;
  std::size_t population = 16;
  std::size_t parents = 4;  // that live on, 1 at least
  std::size_t beam = 4;     // of the searches that are judged
  /// A weight of a child changes with this chance, by a normal number of this size in units of the
  /// root mean square of the 64 weights of the first network around it: what is all 0 there, as
  /// biases are before they have learnt, stays 0.
  double mutation = 0.01, noise = 0.5;
  /// Called after each generation with (generations done, instructions that the best one leaves);
  /// false stops. May be empty.
  std::function<bool(std::size_t, std::size_t)> progress;
};

/// The best network of the last generation: never worse on these windows than `start`. Children
/// take each weight from one of two parents. Only proved schedules count, so no network gains by
/// being wrong. Deterministic by seed, on any number of threads.
Network Evolve(const Network& start, const std::vector<Window>& windows,
               const EvolveOptions& options, neural::llm::Workers& workers);

}  // namespace txvm::triton::guide

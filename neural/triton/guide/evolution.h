// Evolution of the weights: networks are judged by how short the searches' results are, not by how
// well they imitate the teacher.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "neural/llm/workers.h"
#include "neural/triton/guide/network.h"
#include "neural/triton/guide/teaching.h"

namespace txvm::triton::guide {

/// How to evolve.
struct EvolveOptions {
  std::uint64_t seed = 1;
  std::size_t generations = 0;
  std::size_t population = 16;
  std::size_t parents = 4;  // networks that live on, 1 at least
  std::size_t beam = 4;     // of the searches that judge a network
  /// A weight of a child changes with the chance `mutation`, by a normal number of size `noise`.
  /// Its unit is the root mean square of the 64 weights around it in the first network. So weights
  /// that are all 0 there stay 0, such as biases that have not learnt yet.
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

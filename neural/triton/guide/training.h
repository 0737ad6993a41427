// txvm train optimizer: from programs to the network that shortens such programs.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "isa/support/result.h"
#include "neural/llm/workers.h"
#include "neural/triton/guide/network.h"
#include "neural/triton/guide/teaching.h"
#include "neural/triton/tasm/program.h"

namespace txvm::triton::guide {

/// How to train.
struct TrainOptions {
  std::uint64_t seed = 1;
  std::size_t fragments = 4'000;  // random ones to learn from, too
  std::size_t beam = 200;         // of the teacher
  std::size_t rounds = 2;         // each also learns from what the network of the last one found
  std::size_t epochs = 6;         // of a round
  std::size_t generations = 0;    // of evolution, after the rounds
  std::size_t judged = 200;       // windows that evolution looks at, at most
  std::size_t trial_beam = 8;     // of the searches that measure
  /// Called with a phase, how much of it is done and all of it; false stops. May be empty.
  std::function<bool(std::string_view, std::size_t, std::size_t)> progress;
};

/// A round's network on windows of programs that it has not learnt from.
struct RoundReport {
  std::size_t lessons = 0;     // moves learnt from
  double loss = 0, right = 0;  // of the last epoch
  Trial held_out;              // with the network; empty where nothing is held out
};

/// The network, and what it is worth.
struct TrainReport {
  std::shared_ptr<const Network> network;  // null when the progress said stop
  std::size_t windows = 0, taught = 0;     // of the programs and fragments; those with a schedule
  Trial without;                           // held-out windows, without a guide
  std::vector<RoundReport> rounds;
  std::optional<Trial> evolved;  // held-out windows; none where nothing evolved
};

/// Trains on `programs`; `held_out` are programs to measure on, never learnt from. Deterministic by
/// seed on one machine. Errors: kInvalid when no window of the programs and fragments can be
/// made shorter. Nothing evolves where none of the programs can.
isa::Result<TrainReport> TrainOptimizer(const std::vector<TasmProgram>& programs,
                                        const std::vector<TasmProgram>& held_out,
                                        const TrainOptions& options, neural::llm::Workers& workers);

}  // namespace txvm::triton::guide

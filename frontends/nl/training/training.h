// How the shipped model comes about: vocabulary, batches and schedule of `txvm train normalizer`.
//
// Goals: everything follows from the options; a run that was stopped goes on as if it had not been.
// Non-goals: learning from data that the generator (neural/questions) did not make.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>

#include "isa/support/result.h"
#include "neural/llm/config.h"
#include "neural/questions/bank.h"
#include "neural/train/trainer.h"

namespace txvm::frontends::nl {

/// For AdamW alone: Muon learns well at twice that.
inline constexpr double kAdamWRate = 3e-3;

/// A cycle after the first: a percentage of its updates, at this rate at most. Those of a
/// round start from the outcome of the round before; round 0 is the first cycle. The outcome of a
/// round is the mean of where its cycles end and, from kRoundsWithStart on, of where they started.
struct Branch {
  std::size_t round;
  std::uint64_t percent;
  double rate;
};
inline constexpr std::array kBranches = {Branch{1, 15, 1.5e-3}, Branch{1, 20, 3e-3},
                                         Branch{2, 12, 1.5e-3}, Branch{2, 15, 3e-3}};
inline constexpr std::size_t kRoundsWithStart = 2;

struct TrainingOptions {
  std::uint64_t seed = 1;
  std::uint64_t steps = 13'200;
  std::size_t batch = 64;  // sequences a step
  double rate = 6e-3;
  // The first of kBranches, as many as this, follow; the model is the outcome of the last round.
  std::size_t branches = kBranches.size();
  bool muon = true;                 // for the blocks' matrices; AdamW for all of it otherwise
  std::size_t prompt_percent = 20;  // 100 times OptimizerOptions::prompt_weight
  bool recall = true;               // start from the circuit of recall_circuit.h
  bool lessons = true;              // the generator's, in looking up
  std::size_t threads = 1;
  std::size_t vocabulary = 2'048;              // tokens in all
  std::uint64_t vocabulary_examples = 40'000;  // learnt from as many first ones
  std::size_t width = 192, layers = 5, feed_forward = 512, heads = 6, kv_heads = 2;
  std::uint64_t checkpoint_steps = 200;
};

/// The updates after which each cycle of a training begins, and after which the last one ends.
constexpr std::array<std::uint64_t, kBranches.size() + 2> CycleStarts(
    const TrainingOptions& options) {
  std::array<std::uint64_t, kBranches.size() + 2> starts = {0, options.steps};
  for (std::size_t i = 0; i < kBranches.size(); ++i) {
    const bool is_run = i < options.branches;
    starts[i + 2] = starts[i + 1] + (is_run ? options.steps * kBranches[i].percent / 100 : 0);
  }
  return starts;
}
/// Updates of a whole training.
constexpr std::uint64_t UpdatesOf(const TrainingOptions& options) {
  return CycleStarts(options).back();
}

/// Called after each step; false stops, with a checkpoint.
using TrainingProgress =
    std::function<bool(std::uint64_t done, std::uint64_t steps, const neural::train::StepReport&)>;

/// What came of a run.
struct TrainingReport {
  std::uint64_t steps = 0, tokens = 0;  // of this call
  bool finished = false;
  neural::train::Loss held_out;  // of fresh examples in the training distribution, at the end
};

/// What TrainNormalizer refuses before it begins: kUsage, a shape no model can have; kLimit, one
/// that this machine's memory cannot hold.
isa::Result<void> CheckTraining(const TrainingOptions& options);

/// Trains on questions of the bank, into `directory`: checkpoint.safetensors while it lasts (and
/// where it goes on, if there is one) and a file for each cycle that has ended, then
/// model.safetensors (bfloat16), config.json and tokenizer.json. Errors: those of CheckTraining, of
/// Trainer::Load and of writing.
isa::Result<TrainingReport> TrainNormalizer(const neural::questions::QuestionBank& bank,
                                            const std::string& directory,
                                            const TrainingOptions& options,
                                            const TrainingProgress& progress);

}  // namespace txvm::frontends::nl

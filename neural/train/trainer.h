// Training of a llama-architecture model from batches of sequences: gradient, clipping, Muon and
// AdamW, checkpoints.
//
// Goals: the same bits from the same seed and batches on any number of threads and across any
// interruption, on AVX2 as on AVX-512. Non-goals: more than one machine.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "isa/support/result.h"
#include "neural/llm/config.h"
#include "neural/llm/workers.h"
#include "neural/train/adamw.h"
#include "neural/train/checkpoint.h"
#include "neural/train/llama.h"
#include "neural/train/muon.h"
#include "neural/train/shards.h"

namespace txvm::neural::train {

/// What one step did.
struct StepReport {
  Loss loss;
  double norm = 0;  // of the gradient of the mean loss, before clipping
  double rate = 0;
  std::uint64_t tokens = 0;  // of the batch, prompts included; 0 where nobody counts
};

/// How many tokens of the batch count, those of prompts left out.
std::uint64_t CountedTokens(std::span<const Sequence> batch);
/// The schedule in words, for a fingerprint.
std::string ToText(const AdamWOptions& adam);
std::string ToText(const MuonOptions& muon);

/// A run that starts from the circuit of recall_circuit.h. The mean of all embeddings stays what it
/// is at the start: the softmax pushes all that it does not choose the same way, which changes no
/// output but would make tokens alike that the circuit has to tell apart.
struct RecallOptions {
  float rate = 0.1f;  // of the others' rate: how fast what holds it learns
};

/// Where the weights start and what moves them.
struct OptimizerOptions {
  AdamWOptions adam;                // its schedule, clipping and decay are everyone's
  std::optional<MuonOptions> muon;  // of the blocks' matrices; nothing: AdamW's are all
  // A prompt's token counts its full weight at the first step, evenly less until none after the
  // last.
  double prompt_weight = 0;
  std::optional<RecallOptions> recall;  // nothing: all weights start as noise
};

/// The weights of a run and where it stands. Not thread-safe.
class Trainer {
 public:
  /// Weights start as InitialWeights(config, seed), with the circuit of CompileRecall if
  /// `optimizer` has it. REQUIRES: CheckConfig accepts a tied `config`, which has room for it.
  Trainer(const llm::Config& config, const OptimizerOptions& optimizer, std::uint64_t seed,
          std::size_t threads);
  Trainer(const Trainer&) = delete;
  Trainer& operator=(const Trainer&) = delete;

  /// Starts from these weights instead. REQUIRES: as many as weights() has, and no step done.
  void StartFrom(std::vector<float> weights);

  /// One update from the mean loss over the batch's counted tokens, the prompts' nats among them at
  /// the weight of the step. REQUIRES: a batch with at least one sequence. Cost: 6 flops a weight
  /// and token.
  StepReport Step(std::span<const Sequence> batch);
  /// Loss without learning.
  Loss Evaluate(std::span<const Sequence> batch);

  std::uint64_t steps_done() const { return state_.step; }
  const llm::Config& config() const { return config_; }
  const Layout& layout() const { return layout_; }
  std::span<const float> weights() const { return state_.weights; }

  /// Weights, moments and step, with a checksum; replaces the file at once or not at all. `data` is
  /// what the batches follow from, in the caller's words. kHost: what cannot be written.
  isa::Result<void> Save(const std::string& path, std::string_view data) const;
  /// Goes on from a saved state. kCorrupt: damaged; kInvalid: of another configuration, seed,
  /// schedule or data. Nothing changes on an error.
  isa::Result<void> Load(const std::string& path, std::string_view data);

 private:
  void HoldMeanEmbedding();
  std::string Fingerprint(std::string_view data) const;
  void Update(double rate, double clip);
  double PromptWeight() const;

  llm::Config config_;
  Layout layout_;
  OptimizerOptions optimizer_;
  std::vector<llm::ParameterView> matrices_;                 // those Muon moves
  std::vector<std::pair<std::size_t, std::size_t>> others_;  // [begin, end) of what AdamW moves
  std::uint64_t seed_;
  llm::Workers workers_;
  ShardedGradient gradient_;
  std::vector<std::uint8_t> decays_;
  std::vector<float> rates_;  // each weight's part of the rate; empty: 1
  RunState state_;            // Muon's momentum is in moments.first
};

/// The weights rounded to bfloat16.
std::vector<float> Rounded(std::span<const float> weights);
/// The weights of a model as a bfloat16 file has them: its matrices rounded.
std::vector<float> AsWritten(const Layout& layout, std::span<const float> weights);

}  // namespace txvm::neural::train

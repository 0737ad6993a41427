// Low-rank adaptation: a frozen base and factors (low_rank.h) that are trained.
//
// Goals: as trainer.h; exact gradients, dA = scale * B^T dW and dB = scale * dW A^T, without the
// full dW; adapters that neural/llm/adapter.h reads. Non-goals: saving the memory of the base.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "isa/support/result.h"
#include "neural/llm/adapter.h"
#include "neural/llm/config.h"
#include "neural/llm/workers.h"
#include "neural/train/low_rank.h"
#include "neural/train/trainer.h"

namespace txvm::neural::train {

struct LoraOptions {
  std::size_t rank = 32;
  double alpha = 64;  // scale = alpha / rank
  /// Any of q, k, v, o, gate, up and down, in every block.
  std::vector<std::string> projections = {"q", "k", "v", "o", "gate", "up", "down"};
};

/// kUsage: a projection that there is not, none at all, or rank 0.
isa::Result<LoraLayout> LoraLayoutOf(const Layout& layout, const LoraOptions& options);

/// Factors at the start, (lora.size,): A normal with variance 1 / in, B zero, so that the model is
/// the base. The same for the same seed.
std::vector<float> InitialFactors(const LoraLayout& lora, std::uint64_t seed);

/// weights' projection of the pair = base's + scale * B * A. Both (layout.size,).
void MergePair(const LoraLayout& lora, const LoraPair& pair, std::span<const float> base,
               std::span<const float> factors, std::span<float> weights);
/// The gradient of the pair's factors from that of the weights, written to its place in
/// `factor_gradient` (lora.size,): what LlamaGradient::RunFactors finds without it.
void PairGradient(const LoraLayout& lora, const LoraPair& pair, std::span<const float> gradient,
                  std::span<const float> factors, std::span<float> factor_gradient);
/// The factors as an adapter.
llm::Adapter AdapterOf(const LoraLayout& lora, std::span<const float> factors);

/// What a step minimises: (1 - lens) * mean loss of the counted tokens + lens * mean loss of the
/// labelled sequences' lens after block `layer`.
struct DualLoss {
  std::size_t layer = 0;
  double lens = 0.4;  // 0..1; 0 leaves the lens out
};

/// The factors of a run and where it stands. Not thread-safe.
class LoraTrainer {
 public:
  /// base: the model's parameters in TrainingLayout order. REQUIRES: CheckConfig accepts a tied
  /// `config`; `lora` is of its layout; loss.layer < config.layers.
  LoraTrainer(const llm::Config& config, std::span<const float> base, const LoraLayout& lora,
              const DualLoss& loss, const AdamWOptions& adam, std::uint64_t seed,
              std::size_t threads);
  LoraTrainer(const LoraTrainer&) = delete;
  LoraTrainer& operator=(const LoraTrainer&) = delete;

  /// One update. REQUIRES: a batch with at least one sequence. Cost: two thirds of Trainer::Step's.
  StepReport Step(std::span<const Sequence> batch);
  /// Loss without learning, the lens's too.
  Loss Evaluate(std::span<const Sequence> batch);

  std::uint64_t steps_done() const { return state_.step; }
  const llm::Config& config() const { return config_; }
  llm::Adapter adapter() const { return AdapterOf(lora_, state_.weights); }
  /// The base with the factors merged, in TrainingLayout order.
  std::span<const float> weights() const { return weights_; }

  /// Factors, moments and step; `data` and errors as Trainer's.
  isa::Result<void> Save(const std::string& path, std::string_view data) const;
  isa::Result<void> Load(const std::string& path, std::string_view data);

 private:
  std::string Fingerprint(std::string_view data) const;
  void Merge();

  llm::Config config_;
  Layout layout_;
  LoraLayout lora_;
  DualLoss loss_;
  AdamWOptions adam_;
  std::uint64_t seed_;
  llm::Workers workers_;
  ShardedGradient gradient_;
  std::vector<float> base_, weights_;  // (layout_.size,)
  std::vector<std::uint8_t> decays_;   // (lora_.size,), all 0
  RunState state_;                     // of the factors
};

}  // namespace txvm::neural::train

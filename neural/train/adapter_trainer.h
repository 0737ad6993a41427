// Training of low-rank factors beside a frozen model whose weights stay in the type of their file.
//
// Goals: as trainer.h, but that the bits depend on Precision. Non-goals: training of the model.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "isa/support/result.h"
#include "neural/llm/adapter.h"
#include "neural/llm/model.h"
#include "neural/llm/workers.h"
#include "neural/train/adapter_gradient.h"
#include "neural/train/lora.h"
#include "neural/train/trainer.h"

namespace txvm::neural::train {

/// The factors of a run and where it stands. Not thread-safe.
class AdapterTrainer {
 public:
  /// REQUIRES: `lora` is of TrainingLayout(model->config); loss.layer < config.layers.
  AdapterTrainer(std::shared_ptr<const llm::Model> model, const LoraLayout& lora,
                 const DualLoss& loss, const AdamWOptions& adam, std::uint64_t seed,
                 Precision precision, std::size_t threads);
  AdapterTrainer(const AdapterTrainer&) = delete;
  AdapterTrainer& operator=(const AdapterTrainer&) = delete;

  /// One update. kInvalid, changing nothing: a loss or gradient that is no number. REQUIRES: a
  /// batch with at least one sequence.
  isa::Result<StepReport> Step(std::span<const Sequence> batch);
  /// Loss without learning, the lens's too.
  Loss Evaluate(std::span<const Sequence> batch);

  std::uint64_t steps_done() const { return state_.step; }
  const llm::Config& config() const { return model_->config; }
  llm::Adapter adapter() const { return AdapterOf(lora_, state_.weights); }
  std::span<const float> factors() const { return state_.weights; }

  /// Factors, moments and step; `data` and errors as Trainer's.
  isa::Result<void> Save(const std::string& path, std::string_view data) const;
  isa::Result<void> Load(const std::string& path, std::string_view data);

 private:
  std::string Fingerprint(std::string_view data) const;

  std::shared_ptr<const llm::Model> model_;
  LoraLayout lora_;
  DualLoss loss_;
  AdamWOptions adam_;
  std::uint64_t seed_;
  Precision precision_;
  std::string base_;  // hash of the model's weights
  llm::Workers workers_;
  AdapterGradient gradient_;
  std::vector<float> factor_gradient_;  // (lora_.size,)
  std::vector<std::uint8_t> decays_;    // (lora_.size,), all 0
  RunState state_;                      // of the factors
};

}  // namespace txvm::neural::train

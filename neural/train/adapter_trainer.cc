#include "neural/train/adapter_trainer.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "isa/support/sha256.h"

namespace txvm::neural::train {
namespace {

/// One hash of all matrices as they are stored, and of the norms.
std::string HashOf(const llm::Model& model) {
  std::string all;
  const auto add = [&all](const void* data, std::size_t size) {
    all += isa::Sha256({static_cast<const std::uint8_t*>(data), size});
  };
  const auto add_matrix = [&add](const llm::Matrix& matrix) {
    add(matrix.data, matrix.rows * matrix.row_bytes);
  };
  const auto add_norm = [&add](const std::vector<float>& norm) {
    add(norm.data(), norm.size() * sizeof(float));
  };
  add_matrix(model.embedding);
  if (!model.config.tied) add_matrix(model.head);
  add_norm(model.final_norm);
  for (const llm::Layer& layer : model.layers) {
    for (const llm::Matrix* matrix :
         {&layer.q, &layer.k, &layer.v, &layer.o, &layer.gate, &layer.up, &layer.down}) {
      add_matrix(*matrix);
    }
    add_norm(layer.attention_norm);
    add_norm(layer.mlp_norm);
  }
  return isa::Sha256({reinterpret_cast<const std::uint8_t*>(all.data()), all.size()});
}

}  // namespace

AdapterTrainer::AdapterTrainer(std::shared_ptr<const llm::Model> model, const LoraLayout& lora,
                               const DualLoss& loss, const AdamWOptions& adam, std::uint64_t seed,
                               Precision precision, std::size_t threads)
    : model_(std::move(model)),
      lora_(lora),
      loss_(loss),
      adam_(adam),
      seed_(seed),
      precision_(precision),
      base_(HashOf(*model_)),
      workers_(std::max<std::size_t>(1, threads)),
      gradient_(*model_, lora_, precision, workers_),
      factor_gradient_(lora.size, 0),
      decays_(lora.size, 0),
      state_{InitialFactors(lora, seed),
             {std::vector<float>(lora.size, 0), std::vector<float>(lora.size, 0)},
             0} {
  TXVM_ASSERT(loss_.layer < model_->config.layers);
}

isa::Result<StepReport> AdapterTrainer::Step(std::span<const Sequence> batch) {
  const auto labelled = std::ranges::count_if(
      batch, [](const Sequence& sequence) { return sequence.lens.has_value(); });
  LossScales scales{(1 - loss_.lens) / static_cast<double>(CountedTokens(batch)), 0, std::nullopt};
  if (labelled > 0 && loss_.lens > 0) {
    scales.lens = {loss_.layer, loss_.lens / static_cast<double>(labelled)};
  }
  std::ranges::fill(factor_gradient_, 0.0f);
  StepReport report;
  report.loss = gradient_.Run(batch, scales, state_.weights, factor_gradient_);
  report.norm = NormOf(workers_, factor_gradient_);
  report.rate = RateAt(adam_, state_.step);
  for (const Sequence& sequence : batch) report.tokens += sequence.tokens.size();
  if (!std::isfinite(report.loss.nats) || !std::isfinite(report.norm)) {
    return isa::Fail(isa::ErrorCode::kInvalid,
                     fmt::format("after {} updates the loss or its gradient is no number: the base "
                                 "model's weights or the learning rate are at fault",
                                 state_.step));
  }
  const double clip = ClipScale(adam_, report.norm);
  ForChunks(workers_, lora_.size, [&](std::size_t begin, std::size_t end) {
    AdamWUpdate(adam_, state_.step, clip, factor_gradient_, decays_, begin, end, state_.weights,
                state_.moments);
  });
  ++state_.step;
  return report;
}

Loss AdapterTrainer::Evaluate(std::span<const Sequence> batch) {
  return gradient_.Run(batch, {1, 0, LensTerm{loss_.layer, 1}}, state_.weights, {});
}

isa::Result<void> AdapterTrainer::Save(const std::string& path, std::string_view data) const {
  return SaveRun(path, Fingerprint(data), state_);
}

isa::Result<void> AdapterTrainer::Load(const std::string& path, std::string_view data) {
  TXVM_TRY(state_, LoadRun(path, Fingerprint(data), lora_.size));
  return {};
}

std::string AdapterTrainer::Fingerprint(std::string_view data) const {
  std::string targets;
  for (const LoraPair& pair : lora_.pairs) targets += " " + pair.weight;
  return fmt::format("{} base {} in {} rank {} scale {} of{} layer {} lens {} seed {} {} data {}",
                     llm::ConfigToJson(model_->config, "float32"), base_, PrecisionName(precision_),
                     lora_.rank, lora_.scale, targets, loss_.layer, loss_.lens, seed_,
                     ToText(adam_), data);
}

}  // namespace txvm::neural::train

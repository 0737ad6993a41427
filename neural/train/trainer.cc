#include "neural/train/trainer.h"

#include <fmt/format.h>

#include <algorithm>

#include "neural/llm/element.h"

namespace txvm::neural::train {
std::uint64_t CountedTokens(std::span<const Sequence> batch) {
  std::uint64_t counted = 0;
  for (const Sequence& sequence : batch) counted += sequence.tokens.size() - sequence.prompt;
  return counted;
}

std::string ToText(const AdamWOptions& adam) {
  return fmt::format("rate {} {} warmup {} steps {} betas {} {} epsilon {} decay {} clip {}",
                     adam.rate, adam.final_rate, adam.warmup, adam.steps, adam.beta1, adam.beta2,
                     adam.epsilon, adam.decay, adam.clip);
}

Trainer::Trainer(const llm::Config& config, const AdamWOptions& adam, std::uint64_t seed,
                 std::size_t threads)
    : config_(config),
      layout_(TrainingLayout(config)),
      adam_(adam),
      seed_(seed),
      workers_(std::max<std::size_t>(1, threads)),
      gradient_(config_, layout_, workers_),
      decays_(layout_.size, 0),
      state_{InitialWeights(config, layout_, seed),
             {std::vector<float>(layout_.size, 0), std::vector<float>(layout_.size, 0)},
             0} {
  for (const llm::ParameterView& view : layout_.views) {
    if (Decays(view)) std::fill_n(&decays_[view.offset], view.size, std::uint8_t{1});
  }
}

StepReport Trainer::Step(std::span<const Sequence> batch) {
  StepReport report;
  report.loss = gradient_.Run(state_.weights, batch,
                              {1 / static_cast<double>(CountedTokens(batch)), std::nullopt});
  report.norm = NormOf(workers_, gradient_.gradient());
  report.rate = RateAt(adam_, state_.step);
  const double clip = ClipScale(adam_, report.norm);
  ForChunks(workers_, layout_.size, [&](std::size_t begin, std::size_t end) {
    AdamWUpdate(adam_, state_.step, clip, gradient_.gradient(), decays_, begin, end, state_.weights,
                state_.moments);
  });
  ++state_.step;
  return report;
}

Loss Trainer::Evaluate(std::span<const Sequence> batch) {
  return gradient_.Evaluate(state_.weights, batch);
}

isa::Result<void> Trainer::Save(const std::string& path) const {
  return SaveRun(path, Fingerprint(), state_);
}

isa::Result<void> Trainer::Load(const std::string& path) {
  TXVM_TRY(state_, LoadRun(path, Fingerprint(), layout_.size));
  return {};
}

std::string Trainer::Fingerprint() const {
  return fmt::format("{} seed {} {}", llm::ConfigToJson(config_, "float32"), seed_, ToText(adam_));
}

std::vector<float> Rounded(std::span<const float> weights) {
  std::vector<float> rounded;
  rounded.reserve(weights.size());
  for (const float weight : weights) {
    rounded.push_back(llm::BfloatToFloat(llm::FloatToBfloat(weight)));
  }
  return rounded;
}

}  // namespace txvm::neural::train

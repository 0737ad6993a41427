#include "neural/train/trainer.h"

#include <fmt/format.h>

#include <algorithm>

#include "neural/llm/element.h"
#include "neural/train/recall_circuit.h"

namespace txvm::neural::train {
namespace {

/// The stretches of [0, size) between the matrices.
std::vector<std::pair<std::size_t, std::size_t>> Between(
    std::span<const llm::ParameterView> matrices, std::size_t size) {
  std::vector<std::pair<std::size_t, std::size_t>> stretches;
  std::size_t begin = 0;
  for (const llm::ParameterView& matrix : matrices) {
    if (matrix.offset > begin) stretches.emplace_back(begin, matrix.offset);
    begin = matrix.offset + matrix.size;
  }
  if (begin < size) stretches.emplace_back(begin, size);
  return stretches;
}

std::vector<float> FirstWeights(const llm::Config& config, const Layout& layout,
                                const OptimizerOptions& optimizer, std::uint64_t seed) {
  std::vector<float> weights = InitialWeights(config, layout, seed);
  if (optimizer.recall) CompileRecall(config, layout, seed, weights);
  return weights;
}

}  // namespace

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

std::string ToText(const MuonOptions& muon) {
  return fmt::format(" muon momentum {} iterations {} scale {}", muon.momentum, muon.iterations,
                     muon.scale);
}

Trainer::Trainer(const llm::Config& config, const OptimizerOptions& optimizer, std::uint64_t seed,
                 std::size_t threads)
    : config_(config),
      layout_(TrainingLayout(config)),
      optimizer_(optimizer),
      matrices_(optimizer.muon ? MuonMatrices(layout_) : std::vector<llm::ParameterView>{}),
      others_(Between(matrices_, layout_.size)),
      seed_(seed),
      workers_(std::max<std::size_t>(1, threads)),
      gradient_(config_, layout_, workers_),
      decays_(layout_.size, 0),
      rates_(optimizer.recall ? RecallRates(config, layout_, optimizer.recall->rate)
                              : std::vector<float>{}),
      state_{FirstWeights(config, layout_, optimizer, seed),
             {std::vector<float>(layout_.size, 0), std::vector<float>(layout_.size, 0)},
             0} {
  for (const llm::ParameterView& view : layout_.views) {
    if (Decays(view)) std::fill_n(&decays_[view.offset], view.size, std::uint8_t{1});
  }
}

void Trainer::StartFrom(std::vector<float> weights) {
  TXVM_ASSERT(state_.step == 0 && weights.size() == state_.weights.size());
  state_.weights = std::move(weights);
}

StepReport Trainer::Step(std::span<const Sequence> batch) {
  StepReport report;
  const double scale = 1 / static_cast<double>(CountedTokens(batch));
  report.loss = gradient_.Run(state_.weights, batch, {scale, scale * PromptWeight(), std::nullopt});
  report.norm = NormOf(workers_, gradient_.gradient());
  report.rate = RateAt(optimizer_.adam, state_.step);
  Update(report.rate, ClipScale(optimizer_.adam, report.norm));
  ++state_.step;
  return report;
}

double Trainer::PromptWeight() const {
  const auto steps = static_cast<double>(optimizer_.adam.steps);
  return optimizer_.prompt_weight * std::max(0.0, 1 - static_cast<double>(state_.step) / steps);
}

void Trainer::HoldMeanEmbedding() {
  const std::size_t width = config_.hidden;
  const std::span<float> table =
      std::span(state_.weights).subspan(layout_.embedding, config_.vocab * width);
  std::vector<double> mean(width, 0);
  for (std::size_t i = 0; i < table.size(); ++i) mean[i % width] += static_cast<double>(table[i]);
  for (double& x : mean) x = x / static_cast<double>(config_.vocab) - kRecallMean;
  for (std::size_t i = 0; i < table.size(); ++i) table[i] -= static_cast<float>(mean[i % width]);
}

void Trainer::Update(double rate, double clip) {
  const AdamWOptions& adam = optimizer_.adam;
  const std::span<const float> gradient = gradient_.gradient(), rates = rates_;
  workers_.Run(matrices_.size(), [&](std::size_t i) {
    const llm::ParameterView& view = matrices_[i];
    const auto part = [&view](auto values) { return values.subspan(view.offset, view.size); };
    MuonUpdate(*optimizer_.muon, rate, adam.decay, clip, part(gradient), view.shape[0],
               view.shape[1], rates.empty() ? rates : part(rates),
               part(std::span<float>(state_.weights)),
               part(std::span<float>(state_.moments.first)));
  });
  for (const auto& [first, last] : others_) {
    ForChunks(workers_, last - first, [&](std::size_t begin, std::size_t end) {
      AdamWUpdate(adam, state_.step, clip, gradient, decays_, first + begin, first + end,
                  state_.weights, state_.moments);
    });
  }
  if (optimizer_.recall) HoldMeanEmbedding();
}

Loss Trainer::Evaluate(std::span<const Sequence> batch) {
  return gradient_.Evaluate(state_.weights, batch);
}

isa::Result<void> Trainer::Save(const std::string& path, std::string_view data) const {
  return SaveRun(path, Fingerprint(data), state_);
}

isa::Result<void> Trainer::Load(const std::string& path, std::string_view data) {
  TXVM_TRY(state_, LoadRun(path, Fingerprint(data), layout_.size));
  return {};
}

std::string Trainer::Fingerprint(std::string_view data) const {
  const std::string muon = optimizer_.muon ? ToText(*optimizer_.muon) : "";
  const std::string recall =
      optimizer_.recall ? fmt::format(" recall rate {}", optimizer_.recall->rate) : "";
  return fmt::format("{} seed {} {}{} prompts {}{} data {}", llm::ConfigToJson(config_, "float32"),
                     seed_, ToText(optimizer_.adam), muon, optimizer_.prompt_weight, recall, data);
}

std::vector<float> Rounded(std::span<const float> weights) {
  std::vector<float> rounded;
  rounded.reserve(weights.size());
  for (const float weight : weights) {
    rounded.push_back(llm::BfloatToFloat(llm::FloatToBfloat(weight)));
  }
  return rounded;
}

std::vector<float> AsWritten(const Layout& layout, std::span<const float> weights) {
  std::vector<float> written(weights.begin(), weights.end());
  for (const llm::ParameterView& view : layout.views) {
    if (!Decays(view)) continue;  // a norm
    std::ranges::copy(Rounded(weights.subspan(view.offset, view.size)),
                      written.begin() + static_cast<std::ptrdiff_t>(view.offset));
  }
  return written;
}

}  // namespace txvm::neural::train

#include "neural/train/trainer.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "neural/llm/element.h"

namespace txvm::neural::train {
namespace {

constexpr std::size_t kChunks = 64;  // of the weights, for sums and updates

std::size_t ChunkBegin(std::size_t chunk, std::size_t size) { return size * chunk / kChunks; }

}  // namespace

Trainer::Trainer(const llm::Config& config, const AdamWOptions& adam, std::uint64_t seed,
                 std::size_t threads)
    : config_(config),
      layout_(TrainingLayout(config)),
      adam_(adam),
      seed_(seed),
      workers_(std::max<std::size_t>(1, threads)),
      gradients_(kShards),
      shards_(kShards),
      decays_(layout_.size, 0),
      weights_(InitialWeights(config, layout_, seed)),
      moments_{std::vector<float>(layout_.size, 0), std::vector<float>(layout_.size, 0)} {
  for (std::size_t i = 0; i < kShards; ++i) passes_.emplace_back(config_, layout_);
  for (const llm::ParameterView& view : layout_.views) {
    if (Decays(view)) std::fill_n(&decays_[view.offset], view.size, std::uint8_t{1});
  }
}

void Trainer::Reduce() {
  workers_.Run(kChunks, [this](std::size_t chunk) {
    const std::size_t end = ChunkBegin(chunk + 1, layout_.size);
    for (std::size_t s = 1; s < kShards; ++s) {
      for (std::size_t i = ChunkBegin(chunk, layout_.size); i < end; ++i) {
        gradients_[0][i] += gradients_[s][i];
      }
    }
  });
}

double Trainer::GradientNorm() {
  std::vector<double> squares(kChunks, 0);
  workers_.Run(kChunks, [&](std::size_t chunk) {
    double sum = 0;
    for (std::size_t i = ChunkBegin(chunk, layout_.size); i < ChunkBegin(chunk + 1, layout_.size);
         ++i) {
      sum += static_cast<double>(gradients_[0][i]) * static_cast<double>(gradients_[0][i]);
    }
    squares[chunk] = sum;
  });
  double total = 0;
  for (const double sum : squares) total += sum;
  return std::sqrt(total);
}

StepReport Trainer::Step(std::span<const Sequence> batch) {
  for (std::vector<Sequence>& shard : shards_) shard.clear();
  std::uint64_t counted = 0;
  for (std::size_t i = 0; i < batch.size(); ++i) {
    shards_[i % kShards].push_back(batch[i]);
    counted += batch[i].tokens.size() - batch[i].prompt;
  }
  const double scale = 1 / static_cast<double>(counted);
  std::vector<Loss> losses(kShards);
  workers_.Run(kShards, [&](std::size_t s) {
    gradients_[s].assign(layout_.size, 0);
    losses[s] = passes_[s].Run(weights_, shards_[s], scale, gradients_[s]);
  });
  Reduce();
  StepReport report;
  for (const Loss& loss : losses) report.loss += loss;
  report.norm = GradientNorm();
  report.rate = RateAt(adam_, step_);
  const double clip = ClipScale(adam_, report.norm);
  workers_.Run(kChunks, [&](std::size_t chunk) {
    AdamWUpdate(adam_, step_, clip, gradients_[0], decays_, ChunkBegin(chunk, layout_.size),
                ChunkBegin(chunk + 1, layout_.size), weights_, moments_);
  });
  ++step_;
  return report;
}

Loss Trainer::Evaluate(std::span<const Sequence> batch) {
  std::vector<Loss> losses(kShards);
  workers_.Run(kShards, [&](std::size_t s) {
    std::vector<Sequence> shard;
    for (std::size_t i = s; i < batch.size(); i += kShards) shard.push_back(batch[i]);
    losses[s] = passes_[s].Run(weights_, shard, 1, {});
  });
  Loss total;
  for (const Loss& loss : losses) total += loss;
  return total;
}

std::string Trainer::Fingerprint() const {
  return fmt::format(
      "{} seed {} rate {} {} warmup {} steps {} betas {} {} epsilon {} decay {} clip {}",
      llm::ConfigToJson(config_, "float32"), seed_, adam_.rate, adam_.final_rate, adam_.warmup,
      adam_.steps, adam_.beta1, adam_.beta2, adam_.epsilon, adam_.decay, adam_.clip);
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

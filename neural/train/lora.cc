#include "neural/train/lora.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "isa/support/sha256.h"
#include "neural/train/random.h"
#include "vm/tensor/sgemm.h"

namespace txvm::neural::train {
namespace {

using vm::Plain;
using vm::Sgemm;
using vm::Transposed;

// Names on the command line, and in the file.
constexpr std::pair<std::string_view, std::string_view> kProjections[] = {
    {"q", "self_attn.q_proj"}, {"k", "self_attn.k_proj"}, {"v", "self_attn.v_proj"},
    {"o", "self_attn.o_proj"}, {"gate", "mlp.gate_proj"}, {"up", "mlp.up_proj"},
    {"down", "mlp.down_proj"}};

isa::Result<void> CheckOptions(const LoraOptions& options) {
  if (options.rank == 0)
    return isa::Fail(isa::ErrorCode::kUsage, "an adapter's rank is at least 1");
  if (options.projections.empty()) {
    return isa::Fail(isa::ErrorCode::kUsage, "an adapter needs at least one projection");
  }
  for (const std::string& name : options.projections) {
    if (std::ranges::find(kProjections, name, [](const auto& row) { return row.first; }) !=
        std::end(kProjections)) {
      continue;
    }
    return isa::Fail(
        isa::ErrorCode::kUsage,
        fmt::format("there is no projection '{}': q, k, v, o, gate, up or down", name));
  }
  return {};
}

}  // namespace

isa::Result<LoraLayout> LoraLayoutOf(const Layout& layout, const LoraOptions& options) {
  TXVM_CHECK_OK(CheckOptions(options));
  LoraLayout lora;
  lora.rank = options.rank;
  lora.scale = static_cast<float>(options.alpha / static_cast<double>(options.rank));
  for (const llm::ParameterView& view : layout.views) {
    for (const auto& [name, part] : kProjections) {
      if (!view.name.ends_with(fmt::format(".{}.weight", part))) continue;
      if (std::ranges::find(options.projections, name) == options.projections.end()) continue;
      LoraPair pair{view.name, view.offset, view.shape[0], view.shape[1], lora.size, 0};
      pair.b = pair.a + lora.rank * pair.cols;
      lora.size = pair.b + pair.rows * lora.rank;
      lora.pairs.push_back(std::move(pair));
    }
  }
  return lora;
}

std::vector<float> InitialFactors(const LoraLayout& lora, std::uint64_t seed) {
  std::vector<float> factors(lora.size, 0);
  Random random(seed);
  for (const LoraPair& pair : lora.pairs) {
    const double deviation = 1 / std::sqrt(static_cast<double>(pair.cols));
    for (std::size_t i = pair.a; i < pair.b; ++i) {
      factors[i] = static_cast<float>(random.Normal() * deviation);
    }
  }
  return factors;
}

void MergePair(const LoraLayout& lora, const LoraPair& pair, std::span<const float> base,
               std::span<const float> factors, std::span<float> weights) {
  const auto b = factors.subspan(pair.b, pair.rows * lora.rank);
  std::vector<float> scaled(b.begin(), b.end());
  for (float& value : scaled) value *= lora.scale;
  std::ranges::copy(base.subspan(pair.at, pair.rows * pair.cols), &weights[pair.at]);
  Sgemm(Plain(scaled.data(), lora.rank), Plain(&factors[pair.a], pair.cols), &weights[pair.at],
        pair.cols, pair.rows, pair.cols, lora.rank, true);
}

void PairGradient(const LoraLayout& lora, const LoraPair& pair, std::span<const float> gradient,
                  std::span<const float> factors, std::span<float> factor_gradient) {
  const float* d_w = &gradient[pair.at];
  Sgemm(Transposed(&factors[pair.b], lora.rank), Plain(d_w, pair.cols), &factor_gradient[pair.a],
        pair.cols, lora.rank, pair.cols, pair.rows, false);
  Sgemm(Plain(d_w, pair.cols), Transposed(&factors[pair.a], pair.cols), &factor_gradient[pair.b],
        lora.rank, pair.rows, lora.rank, pair.cols, false);
  const std::size_t count = (pair.rows + pair.cols) * lora.rank;
  for (float& value : factor_gradient.subspan(pair.a, count)) value *= lora.scale;
}

llm::Adapter AdapterOf(const LoraLayout& lora, std::span<const float> factors) {
  llm::Adapter adapter;
  for (const LoraPair& pair : lora.pairs) {
    const auto a = factors.subspan(pair.a, lora.rank * pair.cols);
    const auto b = factors.subspan(pair.b, pair.rows * lora.rank);
    adapter.deltas[pair.weight] = {
        lora.rank, lora.scale, {a.begin(), a.end()}, {b.begin(), b.end()}};
  }
  return adapter;
}

LoraTrainer::LoraTrainer(const llm::Config& config, std::span<const float> base,
                         const LoraLayout& lora, const DualLoss& loss, const AdamWOptions& adam,
                         std::uint64_t seed, std::size_t threads)
    : config_(config),
      layout_(TrainingLayout(config)),
      lora_(lora),
      loss_(loss),
      adam_(adam),
      seed_(seed),
      workers_(std::max<std::size_t>(1, threads)),
      gradient_(config_, layout_, workers_),
      base_(base.begin(), base.end()),
      weights_(base_),
      decays_(lora.size, 0),
      state_{InitialFactors(lora, seed),
             {std::vector<float>(lora.size, 0), std::vector<float>(lora.size, 0)},
             0} {
  TXVM_ASSERT(base_.size() == layout_.size && loss_.layer < config_.layers);
  Merge();
}

void LoraTrainer::Merge() {
  workers_.Run(lora_.pairs.size(), [this](std::size_t i) {
    MergePair(lora_, lora_.pairs[i], base_, state_.weights, weights_);
  });
}

StepReport LoraTrainer::Step(std::span<const Sequence> batch) {
  const auto labelled = std::ranges::count_if(
      batch, [](const Sequence& sequence) { return sequence.lens.has_value(); });
  LossScales scales{(1 - loss_.lens) / static_cast<double>(CountedTokens(batch)), 0, std::nullopt};
  if (labelled > 0 && loss_.lens > 0) {
    scales.lens = {loss_.layer, loss_.lens / static_cast<double>(labelled)};
  }
  StepReport report;
  report.loss = gradient_.RunFactors(weights_, batch, scales, lora_, state_.weights);
  report.norm = NormOf(workers_, gradient_.gradient());
  report.rate = RateAt(adam_, state_.step);
  const double clip = ClipScale(adam_, report.norm);
  ForChunks(workers_, lora_.size, [&](std::size_t begin, std::size_t end) {
    AdamWUpdate(adam_, state_.step, clip, gradient_.gradient(), decays_, begin, end, state_.weights,
                state_.moments);
  });
  ++state_.step;
  Merge();
  return report;
}

Loss LoraTrainer::Evaluate(std::span<const Sequence> batch) {
  return gradient_.Evaluate(weights_, batch, LensTerm{loss_.layer, 1});
}

isa::Result<void> LoraTrainer::Save(const std::string& path, std::string_view data) const {
  return SaveRun(path, Fingerprint(data), state_);
}

isa::Result<void> LoraTrainer::Load(const std::string& path, std::string_view data) {
  TXVM_TRY(state_, LoadRun(path, Fingerprint(data), lora_.size));
  Merge();
  return {};
}

std::string LoraTrainer::Fingerprint(std::string_view data) const {
  std::string targets;
  for (const LoraPair& pair : lora_.pairs) targets += " " + pair.weight;
  const std::string base = isa::Sha256(
      {reinterpret_cast<const std::uint8_t*>(base_.data()), base_.size() * sizeof(float)});
  return fmt::format(
      "{} base {} rank {} scale {} of{} layer {} lens {} seed {} {} "
      "data {}",
      llm::ConfigToJson(config_, "float32"), base, lora_.rank, lora_.scale, targets, loss_.layer,
      loss_.lens, seed_, ToText(adam_), data);
}

}  // namespace txvm::neural::train

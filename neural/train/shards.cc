#include "neural/train/shards.h"

#include <cmath>

namespace txvm::neural::train {
namespace {

constexpr std::size_t kChunks = 64;  // of an array, for sums and updates

std::size_t ChunkBegin(std::size_t chunk, std::size_t size) { return size * chunk / kChunks; }

// Sequence i goes to shard i modulo kShards.
std::vector<std::vector<Sequence>> Deal(std::span<const Sequence> batch) {
  std::vector<std::vector<Sequence>> shards(kShards);
  for (std::size_t i = 0; i < batch.size(); ++i) shards[i % kShards].push_back(batch[i]);
  return shards;
}

Loss Sum(std::span<const Loss> losses) {
  Loss total;
  for (const Loss& loss : losses) total += loss;
  return total;
}

}  // namespace

void ForChunks(llm::Workers& workers, std::size_t size,
               const std::function<void(std::size_t, std::size_t)>& work) {
  workers.Run(kChunks, [&](std::size_t chunk) {
    work(ChunkBegin(chunk, size), ChunkBegin(chunk + 1, size));
  });
}

double NormOf(llm::Workers& workers, std::span<const float> values) {
  std::vector<double> squares(kChunks, 0);
  workers.Run(kChunks, [&](std::size_t chunk) {
    double sum = 0;
    const std::size_t end = ChunkBegin(chunk + 1, values.size());
    for (std::size_t i = ChunkBegin(chunk, values.size()); i < end; ++i) {
      sum += static_cast<double>(values[i]) * static_cast<double>(values[i]);
    }
    squares[chunk] = sum;
  });
  double total = 0;
  for (const double sum : squares) total += sum;
  return std::sqrt(total);
}

ShardedGradient::ShardedGradient(const llm::Config& config, const Layout& layout,
                                 llm::Workers& workers)
    : layout_(layout), workers_(workers), gradients_(kShards) {
  for (std::size_t i = 0; i < kShards; ++i) passes_.emplace_back(config, layout);
}

Loss ShardedGradient::RunShards(std::span<const Sequence> batch, std::size_t size,
                                const Pass& pass) {
  const std::vector<std::vector<Sequence>> shards = Deal(batch);
  std::vector<Loss> losses(kShards);
  workers_.Run(kShards, [&](std::size_t s) {
    gradients_[s].assign(size, 0);
    losses[s] = pass(passes_[s], shards[s], gradients_[s]);
  });
  ForChunks(workers_, size, [this](std::size_t begin, std::size_t end) {
    for (std::size_t s = 1; s < kShards; ++s) {
      for (std::size_t i = begin; i < end; ++i) gradients_[0][i] += gradients_[s][i];
    }
  });
  return Sum(losses);
}

Loss ShardedGradient::Run(std::span<const float> weights, std::span<const Sequence> batch,
                          const LossScales& scales) {
  return RunShards(
      batch, layout_.size,
      [&](LlamaGradient& passes, std::span<const Sequence> shard, std::span<float> gradient) {
        return passes.Run(weights, shard, scales, gradient);
      });
}

Loss ShardedGradient::RunFactors(std::span<const float> weights, std::span<const Sequence> batch,
                                 const LossScales& scales, const LoraLayout& lora,
                                 std::span<const float> factors) {
  return RunShards(
      batch, lora.size,
      [&](LlamaGradient& passes, std::span<const Sequence> shard, std::span<float> gradient) {
        return passes.RunFactors(weights, shard, scales, lora, factors, gradient);
      });
}

Loss ShardedGradient::Evaluate(std::span<const float> weights, std::span<const Sequence> batch,
                               const std::optional<LensTerm>& lens) {
  const std::vector<std::vector<Sequence>> shards = Deal(batch);
  std::vector<Loss> losses(kShards);
  workers_.Run(kShards, [&](std::size_t s) {
    losses[s] = passes_[s].Run(weights, shards[s], {1, 0, lens}, {});
  });
  return Sum(losses);
}

}  // namespace txvm::neural::train

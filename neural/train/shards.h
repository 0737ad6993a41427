// Gradients of batches on any number of threads, with the same bits: a batch is cut into shards
// whose gradients are summed in order.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "neural/llm/config.h"
#include "neural/llm/workers.h"
#include "neural/train/llama.h"

namespace txvm::neural::train {

/// A batch is cut into this many shards, whatever the number of threads: more of them serve no
/// further thread than as many, and cost a gradient each.
inline constexpr std::size_t kShards = 4;

/// Calls work(begin, end) for ranges that cover [0, size), on all workers. The ranges depend on
/// `size` alone.
void ForChunks(llm::Workers& workers, std::size_t size,
               const std::function<void(std::size_t begin, std::size_t end)>& work);

/// Square root of the sum of squares, the same for any number of workers.
double NormOf(llm::Workers& workers, std::span<const float> values);

/// Not thread-safe. Memory: kShards times the gradient and the activations of a shard.
class ShardedGradient {
 public:
  /// REQUIRES: as LlamaGradient; all three outlive this.
  ShardedGradient(const llm::Config& config, const Layout& layout, llm::Workers& workers);

  /// Loss of the batch under weights (layout.size,); its gradient is then in gradient().
  Loss Run(std::span<const float> weights, std::span<const Sequence> batch,
           const LossScales& scales);
  /// The same for low-rank factors, (lora.size,), which `weights` have merged; gradient() is then
  /// theirs alone.
  Loss RunFactors(std::span<const float> weights, std::span<const Sequence> batch,
                  const LossScales& scales, const LoraLayout& lora, std::span<const float> factors);
  /// Loss alone.
  Loss Evaluate(std::span<const float> weights, std::span<const Sequence> batch,
                const std::optional<LensTerm>& lens = std::nullopt);

  /// Of the last run: (layout.size,), or (lora.size,).
  std::span<const float> gradient() const { return gradients_.front(); }

 private:
  using Pass = std::function<Loss(LlamaGradient& passes, std::span<const Sequence> shard,
                                  std::span<float> gradient)>;
  Loss RunShards(std::span<const Sequence> batch, std::size_t size, const Pass& pass);

  const Layout& layout_;
  llm::Workers& workers_;
  std::vector<LlamaGradient> passes_;          // (kShards,)
  std::vector<std::vector<float>> gradients_;  // (kShards, size); the sum ends in [0]
};

}  // namespace txvm::neural::train

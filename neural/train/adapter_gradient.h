// A frozen llama-architecture model forward and backward, for the gradient of its low-rank factors
// alone. The weights stay in the type of their file.
//
// SHAPES  A batch packs sequences one after the other and pads the rows with zeros to a multiple of
//         kRowBlock: T rows in all. Activations are (T, width), attention weights (heads, L, L) for
//         each sequence of L tokens, queries, keys and values side by side.
// FACT    What a block keeps for the way back takes some 1.3 kB a token and unit of width. Where
//         that is more than `memory` for all blocks, each keeps its input alone and is computed
//         again on the way back, which gives the same bits and costs half as much again.
// Goals: gradients that central differences confirm (in Precision::kFloat), the same bits on any
// number of threads. Non-goals: gradients of weights (llama.h), prompts' tokens as targets.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "neural/llm/model.h"
#include "neural/llm/workers.h"
#include "neural/train/llama.h"
#include "neural/train/low_rank.h"
#include "neural/train/projection_group.h"

namespace txvm::neural::train {

/// Not thread-safe; shares its work among the workers.
class AdapterGradient {
 public:
  static constexpr std::size_t kMemory = std::size_t{3} << 29;  // 1.5 GiB

  /// `lora` is of TrainingLayout(model.config). `model`, `lora` and `workers` outlive this.
  AdapterGradient(const llm::Model& model, const LoraLayout& lora, Precision precision,
                  llm::Workers& workers, std::size_t memory = kMemory);

  /// Loss of the batch under the factors (lora.size,). factor_gradient (lora.size,) or empty: the
  /// gradient of what `scales` says is added to it. REQUIRES: scales.prompt is 0; sequences as
  /// Sequence says. Cost: 4 flops a weight and token with a gradient, 6 where blocks are computed
  /// again, 2 without one.
  Loss Run(std::span<const Sequence> batch, const LossScales& scales,
           std::span<const float> factors, std::span<float> factor_gradient);

 private:
  enum Group : std::uint8_t { kAttention, kOutput, kGateUp, kDown, kGroups };

  struct Block {  // what the way back needs of a block
    std::vector<float> in, in_scale, normed, qkv, attention, mixed;
    std::vector<float> middle, middle_scale, middle_normed, gate_up, sigmoid, product;
    std::vector<float> t[kGroups];
  };

  /// Rows of the residual that the head reads, and what it is to predict there.
  struct Targets {
    std::vector<std::size_t> rows;
    std::vector<std::size_t> tokens;
  };

  void Pack(std::span<const Sequence> batch, const LossScales& scales);
  void Embed();
  const ProjectionGroup& At(std::size_t layer, Group group) const {
    return groups_[layer * kGroups + group];
  }
  void Project(std::size_t layer, Group group, const std::vector<float>& x, Block& block,
               std::vector<float>& y);
  void ProjectBack(std::size_t layer, Group group, const std::vector<float>& dy,
                   const std::vector<float>& x, const Block& block, std::vector<float>& dx,
                   std::span<float> factor_gradient);
  /// x_ becomes what the block leaves.
  void ForwardBlock(std::size_t layer, Block& block);
  void BackwardBlock(std::size_t layer, Block& block, std::span<float> factor_gradient);
  void Attend(Block& block);
  void AttendBack(const Block& block);
  void Rotate(std::vector<float>& qkv, float direction);
  void Norm(const std::vector<float>& x, const std::vector<float>& weight,
            std::vector<float>& normed, std::vector<float>& scale);
  /// Adds the gradient of Norm's input to dx_.
  void NormBack(const std::vector<float>& d_normed, const std::vector<float>& x,
                const std::vector<float>& weight, const std::vector<float>& scale);
  /// Loss of the targets under the head on rows of x_. d_rows_ (targets, hidden) becomes `scale`
  /// times its gradient, where one is wanted.
  void Head(const Targets& targets, float scale, bool backward, double& nats, std::uint64_t& right);
  void AddRows(const Targets& targets, const std::vector<float>& d_rows);
  template <class Work>
  void ForRows(const Work& work);

  const llm::Model& model_;
  const LoraLayout& lora_;
  Precision precision_;
  llm::Workers& workers_;
  std::size_t memory_;
  std::vector<ProjectionGroup> groups_;  // (layers, kGroups)
  ProjectionGroup::Room rooms_[kGroups];
  std::span<const float> factors_;       // of the run
  std::vector<float> cos_, sin_;         // (positions met so far, head_dim / 2)
  std::vector<std::size_t> starts_;      // the first row of each sequence, and how many in all
  std::vector<std::size_t> weights_at_;  // where each sequence's attention weights begin
  std::vector<std::uint32_t> position_;  // of each row
  std::vector<llm::Token> tokens_;
  std::size_t rows_ = 0;  // padded
  Targets output_, lens_;
  std::vector<Block> blocks_;
  Block again_;
  std::vector<float> x_, dx_, wide_, d_normed_, d_qkv_, d_mixed_, d_gate_up_;
  std::vector<float> d_rows_, d_lens_, logits_;
};

}  // namespace txvm::neural::train

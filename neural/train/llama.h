// The llama block forward and backward: what training adds to neural/llm's forward-only engine.
//
// SHAPES  A shard packs sequences one after the other: T rows in all. Activations are (T, width),
//         attention weights (heads, L, L) for each sequence of L tokens.
// FACT    After the last block only the rows whose prediction counts, the last C of each sequence
//         (all, where prompts count too), are read. Of the others it therefore needs keys and
//         values alone: its queries, its feed-forward part and all after it are (C rows of each
//         sequence, width), its attention weights (heads, C, L), at the front of room for (heads,
//         L, L). This omits only what has no effect on a loss or gradient.
// Goals: gradients that central differences confirm, the same bits on any number of threads (a
// shard is one thread's work). Non-goals: mixed precision, sequences longer than memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "neural/llm/config.h"
#include "neural/train/layout.h"
#include "neural/train/low_rank.h"

namespace txvm::neural::train {

/// One sequence to learn. The loss counts the tokens from `prompt` on, each predicted from all
/// before it; those of the prompt only as LossScales says. 1 <= prompt < tokens.size() <=
/// config.positions.
struct Sequence {
  std::vector<llm::Token> tokens;
  std::size_t prompt = 1;
  std::optional<llm::Token> lens = std::nullopt;  // see LensTerm; none: no such term
};

/// A second loss: the final norm and the head, applied to the residual stream after block `layer`
/// at the prompt's last token, are to predict Sequence::lens. `scale` is to its nats what Run's
/// scale is to the others.
struct LensTerm {
  std::size_t layer = 0;  // from 0, below config.layers
  double scale = 1;
};

/// What the gradient is of: output * nats + prompt * prompt nats + lens->scale * lens nats.
struct LossScales {
  double output = 1;
  double prompt = 0;  // 0: a prompt's own tokens are not predicted, which costs less
  std::optional<LensTerm> lens = std::nullopt;  // none: labels are ignored
};

/// What a pass over a shard says.
struct Loss {
  double nats = 0;           // sum over the counted tokens
  std::uint64_t tokens = 0;  // counted
  std::uint64_t right = 0;   // of them predicted by the largest logit
  double prompt_nats = 0;    // over the prompts' tokens but the first; 0 where they do not count
  double lens_nats = 0;      // the same of the lens; all 0 without a LensTerm
  std::uint64_t lens_items = 0;
  std::uint64_t lens_right = 0;

  Loss& operator+=(const Loss& other) {
    nats += other.nats;
    tokens += other.tokens;
    right += other.right;
    prompt_nats += other.prompt_nats;
    lens_nats += other.lens_nats;
    lens_items += other.lens_items;
    lens_right += other.lens_right;
    return *this;
  }
};

/// Forward and backward passes over shards, with room that is reused. Not thread-safe; one a
/// thread.
class LlamaGradient {
 public:
  /// REQUIRES: as TrainingLayout; both outlive this.
  LlamaGradient(const llm::Config& config, const Layout& layout);

  /// Loss of the sequences under weights (layout.size,). gradient (layout.size,) or empty: that of
  /// what `scales` says is added to it. Without a lens term labels change no bit. Cost 6 flops a
  /// weight and row with a gradient, 2 without.
  Loss Run(std::span<const float> weights, std::span<const Sequence> shard,
           const LossScales& scales, std::span<float> gradient);

  /// The same for low-rank factors alone, which `weights` have merged: the gradient of factors
  /// (lora.size,) is added to factor_gradient (lora.size,), nothing else gets one. Cost 4 flops a
  /// weight and row.
  Loss RunFactors(std::span<const float> weights, std::span<const Sequence> shard,
                  const LossScales& scales, const LoraLayout& lora, std::span<const float> factors,
                  std::span<float> factor_gradient);

 private:
  /// Rows that something is computed for: the last ones of each sequence.
  struct Rows {
    std::vector<std::size_t> starts;      // the first of each sequence, and how many in all
    std::vector<std::uint32_t> position;  // in its sequence, one a row

    void Clear();
    void Add(std::size_t first, std::size_t length);
    std::size_t count() const { return position.size(); }
  };

  struct Block {  // what the backward pass needs of a block
    std::vector<float> in, in_scale, normed, asking, q, k, v, attention, mixed;
    std::vector<float> middle, middle_scale, middle_normed, gate, up, sigmoid, product;
  };

  /// Where gradients go: to all weights, or to low-rank factors; nowhere if all are null.
  struct Sink {
    float* weights = nullptr;  // (layout.size,)
    const LoraLayout* lora = nullptr;
    const float* factors = nullptr;    // (lora->size,)
    float* factor_gradient = nullptr;  // (lora->size,)

    bool wanted() const { return weights != nullptr || factor_gradient != nullptr; }
  };

  Loss RunInto(std::span<const float> weights, std::span<const Sequence> shard,
               const LossScales& scales, const Sink& sink);
  /// y = x * w^T backward, w (out, in) at `at`: dx (+)= dy * w, and w's gradient to the sink.
  void ProjectBack(const float* weights, std::size_t at, const std::vector<float>& dy,
                   const std::vector<float>& x, std::size_t rows, std::size_t in, std::size_t out,
                   bool add, float* dx, const Sink& sink);
  /// Where the gradient of the norm at `at` is added.
  float* NormSink(std::size_t at, const Sink& sink);
  void Pack(std::span<const Sequence> shard, bool with_prompts);
  /// The cosines and sines of at least so many positions.
  void KnowRotations(std::size_t positions);
  void Forward(const float* weights);
  void ForwardBlock(const float* weights, const BlockLayout& at, Block& block);
  void Attend(Block& block);
  /// The rows that have queries in the block.
  const Rows& Queries(const Block& block) const { return IsLast(block) ? counted_ : all_; }
  bool IsLast(const Block& block) const { return &block == &blocks_.back(); }
  /// The normed rows that a block's queries are made of.
  const std::vector<float>& Asking(const Block& block) const {
    return IsLast(block) ? block.asking : block.normed;
  }
  /// to (counted, hidden) = the counted ones of the rows `from` (T, hidden), and the reverse: adds
  /// `from` (counted, hidden) to those of `to`.
  void PickCounted(const std::vector<float>& from, std::vector<float>& to) const;
  void AddCounted(const std::vector<float>& from, std::vector<float>& to) const;
  Loss Score(const float* weights, std::span<const Sequence> shard, const LossScales& scales,
             const Sink& sink);
  void ScoreLens(const float* weights, std::span<const Sequence> shard, const LensTerm& lens,
                 const Sink& sink, Loss& loss);
  void Backward(const float* weights, const std::optional<LensTerm>& lens, const Sink& sink);
  void BackwardFeedForward(const float* weights, const BlockLayout& at, Block& block,
                           const Sink& sink);
  void BackwardAttention(const float* weights, const BlockLayout& at, Block& block,
                         const Sink& sink);
  void BackwardHeads(Block& block);
  void Rotate(std::vector<float>& values, const Rows& rows, std::size_t heads,
              float direction) const;

  const llm::Config& config_;
  const Layout& layout_;
  std::vector<double> angles_;           // (head_dim / 2,), of a step
  std::vector<float> cos_, sin_;         // (positions met so far, head_dim / 2)
  std::vector<std::size_t> weights_at_;  // where each sequence's attention weights begin
  std::vector<llm::Token> tokens_;       // (T,)
  Rows all_, counted_;                   // T rows; those whose prediction counts
  std::vector<Block> blocks_;
  std::vector<float> x_, x_scale_, final_;  // residual and its final norm
  std::vector<float> logits_;               // (counted, vocab)
  std::vector<float> picked_;               // (counted, hidden)
  std::vector<std::size_t> lens_rows_;      // rows that the lens reads, of its block's
  std::vector<float> d_lens_;               // (lens rows, hidden), of the residual
  std::vector<float> unused_, narrow_;      // of ProjectBack and NormSink
  std::vector<float> dx_, d_normed_, d_wide_, d_gate_, d_up_, dq_, dk_, dv_, d_mixed_, scores_;
};

}  // namespace txvm::neural::train

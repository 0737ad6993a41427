// One sequence being read and continued by a model.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "isa/support/result.h"
#include "neural/llm/kv_cache.h"
#include "neural/llm/model.h"
#include "neural/llm/workers.h"

namespace txvm::neural::llm {

/// Called after each block with its number, the position of the first row and the residual stream
/// (tokens, hidden).
using LayerObserver =
    std::function<void(std::size_t layer, std::size_t position, std::span<const float> hidden)>;

/// Not thread-safe; any number of contexts may share a model, one at a time a set of workers.
///
/// With Gemm::kOwn the logits of a sequence are the same bits however it is cut into Feed calls,
/// whether its beginning comes from a shared cache, and for any number of workers.
class Context {
 public:
  Context(std::shared_ptr<const Model> model, Workers& workers, Gemm gemm = Gemm::kOwn);

  /// Reads the tokens after what has been read. kInvalid: none, one outside the vocabulary;
  /// kLimit: a sequence longer than the model's positions. An error changes nothing.
  isa::Result<void> Feed(std::span<const Token> tokens);
  /// The same, and the logits of every one of these tokens: (tokens, vocab).
  isa::Result<std::vector<float>> FeedForAll(std::span<const Token> tokens);

  /// Scores of each token as the next one, (vocab,); of the last Feed. Empty before it and after
  /// Truncate and Continue.
  std::span<const float> logits() const { return logits_; }

  const std::vector<Token>& tokens() const { return tokens_; }
  const Model& model() const { return *model_; }
  Workers& workers() const { return *workers_; }
  Gemm gemm() const { return gemm_; }
  /// Forgets the tokens from `size` on; size <= tokens().size().
  void Truncate(std::size_t size);
  /// A second sequence that shares what has been read so far.
  Context Fork() const { return *this; }
  /// The same, computed by other workers; those of this context need not exist any more.
  Context Fork(Workers& workers) const;

  void Observe(LayerObserver observer) { observer_ = std::move(observer); }
  /// What the final norm and the head make of a residual row (hidden,): its logits (vocab,).
  std::vector<float> Lens(std::span<const float> hidden) const;

 private:
  struct Batch;
  isa::Result<void> Check(std::span<const Token> tokens) const;
  void RunBatch(std::span<const Token> tokens);
  void RunLayer(std::size_t index, Batch& batch);
  void Attend(std::size_t index, Batch& batch);
  void Rotate(float* rows, std::size_t heads, const Batch& batch) const;

  std::shared_ptr<const Model> model_;
  Workers* workers_;
  Gemm gemm_;
  KvCache cache_;
  std::vector<Token> tokens_;
  std::vector<float> hidden_;  // (tokens of the last batch, hidden), after the last block
  std::vector<float> logits_;
  LayerObserver observer_;
};

/// Prompts read before, most recently used first: a context for a new prompt starts from the one
/// that shares the longest beginning.
class PrefixCache {
 public:
  /// Remembers `most` contexts, 0 for none.
  explicit PrefixCache(std::size_t most = 8) : most_(most) {}

  /// A context of this model on `workers` that has read the longest beginning of `tokens` known to
  /// have been read with the same `gemm`, at most all but the last of them (whose logits are
  /// wanted); a fresh one when none is known.
  Context Start(std::shared_ptr<const Model> model, Workers& workers, std::span<const Token> tokens,
                Gemm gemm = Gemm::kOwn);
  /// Remembers what this context has read; its workers are not used again.
  void Remember(const Context& context);

 private:
  std::size_t most_;
  std::vector<Context> known_;
};

}  // namespace txvm::neural::llm

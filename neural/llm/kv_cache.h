// Keys and values of the positions seen so far, in blocks that sequences share.
//
// Goals: a copy costs one pointer a block, so a prompt is computed once and continued many times.
// Non-goals: storage narrower than float.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "neural/llm/config.h"

namespace txvm::neural::llm {

inline constexpr std::size_t kKvBlock = 32;  // positions

/// The cache of one sequence. A copy shares the blocks; whoever writes first copies the block.
class KvCache {
 public:
  explicit KvCache(const Config& config);

  std::size_t size() const { return size_; }  // positions
  /// Makes room for `count` more positions after the last and counts them as there.
  void Grow(std::size_t count);
  /// Forgets the positions from `size` on; size <= size().
  void Truncate(std::size_t size);

  /// Keys or values of a layer at a position: (kv_rows,), contiguous with those of the other
  /// positions of the same block, kv_rows apart.
  const float* Key(std::size_t layer, std::size_t position) const;
  const float* Value(std::size_t layer, std::size_t position) const;
  /// The same to write to, at a position made by the last Grow.
  float* MutableKey(std::size_t layer, std::size_t position);
  float* MutableValue(std::size_t layer, std::size_t position);

  /// Blocks this cache shares with another, and all of them.
  std::size_t shared_blocks() const;
  std::size_t blocks() const { return blocks_.size(); }

 private:
  using Block = std::vector<float>;  // (layers, 2, kKvBlock, kv_rows)
  std::size_t Offset(std::size_t layer, std::size_t which, std::size_t position) const;

  std::size_t layers_, width_;
  std::size_t size_ = 0;
  std::vector<std::shared_ptr<Block>> blocks_;
};

}  // namespace txvm::neural::llm

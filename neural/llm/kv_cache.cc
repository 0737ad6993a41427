#include "neural/llm/kv_cache.h"

#include <algorithm>

#include "isa/support/result.h"

namespace txvm::neural::llm {

KvCache::KvCache(const Config& config) : layers_(config.layers), width_(config.kv_rows()) {}

void KvCache::Grow(std::size_t count) {
  if (count == 0) return;
  // Only the block the next position falls into can be shared and still be written.
  if (size_ % kKvBlock != 0 && blocks_.back().use_count() > 1) {
    blocks_.back() = std::make_shared<Block>(*blocks_.back());
  }
  size_ += count;
  while (blocks_.size() * kKvBlock < size_) {
    blocks_.push_back(std::make_shared<Block>(layers_ * 2 * kKvBlock * width_));
  }
}

void KvCache::Truncate(std::size_t size) {
  TXVM_ASSERT(size <= size_);
  size_ = size;
  blocks_.resize((size + kKvBlock - 1) / kKvBlock);
}

std::size_t KvCache::Offset(std::size_t layer, std::size_t which, std::size_t position) const {
  return ((layer * 2 + which) * kKvBlock + position % kKvBlock) * width_;
}
const float* KvCache::Key(std::size_t layer, std::size_t position) const {
  return blocks_[position / kKvBlock]->data() + Offset(layer, 0, position);
}
const float* KvCache::Value(std::size_t layer, std::size_t position) const {
  return blocks_[position / kKvBlock]->data() + Offset(layer, 1, position);
}
float* KvCache::MutableKey(std::size_t layer, std::size_t position) {
  return blocks_[position / kKvBlock]->data() + Offset(layer, 0, position);
}
float* KvCache::MutableValue(std::size_t layer, std::size_t position) {
  return blocks_[position / kKvBlock]->data() + Offset(layer, 1, position);
}

std::size_t KvCache::shared_blocks() const {
  return static_cast<std::size_t>(
      std::ranges::count_if(blocks_, [](const auto& block) { return block.use_count() > 1; }));
}

}  // namespace txvm::neural::llm

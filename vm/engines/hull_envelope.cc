#include "vm/engines/hull_envelope.h"

#include <algorithm>

namespace txvm::vm {

void Envelope::Clear() {
  blocks_.clear();
  firsts_.clear();
  size_ = 0;
  last_block_ = 0;
}

// The last block whose first address is not above `address`, or block 0. REQUIRES: not empty.
std::size_t Envelope::BlockOf(std::int64_t address) const {
  const std::size_t hint = last_block_;
  if (hint < firsts_.size() && firsts_[hint] <= address &&
      (hint + 1 == firsts_.size() || firsts_[hint + 1] > address)) {
    return hint;
  }
  const auto after = std::upper_bound(firsts_.begin(), firsts_.end(), address);
  return after == firsts_.begin() ? 0 : static_cast<std::size_t>(after - firsts_.begin()) - 1;
}

void Envelope::Insert(std::int64_t address, std::uint64_t token) {
  if (blocks_.empty()) {
    blocks_.emplace_back();
    firsts_.push_back(address);
  }
  const std::size_t index = BlockOf(address);
  Block& block = blocks_[index];
  const auto place = std::lower_bound(block.address.begin(), block.address.end(), address);
  const std::ptrdiff_t offset = place - block.address.begin();
  if (place != block.address.end() && *place == address) {
    block.token[static_cast<std::size_t>(offset)] = token;
    return;
  }
  block.address.insert(place, address);
  block.token.insert(block.token.begin() + offset, token);
  firsts_[index] = block.address.front();
  ++size_;
  if (block.address.size() > kBlock) Split(index);
}

// A block filled from below, as stacks fill, keeps its lower part full.
void Envelope::Split(std::size_t index) {
  Block upper;
  Block& lower = blocks_[index];
  const std::ptrdiff_t keep = kBlock * 3 / 4;
  upper.address.assign(lower.address.begin() + keep, lower.address.end());
  upper.token.assign(lower.token.begin() + keep, lower.token.end());
  lower.address.resize(static_cast<std::size_t>(keep));
  lower.token.resize(static_cast<std::size_t>(keep));
  const std::ptrdiff_t next = static_cast<std::ptrdiff_t>(index) + 1;
  firsts_.insert(firsts_.begin() + next, upper.address.front());
  blocks_.insert(blocks_.begin() + next, std::move(upper));
}

std::optional<std::uint64_t> Envelope::Query(std::int64_t q) const {
  if (blocks_.empty()) return std::nullopt;
  last_block_ = BlockOf(q);
  const Block& block = blocks_[last_block_];
  const std::int64_t* address = block.address.data();
  // The last line whose lower neighbour it beats: all breakpoints before it are at or below q.
  // The winner is the last address <= q or the one after it.
  std::size_t low = 0;
  std::size_t count = block.address.size();
  while (count > 1) {
    const std::size_t half = count / 2;
    low = address[low + half] <= q ? low + half : low;
    count -= half;
  }
  if (address[low] == q) return block.token[low];
  std::int64_t next_address = 0;
  std::uint64_t next_token = 0;
  if (low + 1 < block.address.size()) {
    next_address = address[low + 1];
    next_token = block.token[low + 1];
  } else if (last_block_ + 1 < blocks_.size()) {
    next_address = blocks_[last_block_ + 1].address.front();
    next_token = blocks_[last_block_ + 1].token.front();
  } else {
    return block.token[low];
  }
  return 2 * q >= address[low] + next_address ? next_token : block.token[low];
}

}  // namespace txvm::vm

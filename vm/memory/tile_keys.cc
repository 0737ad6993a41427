#include "vm/memory/tile_keys.h"

#include <algorithm>
#include <utility>

namespace txvm::vm {
namespace {

constexpr std::uint64_t kGrowth = 256;  // addresses written at a time: 1 KiB of keys

void WriteTiles(const KeyTile& tile, std::int16_t* first, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i)
    std::copy(tile.begin(), tile.end(), first + i * tile.size());
}

}  // namespace

isa::Result<TileKeys> TileKeys::Create(std::size_t addresses, KeyTile tile, PageOffset offset) {
  TileKeys keys;
  keys.tile_ = std::move(tile);
  TXVM_TRY(keys.keys_, Reservation<std::int16_t>::Create((addresses + 2 * kGrowth) * 2, offset));
  return keys;
}

void TileKeys::Extend(std::uint64_t last) {
  const std::size_t tile_keys = tile_.size() / 2;
  const std::uint64_t end =
      std::min<std::uint64_t>((last / kGrowth + 1) * kGrowth, keys_.size() / 2);
  TXVM_ASSERT(last < end);
  WriteTiles(tile_, keys_.data() + ready_ * 2, (end - ready_) / tile_keys);
  ready_ = end;
}

std::span<std::int16_t> TileKeys::Tile(std::uint64_t address) {
  TXVM_ASSERT(address < ready_);
  const std::size_t tile_keys = tile_.size() / 2;
  return {keys_.data() + address / tile_keys * tile_.size(), tile_.size()};
}

SharedKeys::SharedKeys(const KeyTile& tile) : tile_keys_(tile.size() / 2), tile_(tile) {
  NewPage();
}

std::int16_t* SharedKeys::NewPage() {
  auto page = Reservation<std::int16_t>::Create(static_cast<std::size_t>(kPageAddresses) * 2,
                                                PageOffset::kMemoryKeys);
  TXVM_ASSERT(page.has_value());
  WriteTiles(tile_, page->data(), kPageAddresses / tile_keys_);
  owned_.push_back(*std::move(page));
  return owned_.back().data();
}

void SharedKeys::Ensure(std::uint64_t bytes) {
  const std::size_t wanted = static_cast<std::size_t>(bytes >> kPageBits) + 1;
  if (pages_.size() < wanted) pages_.resize(wanted, owned_.front().data());
}

std::span<std::int16_t> SharedKeys::Tile(std::uint64_t address) {
  std::int16_t*& page = pages_[static_cast<std::size_t>(address >> kPageBits)];
  if (page == owned_.front().data()) page = NewPage();
  const std::uint64_t within = address & (kPageAddresses - 1);
  return {page + within / tile_keys_ * tile_.size(), tile_.size()};
}

}  // namespace txvm::vm

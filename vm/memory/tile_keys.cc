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
  WriteTiles(tile_, keys_.data() + ready_ * 2, static_cast<std::size_t>(end - ready_) / tile_keys);
  ready_ = end;
}

std::span<std::int16_t> TileKeys::Tile(std::uint64_t address) {
  TXVM_ASSERT(address < ready_);
  const std::size_t tile_keys = tile_.size() / 2;
  return {keys_.data() + address / tile_keys * tile_.size(), tile_.size()};
}

isa::Result<Reservation<std::int16_t>> SharedKeys::NewPage() const {
  constexpr std::size_t kKeys = static_cast<std::size_t>(kPageAddresses) * 2;
  TXVM_TRY(auto page, Reservation<std::int16_t>::Create(kKeys, PageOffset::kMemoryKeys));
  WriteTiles(tile_, page.data(), kKeys / tile_.size());
  return page;
}

isa::Result<SharedKeys> SharedKeys::Create(std::uint64_t bytes, const KeyTile& tile) {
  SharedKeys keys;
  keys.tile_ = tile;
  TXVM_TRY(keys.shared_, keys.NewPage());
  TXVM_TRY(keys.offsets_, Reservation<std::int64_t>::Create((bytes >> kPageBits) + 2));
  return keys;
}

std::span<std::int16_t> SharedKeys::Tile(std::uint64_t address) {
  std::int64_t& offset = offsets_[static_cast<std::size_t>(address >> kPageBits)];
  const auto shared = reinterpret_cast<std::intptr_t>(shared_.data());
  if (offset == 0) {
    auto page = NewPage();
    TXVM_ASSERT(page.has_value());
    own_.push_back(*std::move(page));
    offset = reinterpret_cast<std::intptr_t>(own_.back().data()) - shared;
  }
  const std::uint64_t tile = (address & (kPageAddresses - 1)) * 2 / tile_.size();
  return {reinterpret_cast<std::int16_t*>(shared + offset) + tile * tile_.size(), tile_.size()};
}

}  // namespace txvm::vm

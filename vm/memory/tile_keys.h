// Key matrices of the address spaces, stored tile by tile.
//
// LAYOUT  A tile holds the keys of `tile_keys` consecutive addresses: k0 of each, then k1 of each,
// int16. It starts on a
//         multiple of its size, so a tile of 16 keys is one cache line.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "isa/support/result.h"
#include "vm/memory/reservation.h"

namespace txvm::vm {

/// The two key rows of one tile, as W_K makes them: k0 then k1, (2, tile_keys).
using KeyTile = std::vector<std::int16_t>;

/// Keys of a space whose addresses are used from 0 upwards. Tiles are written when the space first
/// reaches them; a later write to an address leaves its key as it is (the eviction theorem: the
/// overwritten key could never win again).
class TileKeys {
 public:
  TileKeys() = default;
  /// Address space for `addresses` keys; none is written yet. kMemory when the system refuses.
  static isa::Result<TileKeys> Create(std::size_t addresses, KeyTile tile, PageOffset offset);

  /// Writes the keys of addresses 0..last that are not there yet. REQUIRES: last within the space.
  void Ensure(std::uint64_t last) {
    if (last >= ready_) Extend(last);
  }
  /// Addresses whose keys are written: 0..ready()-1.
  std::uint64_t ready() const { return ready_; }
  const std::int16_t* data() const { return keys_.data(); }
  /// The tile of an address, to look at or to alter. REQUIRES: address < ready().
  std::span<std::int16_t> Tile(std::uint64_t address);

 private:
  void Extend(std::uint64_t last);

  KeyTile tile_;
  Reservation<std::int16_t> keys_;
  std::uint64_t ready_ = 0;
};

/// Keys of byte-addressed memory, up to 2^32 of them: key pages of kPageAddresses addresses, all
/// the same page until one is altered, which then gets its own copy. A key row depends on its
/// address's last digit alone, so sharing is exact; and the shared page is small, so scores leave
/// the first-level cache to the program's data.
class SharedKeys {
 public:
  static constexpr std::uint32_t kPageBits = 9;
  static constexpr std::uint32_t kPageAddresses = 1u << kPageBits;

  /// What a loop needs to find the key page of an address, without branches.
  struct View {
    const std::byte* shared;  // the shared page
    const std::int64_t*
        offsets;  // (pages,) bytes from the shared page to that of page p; 0: shared
    /// Keys of the page of `address`.
    const std::int16_t* Page(std::uint64_t address) const {
      return reinterpret_cast<const std::int16_t*>(reinterpret_cast<std::intptr_t>(shared) +
                                                   offsets[address >> kPageBits]);
    }
  };

  SharedKeys() = default;
  /// Keys of addresses 0..bytes, and of one page beyond, which a read across the end may look at.
  /// Nothing is committed for them but the shared page. kMemory when the system refuses.
  static isa::Result<SharedKeys> Create(std::uint64_t bytes, const KeyTile& tile);

  View view() const {
    return {reinterpret_cast<const std::byte*>(shared_.data()), offsets_.data()};
  }
  /// The tile of an address, in a page of its own from now on. REQUIRES: address within the space.
  std::span<std::int16_t> Tile(std::uint64_t address);

 private:
  isa::Result<Reservation<std::int16_t>> NewPage() const;

  KeyTile tile_;
  Reservation<std::int16_t> shared_;
  Reservation<std::int64_t> offsets_;           // zero until a page is altered
  std::vector<Reservation<std::int16_t>> own_;  // altered pages
};

}  // namespace txvm::vm

// Byte-addressed little-endian memory: the value rows of the memory space.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "isa/limits.h"
#include "isa/support/result.h"
#include "vm/memory/reservation.h"

namespace txvm::vm {

/// A growable byte array that never moves. Address space for the maximum is reserved at creation;
/// pages are committed by the system when first touched, and read 0 until written. Where the system
/// refuses that much (`ulimit -v`, a container's limit), as much as it allows is the maximum, less
/// what the rest of a run needs. INVARIANT: size_bytes() = pages() * 65,536, pages() <=
/// max_pages().
class LinearMemory {
 public:
  LinearMemory() = default;
  /// Reserves max_pages or what the system allows, opens initial_pages. REQUIRES: initial <= max <=
  /// 65,536. kMemory when the system refuses the initial pages.
  static isa::Result<LinearMemory> Create(std::uint32_t initial_pages, std::uint32_t max_pages);

  std::uint32_t pages() const { return pages_; }
  std::uint32_t max_pages() const { return max_pages_; }
  /// A growth was refused that fits the maximum asked for, but not what the system allows.
  bool fell_short() const { return fell_short_; }
  /// What the system allows of the pages that were asked for, in words for a person.
  std::string ShortageText() const;
  std::uint64_t size_bytes() const { return static_cast<std::uint64_t>(pages_) * isa::kPageBytes; }
  std::uint8_t* data() { return bytes_.data(); }
  const std::uint8_t* data() const { return bytes_.data(); }
  std::span<std::uint8_t> bytes() {
    return {bytes_.data(), static_cast<std::size_t>(size_bytes())};
  }
  std::span<const std::uint8_t> bytes() const {
    return {bytes_.data(), static_cast<std::size_t>(size_bytes())};
  }

  /// Adds delta pages of zeros and returns the old page count, or 0xFFFFFFFF, changing nothing,
  /// when the result would exceed max_pages(). Pointers into the memory stay valid.
  std::uint32_t Grow(std::uint32_t delta);

  /// Makes it `pages` long: bytes beyond are lost, new ones are zero. REQUIRES: pages <=
  /// max_pages(). Pointers into the memory stay valid.
  void Resize(std::uint32_t pages);

  /// True when [address, address + count) lies inside the memory; no wrap-around.
  bool Contains(std::uint64_t address, std::uint64_t count) const {
    return count <= size_bytes() && address <= size_bytes() - count;
  }

 private:
  Reservation<std::uint8_t> bytes_;
  std::uint32_t pages_ = 0;
  std::uint32_t max_pages_ = 0;
  std::uint32_t wanted_pages_ = 0;  // max_pages() where the system refuses nothing
  bool fell_short_ = false;
};

}  // namespace txvm::vm

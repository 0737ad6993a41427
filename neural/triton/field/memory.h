// Bounded memory of a run: a budget, the RAM, and the set of u32 operations.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "isa/support/random.h"

namespace txvm::triton {

/// Bytes that a run may still take.
class MemoryBudget {
 public:
  explicit MemoryBudget(std::size_t bytes) : left_(bytes) {}
  /// Takes `bytes`, or takes nothing and returns false.
  bool Take(std::size_t bytes) {
    if (bytes > left_) return false;
    left_ -= bytes;
    return true;
  }

 private:
  std::size_t left_;
};

/// Makes room for `extra` more elements, doubling; false, changing nothing, when the budget ends.
template <typename T>
bool ReserveMore(std::vector<T>& vector, std::size_t extra, MemoryBudget& budget) {
  if (vector.capacity() - vector.size() >= extra) return true;
  constexpr std::size_t kSmallest = 64;
  std::size_t wanted = vector.capacity() < kSmallest ? kSmallest : 2 * vector.capacity();
  if (wanted - vector.size() < extra) wanted = vector.size() + extra;
  if (!budget.Take((wanted - vector.capacity()) * sizeof(T))) return false;
  vector.reserve(wanted);
  return true;
}

using isa::MixBits;

/// RAM over the field: addresses never written read 0. Open addressing, at most half full.
/// INVARIANT: size_ <= slots_.size() / 2, a power of two or 0.
class TasmRam {
 public:
  std::uint64_t Read(std::uint64_t address) const {
    if (slots_.empty()) return 0;
    const Slot& slot = slots_[Find(address)];
    return slot.address == address ? slot.value : 0;
  }
  /// False, changing nothing, when the budget ends.
  bool Write(std::uint64_t address, std::uint64_t value, MemoryBudget& budget) {
    if (2 * (size_ + 1) > slots_.size() && !Grow(budget)) return false;
    Slot& slot = slots_[Find(address)];
    size_ += slot.address == address ? 0 : 1;
    slot = {address, value};
    return true;
  }
  /// All written words, by address.
  std::vector<std::pair<std::uint64_t, std::uint64_t>> Sorted() const;

 private:
  static constexpr std::uint64_t kEmpty = ~std::uint64_t{0};  // not canonical, so no address
  struct Slot {
    std::uint64_t address = kEmpty;
    std::uint64_t value = 0;
  };
  std::size_t Find(std::uint64_t address) const {
    const std::size_t mask = slots_.size() - 1;
    std::size_t i = MixBits(address) & mask;
    while (slots_[i].address != address && slots_[i].address != kEmpty) i = (i + 1) & mask;
    return i;
  }
  bool Grow(MemoryBudget& budget);
  std::vector<Slot> slots_;
  std::size_t size_ = 0;
};

/// Kinds of rows of the u32 table; xor is proved by and, div_mod by lt and split.
enum class U32Kind : std::uint8_t { kNone, kSplit, kLt, kAnd, kPow, kLog2, kPopCount };

/// The distinct operations of the u32 table and the height they need.
/// INVARIANT: size_ <= slots_.size() / 2, a power of two or 0.
class U32Set {
 public:
  /// False, changing nothing, when the budget ends.
  bool Add(U32Kind kind, std::uint64_t lhs, std::uint32_t rhs, MemoryBudget& budget) {
    if (2 * (size_ + 1) > slots_.size() && !Grow(budget)) return false;
    Slot& slot = slots_[Find({lhs, rhs, kind})];
    if (slot.kind == U32Kind::kNone) {
      slot = {lhs, rhs, kind};
      ++size_;
      height_ += RowsOf(slot);
    }
    return true;
  }
  std::uint64_t height() const { return height_; }

 private:
  struct Slot {
    std::uint64_t lhs = 0;
    std::uint32_t rhs = 0;
    U32Kind kind = U32Kind::kNone;
    bool operator==(const Slot&) const = default;
  };
  // One row per bit of the larger operand and one more; of the exponent alone for pow.
  static std::uint64_t RowsOf(const Slot& slot) {
    const std::uint64_t larger = slot.lhs > slot.rhs ? slot.lhs : slot.rhs;
    const std::uint64_t dominant = slot.kind == U32Kind::kPow ? slot.rhs : larger;
    return 1 + static_cast<std::uint64_t>(std::bit_width(dominant));
  }
  std::size_t Find(const Slot& wanted) const {
    const std::size_t mask = slots_.size() - 1;
    const std::uint64_t tail = wanted.rhs | static_cast<std::uint64_t>(wanted.kind) << 32;
    std::size_t i = MixBits(wanted.lhs * 0x9E37'79B9'7F4A'7C15 + tail) & mask;
    while (slots_[i].kind != U32Kind::kNone && slots_[i] != wanted) i = (i + 1) & mask;
    return i;
  }
  bool Grow(MemoryBudget& budget);
  std::vector<Slot> slots_;
  std::size_t size_ = 0;
  std::uint64_t height_ = 0;
};

}  // namespace txvm::triton

// Arrays that are reserved, not committed: large address ranges whose pages cost nothing until
// touched.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <type_traits>
#include <utility>

#include "isa/support/result.h"
#include "isa/support/system/address_space.h"

namespace txvm::vm {

/// Where an array starts within its page of 64 lines, in cache lines. A load whose low 12 address
/// bits equal those of a store in flight waits for it, though the addresses differ; a fetch head
/// that waits stalls everything after it (measured: up to half of the attention engine's time). So
/// the arrays that every step stores to start on lines that code tiles, 8 lines each, leave unused
/// (6 and 7), and the keys every step loads start on others.
enum class PageOffset : std::uint32_t {
  kCodeTiles = 0,
  kSlots = 6,
  kLocals = 8 + 6,
  kFrames = 16 + 6,
  kCallKeys = 24 + 2,
  kLocalKeys = 24 + 4,
  kStackKeys = 24 + 6,
  kMemoryKeys = 32,
  kThreadedRows = 32,  // the native engine's, which has no keys
  kAny = 0,
};

/// A fixed-size array of trivially copyable T, zero until written, page aligned. Move-only; never
/// reallocates.
template <typename T>
class Reservation {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  Reservation() = default;
  Reservation(Reservation&& other) noexcept
      : data_(std::exchange(other.data_, nullptr)),
        count_(std::exchange(other.count_, 0)),
        written_(other.written_),
        offset_(other.offset_) {}
  Reservation& operator=(Reservation&& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(count_, other.count_);
    std::swap(written_, other.written_);
    std::swap(offset_, other.offset_);
    return *this;
  }
  ~Reservation() {
    if (data_ == nullptr) return;
    isa::ReleaseAddressSpace(reinterpret_cast<std::byte*>(data_) - offset_,
                             offset_ + count_ * sizeof(T), offset_ + written_ * sizeof(T));
  }

  /// kMemory when the system refuses `count` elements.
  static isa::Result<Reservation> Create(std::uint64_t count, PageOffset lines = PageOffset::kAny) {
    Reservation result;
    if (count == 0) return result;
    result.offset_ = static_cast<std::size_t>(lines) * kLineBytes;
    auto* start =
        static_cast<std::byte*>(isa::ReserveAddressSpace(result.offset_ + count * sizeof(T)));
    if (start == nullptr) {
      return isa::Fail(isa::ErrorCode::kMemory, "the system refused to reserve " +
                                                    std::to_string(count * sizeof(T)) +
                                                    " bytes of address space");
    }
    result.data_ = reinterpret_cast<T*>(start + result.offset_);
    result.count_ = result.written_ = static_cast<std::size_t>(count);
    return result;
  }

  /// Nothing at or after element `count` has been written since it was created: less to zero where
  /// released memory is used again. REQUIRES: count <= size().
  void SetWritten(std::uint64_t count) { written_ = static_cast<std::size_t>(count); }

  T* data() { return data_; }
  const T* data() const { return data_; }
  std::size_t size() const { return count_; }
  T& operator[](std::size_t i) { return data_[i]; }
  const T& operator[](std::size_t i) const { return data_[i]; }

 private:
  static constexpr std::size_t kLineBytes = 64;

  T* data_ = nullptr;
  std::size_t count_ = 0;
  std::size_t written_ = 0;  // elements from here on are zero
  std::size_t offset_ = 0;   // bytes from the start of the mapping to data_
};

}  // namespace txvm::vm

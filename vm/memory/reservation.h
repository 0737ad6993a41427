// Arrays that are reserved, not committed: large address ranges whose pages cost nothing until
// touched.
#pragma once

#include <cstddef>
#include <type_traits>
#include <utility>

#include "isa/result.h"

namespace txvm::vm {

namespace internal {
/// Reserves `bytes` of zeroed, lazily committed memory; nullptr when the system refuses. 64-byte
/// aligned or better.
void* Reserve(std::size_t bytes);
void Release(void* start, std::size_t bytes);
}  // namespace internal

/// A fixed-size array of trivially copyable T, zero until written, page aligned. Move-only; never
/// reallocates.
template <typename T>
class Reservation {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  Reservation() = default;
  Reservation(Reservation&& other) noexcept
      : data_(std::exchange(other.data_, nullptr)), count_(std::exchange(other.count_, 0)) {}
  Reservation& operator=(Reservation&& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(count_, other.count_);
    return *this;
  }
  ~Reservation() {
    if (data_ != nullptr) internal::Release(data_, count_ * sizeof(T));
  }

  /// kLimit when the system refuses `count` elements.
  static isa::Result<Reservation> Create(std::size_t count) {
    Reservation result;
    if (count == 0) return result;
    result.data_ = static_cast<T*>(internal::Reserve(count * sizeof(T)));
    if (result.data_ == nullptr) {
      return isa::Fail(isa::ErrorCode::kLimit, "the system refused to reserve " +
                                                   std::to_string(count * sizeof(T)) +
                                                   " bytes of address space");
    }
    result.count_ = count;
    return result;
  }

  T* data() { return data_; }
  const T* data() const { return data_; }
  std::size_t size() const { return count_; }
  T& operator[](std::size_t i) { return data_[i]; }
  const T& operator[](std::size_t i) const { return data_[i]; }

 private:
  T* data_ = nullptr;
  std::size_t count_ = 0;
};

}  // namespace txvm::vm

// Appends the primitives of the binary format to bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

namespace txvm::frontends::wat {

/// Bytes that grow at their end.
class ByteWriter {
 public:
  void Byte(std::uint8_t byte) { bytes_.push_back(byte); }
  /// A number as LEB128, as short as it can be.
  void Unsigned(std::uint64_t value) {
    while (value >= kMore) {
      bytes_.push_back(static_cast<std::uint8_t>(value | kMore));
      value >>= kLebBits;
    }
    bytes_.push_back(static_cast<std::uint8_t>(value));
  }
  void Signed(std::int64_t value) {
    constexpr std::uint8_t kMask = kMore - 1;
    while (value >= kSignLimit || value < -kSignLimit) {
      bytes_.push_back(static_cast<std::uint8_t>((value & kMask) | kMore));
      value >>= kLebBits;
    }
    bytes_.push_back(static_cast<std::uint8_t>(value & kMask));
  }
  /// `count` bytes of a number, the low one first.
  void Fixed(std::uint64_t value, int count) {
    constexpr int kByteBits = 8;
    for (int i = 0; i < count; ++i) {
      bytes_.push_back(static_cast<std::uint8_t>(value));
      value >>= kByteBits;
    }
  }
  void Append(std::span<const std::uint8_t> bytes) {
    bytes_.insert(bytes_.end(), bytes.begin(), bytes.end());
  }
  void Append(std::string_view bytes) { bytes_.insert(bytes_.end(), bytes.begin(), bytes.end()); }
  /// A length and that many bytes.
  void Name(std::string_view name) {
    Unsigned(name.size());
    Append(name);
  }

  std::size_t size() const { return bytes_.size(); }
  void Clear() { bytes_.clear(); }
  void Truncate(std::size_t size) { bytes_.resize(size); }
  void Reserve(std::size_t size) { bytes_.reserve(size); }
  std::span<const std::uint8_t> From(std::size_t begin) const {
    return std::span(bytes_).subspan(begin);
  }
  std::string_view text() const {
    return {reinterpret_cast<const char*>(bytes_.data()), bytes_.size()};
  }
  const std::vector<std::uint8_t>& bytes() const { return bytes_; }
  std::vector<std::uint8_t> Take() { return std::move(bytes_); }

 private:
  static constexpr std::uint8_t kMore = 0x80;
  static constexpr int kLebBits = 7;
  static constexpr std::int64_t kSignLimit = 64;

  std::vector<std::uint8_t> bytes_;
};

}  // namespace txvm::frontends::wat

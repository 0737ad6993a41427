#include "frontends/wasm/cursor.h"

#include <fmt/format.h>

namespace txvm::frontends::wasm {
namespace {

constexpr int kLebBits = 7, kByteBits = 8;
constexpr std::uint32_t kLebMask = 0x7F;

}  // namespace

using isa::ErrorCode;

void Cursor::Fail(ErrorCode code, std::string message, std::size_t at) {
  if (!*fault_) *fault_ = Fault{code, std::move(message), at, {}};
  at_ = end_;
}

int Cursor::FailEnd(std::string_view what) {
  Malformed(fmt::format("unexpected end: {} is missing", what));
  return 0;
}

std::uint32_t Cursor::U32Slow(std::string_view what) {
  constexpr int kLastShift = 28;
  constexpr std::uint8_t kLastUnused = 0x70;
  std::uint32_t value = 0;
  for (int shift = 0;; shift += kLebBits) {
    if (at_ == end_) return static_cast<std::uint32_t>(FailEnd(what));
    const std::uint8_t byte = *at_;
    if (shift == kLastShift && byte >= kMoreBytes) {
      Malformed(fmt::format("integer representation too long: {}", what));
      return 0;
    }
    if (shift == kLastShift && (byte & kLastUnused) != 0) {
      Malformed(fmt::format("integer too large: {}", what));
      return 0;
    }
    ++at_;
    value |= (byte & kLebMask) << shift;
    if (byte < kMoreBytes) return value;
  }
}

std::uint64_t Cursor::U64(std::string_view what) {
  constexpr int kLastShift = 63;
  std::uint64_t value = 0;
  for (int shift = 0;; shift += kLebBits) {
    if (at_ == end_) return static_cast<std::uint64_t>(FailEnd(what));
    const std::uint8_t byte = *at_;
    if (shift == kLastShift && byte >= kMoreBytes) {
      Malformed(fmt::format("integer representation too long: {}", what));
      return 0;
    }
    if (shift == kLastShift && byte > 1) {
      Malformed(fmt::format("integer too large: {}", what));
      return 0;
    }
    ++at_;
    value |= std::uint64_t{byte & std::uint32_t{kLebMask}} << shift;
    if (byte < kMoreBytes) return value;
  }
}

std::int64_t Cursor::SignedSlow(int bits, std::string_view what) {
  constexpr int kWordBits = 64;
  std::uint64_t value = 0;
  int shift = 0;
  while (true) {
    if (at_ == end_) return FailEnd(what);
    const std::uint8_t byte = *at_;
    const int left = bits - shift;  // bits that this byte may still carry
    if (left <= kLebBits) {
      if (byte >= kMoreBytes) {
        Malformed(fmt::format("integer representation too long: {}", what));
        return 0;
      }
      // The unused bits repeat the sign.
      const auto unused = static_cast<std::uint32_t>(kLebMask & ~((1u << (left - 1)) - 1));
      if ((byte & unused) != 0 && (byte & unused) != unused) {
        Malformed(fmt::format("integer too large: {}", what));
        return 0;
      }
    }
    ++at_;
    value |= std::uint64_t{byte & kLebMask} << shift;
    shift += kLebBits;
    if (byte >= kMoreBytes) continue;
    constexpr std::uint8_t kSign = 0x40;
    if (shift < kWordBits && (byte & kSign) != 0) value |= ~std::uint64_t{0} << shift;
    return static_cast<std::int64_t>(value);
  }
}

std::uint32_t Cursor::Word(std::string_view what) {
  std::uint32_t value = 0;
  int shift = 0;
  for (const std::uint8_t byte : Bytes(sizeof value, what)) {
    value |= std::uint32_t{byte} << shift;
    shift += kByteBits;
  }
  return value;
}

std::uint64_t Cursor::LongWord(std::string_view what) {
  std::uint64_t value = 0;
  int shift = 0;
  for (const std::uint8_t byte : Bytes(sizeof value, what)) {
    value |= std::uint64_t{byte} << shift;
    shift += kByteBits;
  }
  return value;
}

std::uint32_t Cursor::Count(std::string_view what, std::size_t item_bytes) {
  const std::size_t start = offset();
  const std::uint32_t count = U32(what);
  if (count <= remaining() / item_bytes) return count;
  Fail(ErrorCode::kSyntax,
       fmt::format("unexpected end: {} is {}, and {} bytes are left", what, count, remaining()),
       start);
  return 0;
}

std::span<const std::uint8_t> Cursor::Bytes(std::size_t size, std::string_view what) {
  if (size > remaining()) {
    if (ok()) {
      Malformed(fmt::format("length out of bounds: {} has {} bytes, and {} are left", what, size,
                            remaining()));
    }
    return {};
  }
  const std::span<const std::uint8_t> bytes(at_, size);
  at_ += size;
  return bytes;
}

std::string_view Cursor::Name(std::string_view what) {
  const std::uint32_t size = U32(what);
  const std::size_t start = offset();
  const std::span<const std::uint8_t> bytes = Bytes(size, what);
  const std::string_view name(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  if (ok() && !IsUtf8(name)) {
    Fail(ErrorCode::kSyntax, fmt::format("malformed UTF-8 encoding: {}", what), start);
    return {};
  }
  return name;
}

Cursor Cursor::Take(std::size_t size, std::string_view what) {
  const std::size_t start = offset();
  return Cursor(Bytes(size, what), start, *fault_);
}

bool IsUtf8(std::string_view bytes) {
  constexpr std::uint8_t kAsciiEnd = 0x80, kContinuation = 0x80, kContinuationMask = 0xC0;
  constexpr int kContinuationBits = 6;
  // What a first byte says: its mask and value, how many bytes follow, the least number that needs
  // that many.
  struct Form {
    std::uint8_t mask, value;
    int following;
    std::uint32_t least;
  };
  constexpr Form kForms[] = {
      {0xE0, 0xC0, 1, 0x80}, {0xF0, 0xE0, 2, 0x800}, {0xF8, 0xF0, 3, 0x10000}};
  constexpr std::uint32_t kFirstSurrogate = 0xD800, kLastSurrogate = 0xDFFF, kLast = 0x10FFFF;
  std::size_t i = 0;
  while (i < bytes.size()) {
    const auto first = static_cast<std::uint8_t>(bytes[i++]);
    if (first < kAsciiEnd) continue;
    const Form* form = nullptr;
    for (const Form& candidate : kForms) {
      if ((first & candidate.mask) == candidate.value) form = &candidate;
    }
    if (form == nullptr || bytes.size() - i < static_cast<std::size_t>(form->following)) {
      return false;
    }
    std::uint32_t letter = first & static_cast<std::uint8_t>(~form->mask);
    for (int k = 0; k < form->following; ++k) {
      const auto next = static_cast<std::uint8_t>(bytes[i++]);
      if ((next & kContinuationMask) != kContinuation) return false;
      letter = letter << kContinuationBits | (next & static_cast<std::uint8_t>(~kContinuationMask));
    }
    const bool is_surrogate = letter >= kFirstSurrogate && letter <= kLastSurrogate;
    if (letter < form->least || is_surrogate || letter > kLast) return false;
  }
  return true;
}

}  // namespace txvm::frontends::wasm

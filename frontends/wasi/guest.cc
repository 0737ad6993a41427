#include "frontends/wasi/guest.h"

#include <algorithm>
#include <cerrno>
#include <limits>

namespace txvm::frontends::wasi {
namespace {

constexpr int kByteBits = 8;
constexpr std::uint64_t kBufferBytes = 8;  // {address, size}
constexpr std::uint64_t kSizeOffset = 4;

}  // namespace

Errno FromSystem(int error) {
  switch (error) {
    case 0:
      return Errno::kSuccess;
#define WASI_ERROR(code, Name, system) \
  case system:                         \
    return Errno::k##Name;
#include "frontends/wasi/errors.def"
#undef WASI_ERROR
    default:
      return Errno::kIo;
  }
}

Errno FromReturn(int result) { return result == 0 ? Errno::kSuccess : FromSystem(errno); }

std::optional<std::span<std::uint8_t>> Guest::Slice(std::uint64_t address,
                                                    std::uint64_t count) const {
  if (count > bytes_.size() || address > bytes_.size() - count) return std::nullopt;
  return bytes_.subspan(address, count);
}

std::optional<std::uint32_t> Guest::Read32(std::uint64_t address) const {
  const auto slice = Slice(address, sizeof(std::uint32_t));
  if (!slice) return std::nullopt;
  std::uint32_t value = 0;
  for (std::size_t i = slice->size(); i-- > 0;) value = value << kByteBits | (*slice)[i];
  return value;
}

std::optional<std::uint64_t> Guest::Read64(std::uint64_t address) const {
  constexpr int kWordBits = 32;
  const auto high = Read32(address + sizeof(std::uint32_t));
  if (!high) return std::nullopt;
  return std::uint64_t{*high} << kWordBits | *Read32(address);
}

bool Guest::WriteWord(std::uint64_t address, std::uint64_t value, std::size_t bytes) const {
  const auto slice = Slice(address, bytes);
  if (!slice) return false;
  for (std::uint8_t& byte : *slice) {
    byte = static_cast<std::uint8_t>(value);
    value >>= kByteBits;
  }
  return true;
}

bool Guest::Write8(std::uint64_t address, std::uint8_t value) const {
  return WriteWord(address, value, sizeof value);
}
bool Guest::Write16(std::uint64_t address, std::uint16_t value) const {
  return WriteWord(address, value, sizeof value);
}
bool Guest::Write32(std::uint64_t address, std::uint32_t value) const {
  return WriteWord(address, value, sizeof value);
}
bool Guest::Write64(std::uint64_t address, std::uint64_t value) const {
  return WriteWord(address, value, sizeof value);
}

bool Guest::WriteText(std::uint64_t address, std::string_view text) const {
  const auto slice = Slice(address, text.size());
  if (slice) std::ranges::copy(text, slice->begin());
  return slice.has_value();
}

Guest::Buffers Guest::ReadBuffers(std::uint64_t address, std::uint32_t count) const {
  if (count > kMostBuffers) return {Errno::kInvalid, {}};
  if (!Slice(address, count * kBufferBytes)) return {Errno::kFault, {}};
  Buffers buffers;
  std::uint64_t total = 0;
  for (std::uint32_t i = 0; i < count; ++i) {
    const std::uint64_t at = address + i * kBufferBytes;
    const std::uint32_t size = *Read32(at + kSizeOffset);
    const auto slice = Slice(*Read32(at), size);
    if (!slice) return {Errno::kFault, {}};
    total += size;
    buffers.parts.push_back(*slice);
  }
  if (total > std::numeric_limits<std::uint32_t>::max()) return {Errno::kInvalid, {}};
  return buffers;
}

}  // namespace txvm::frontends::wasi

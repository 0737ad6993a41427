// A program's memory as WASI calls see it: every access is checked against its size.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "isa/word_ops.h"

namespace txvm::frontends::wasi {

/// Error numbers; kSuccess is 0.
enum class Errno : std::uint16_t {
  kSuccess = 0,
#define WASI_ERROR(code, Name, system) k##Name = code,
#include "frontends/wasi/errors.def"
#undef WASI_ERROR
};

/// The WASI error of a system's errno; kIo for those without one.
Errno FromSystem(int error);
/// The error of a call of the system that returned `result`: kSuccess for 0, else by errno.
Errno FromReturn(int result);

/// Which module a program imports: they number and lay out some things differently.
enum class Dialect : std::uint8_t { kPreview1, kUnstable };

/// Memory of the calling program. Does not own it; valid inside one call.
class Guest {
 public:
  explicit Guest(std::span<std::uint8_t> bytes, Dialect dialect = Dialect::kPreview1)
      : bytes_(bytes), dialect_(dialect) {}

  bool is_unstable() const { return dialect_ == Dialect::kUnstable; }

  /// The bytes [address, address + count); nothing when they are not all in memory.
  std::optional<std::span<std::uint8_t>> Slice(std::uint64_t address, std::uint64_t count) const;
  /// Little-endian reads and writes; false or nothing outside the memory.
  std::optional<std::uint32_t> Read32(std::uint64_t address) const;
  std::optional<std::uint64_t> Read64(std::uint64_t address) const;
  bool Write8(std::uint64_t address, std::uint8_t value) const;
  bool Write16(std::uint64_t address, std::uint16_t value) const;
  bool Write32(std::uint64_t address, std::uint32_t value) const;
  bool Write64(std::uint64_t address, std::uint64_t value) const;
  bool WriteText(std::uint64_t address, std::string_view text) const;

  /// The buffers of an array of `count` {address, size} pairs. Errors: kInvalid above kMostBuffers
  /// or when the sizes add up to 2^32 or more, kFault when one is not in memory. Checks all before
  /// returning any.
  struct Buffers {
    Errno error = Errno::kSuccess;
    std::vector<std::span<std::uint8_t>> parts;
  };
  Buffers ReadBuffers(std::uint64_t address, std::uint32_t count) const;

  static constexpr std::uint32_t kMostBuffers = 1'024;  // as IOV_MAX of Linux

 private:
  bool WriteWord(std::uint64_t address, std::uint64_t value, std::size_t bytes) const;

  std::span<std::uint8_t> bytes_;
  Dialect dialect_;
};

/// The parameters of a call, one after the other.
class Params {
 public:
  explicit Params(std::span<const isa::Word> words) : words_(words) {}
  /// REQUIRES: the signature has another i32.
  std::uint32_t Next32() {
    const std::uint32_t word = words_.front();
    words_ = words_.subspan(1);
    return word;
  }
  /// An i64, low word first.
  std::uint64_t Next64() {
    constexpr int kWordBits = 32;
    const std::uint64_t low = Next32();
    return low | std::uint64_t{Next32()} << kWordBits;
  }

 private:
  std::span<const isa::Word> words_;
};

}  // namespace txvm::frontends::wasi

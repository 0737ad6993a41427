// Reads the primitives of the binary format: bytes, LEB128 numbers, names.
// Goals: strict as the specification demands (length and unused bits of numbers, UTF-8); no read
// beyond the end; fast for what is one byte long.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "isa/support/result.h"

namespace txvm::frontends::wasm {

/// A value on the stack of a body: its type, and the instruction that pushed it.
struct FaultOperand {
  std::string_view type;
  std::size_t at = 0;
};

/// Why a module is refused, and the byte where that shows.
struct Fault {
  isa::ErrorCode code = isa::ErrorCode::kSyntax;
  std::string message;
  std::size_t at = 0;
  // Of a fault in a body, where ReadOptions::trace_operands asks for them: the values on top in
  // front of the instruction at fault, the deepest first.
  std::vector<FaultOperand> operands = {};
};

/// A place in a range of a module's bytes.
/// INVARIANT: once a fault is recorded, every cursor that shares it that reads again is at its end,
/// and what it reads is zero or empty. So a caller may read several things and ask ok() once.
class Cursor {
 public:
  /// `offset`: that of bytes[0] in the module. `fault` is shared with the cursors taken from this
  /// one, and must outlive it.
  Cursor(std::span<const std::uint8_t> bytes, std::size_t offset, std::optional<Fault>& fault)
      : begin_(bytes.data()),
        at_(begin_),
        end_(begin_ + bytes.size()),
        first_(offset),
        fault_(&fault) {}

  bool ok() const { return !fault_->has_value(); }
  /// The fault, to add to it; nullopt without one.
  std::optional<Fault>& fault() const { return *fault_; }
  bool AtEnd() const { return at_ == end_; }
  /// Of the next byte, in the module.
  std::size_t offset() const { return first_ + static_cast<std::size_t>(at_ - begin_); }
  std::size_t remaining() const { return static_cast<std::size_t>(end_ - at_); }

  /// Records a fault, if it is the first, and goes to the end.
  void Fail(isa::ErrorCode code, std::string message, std::size_t at);
  /// The same for bytes that are no module at all; at the next byte.
  void Malformed(std::string message) {
    Fail(isa::ErrorCode::kSyntax, std::move(message), offset());
  }

  /// The next byte; `what` names it in the fault of a range that ends here. The same holds of all
  /// that read.
  std::uint8_t Byte(std::string_view what) {
    if (at_ == end_) return static_cast<std::uint8_t>(FailEnd(what));
    return *at_++;
  }
  /// The next byte without reading it; 0 at the end.
  std::uint8_t Peek() const { return at_ == end_ ? std::uint8_t{0} : *at_; }

  /// LEB128 numbers. Faults: "unexpected end", "integer representation too long", "integer too
  /// large".
  std::uint32_t U32(std::string_view what) {
    if (at_ != end_ && *at_ < kMoreBytes) return *at_++;
    return U32Slow(what);
  }
  std::uint64_t U64(std::string_view what);
  std::int32_t S32(std::string_view what) {
    if (at_ != end_ && *at_ < kMoreBytes) return SignOfOneByte(*at_++);
    return static_cast<std::int32_t>(SignedSlow(kI32Bits, what));
  }
  std::int64_t S33(std::string_view what) { return SignedSlow(kIndexBits, what); }
  std::int64_t S64(std::string_view what) {
    if (at_ != end_ && *at_ < kMoreBytes) return SignOfOneByte(*at_++);
    return SignedSlow(kI64Bits, what);
  }

  /// 4 and 8 bytes, the low one first.
  std::uint32_t Word(std::string_view what);
  std::uint64_t LongWord(std::string_view what);

  /// A number of items that follow, each of at least `item_bytes` bytes. Fault: more than fit into
  /// what remains.
  std::uint32_t Count(std::string_view what, std::size_t item_bytes = 1);

  /// `size` bytes. Fault: "length out of bounds".
  std::span<const std::uint8_t> Bytes(std::size_t size, std::string_view what);
  /// A length and that many bytes of UTF-8. Faults: those of Bytes, "malformed UTF-8 encoding".
  std::string_view Name(std::string_view what);
  /// The next `size` bytes as a range of their own, and this cursor beyond them.
  Cursor Take(std::size_t size, std::string_view what);

 private:
  static constexpr std::uint8_t kMoreBytes = 0x80;
  static constexpr int kI32Bits = 32, kIndexBits = 33, kI64Bits = 64;

  static std::int32_t SignOfOneByte(std::uint8_t byte) {
    constexpr int kSign = 0x40, kLebBits = 7;
    return byte - ((byte & kSign) != 0 ? 1 << kLebBits : 0);
  }
  int FailEnd(std::string_view what);
  std::uint32_t U32Slow(std::string_view what);
  std::int64_t SignedSlow(int bits, std::string_view what);

  const std::uint8_t* begin_;
  const std::uint8_t* at_;
  const std::uint8_t* end_;
  std::size_t first_;  // offset of *begin_ in the module
  std::optional<Fault>* fault_;
};

/// Whether bytes are well-formed UTF-8: no overlong form, no surrogate, nothing above U+10FFFF.
bool IsUtf8(std::string_view bytes);

}  // namespace txvm::frontends::wasm

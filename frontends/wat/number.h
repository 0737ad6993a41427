// Numbers as WebAssembly's text format writes them.
// Goals: every notation, with '_' between digits; rounding to nearest, ties to even.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace txvm::frontends::wat {

/// Why a text stands for no value.
enum class NumberFault : std::uint8_t {
  kNone,
  kNoNumber,    // it is none at all
  kOutOfRange,  // it is one that the type does not have
};

/// The bits of a number, or why there are none.
struct Number {
  std::uint64_t bits = 0;
  NumberFault fault = NumberFault::kNone;
};

/// A number without a sign, of at most `bits` bits (1 to 64).
Number ParseUnsigned(std::string_view text, int bits);

/// An integer of `bits` bits: from the least signed value to the greatest unsigned one. The bits
/// above are zero.
Number ParseInteger(std::string_view text, int bits);

/// An f32 or an f64: decimal, hexadecimal, inf, nan and nan:0x...
Number ParseF32(std::string_view text);
Number ParseF64(std::string_view text);

}  // namespace txvm::frontends::wat

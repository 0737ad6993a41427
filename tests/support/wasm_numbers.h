// The numeric instructions of WebAssembly as text, for generators, and numbers worth trying.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "isa/support/random.h"

namespace txvm::tests {

/// A numeric instruction that takes its operands from the stack. Types are letters: i for i32, l
/// for i64, f for f32, d for f64.
struct NumericOp {
  std::string_view text;
  std::string_view operands;  // the first deepest
  char result;
  bool makes_nan;  // its result may be a NaN that WebAssembly does not determine
};

/// All of them: of i32, i64, f32 and f64, conversions included. Static.
std::span<const NumericOp> NumericOps();

/// A load, or a store of a value of `type`. Static.
struct MemoryOp {
  std::string_view text;
  char type;
};
std::span<const MemoryOp> MemoryLoads();
std::span<const MemoryOp> MemoryStores();

/// "i32", "i64", "f32", "f64", or "v128" of v.
std::string_view TypeName(char type);
/// Whether a value of this type takes two words.
constexpr bool IsWideType(char type) { return type == 'l' || type == 'd'; }

/// The upper half of a vector whose lower half RandomNumber drew.
constexpr std::uint64_t UpperHalf(std::uint64_t lower) {
  constexpr std::uint64_t kMix = 0x9E3779B97F4A7C15;
  return lower % 3 == 0 ? lower : (lower ^ lower >> 29) * kMix;
}

/// The words of a number or a vector by its low bits, low first.
std::vector<std::uint32_t> WordsOfNumber(char type, std::uint64_t bits);

/// The bits of a random number: of an i32 or f32 the low 32 bits, of a v128 the lower half. Floats
/// are often zeros, infinities, NaNs, subnormal numbers, small integers, halves, and the limits of
/// integer types.
std::uint64_t RandomNumber(char type, isa::SplitMix64& random);

/// "f64.const 0x1.8p+0", "i32.const 5"; a NaN with its fraction.
std::string ConstText(char type, std::uint64_t bits);

}  // namespace txvm::tests

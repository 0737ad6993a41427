#include "tests/support/wasm_numbers.h"

#include <array>
#include <bit>
#include <cstdio>

namespace txvm::tests {
namespace {

constexpr auto kOps = std::to_array<NumericOp>({
    {"i32.add", "ii", 'i', false},
    {"i32.sub", "ii", 'i', false},
    {"i32.mul", "ii", 'i', false},
    {"i32.div_s", "ii", 'i', false},
    {"i32.div_u", "ii", 'i', false},
    {"i32.rem_s", "ii", 'i', false},
    {"i32.rem_u", "ii", 'i', false},
    {"i32.and", "ii", 'i', false},
    {"i32.or", "ii", 'i', false},
    {"i32.xor", "ii", 'i', false},
    {"i32.shl", "ii", 'i', false},
    {"i32.shr_s", "ii", 'i', false},
    {"i32.shr_u", "ii", 'i', false},
    {"i32.rotl", "ii", 'i', false},
    {"i32.rotr", "ii", 'i', false},
    {"i32.eq", "ii", 'i', false},
    {"i32.ne", "ii", 'i', false},
    {"i32.lt_s", "ii", 'i', false},
    {"i32.lt_u", "ii", 'i', false},
    {"i32.gt_s", "ii", 'i', false},
    {"i32.gt_u", "ii", 'i', false},
    {"i32.le_s", "ii", 'i', false},
    {"i32.le_u", "ii", 'i', false},
    {"i32.ge_s", "ii", 'i', false},
    {"i32.ge_u", "ii", 'i', false},
    {"i32.clz", "i", 'i', false},
    {"i32.ctz", "i", 'i', false},
    {"i32.popcnt", "i", 'i', false},
    {"i32.extend8_s", "i", 'i', false},
    {"i32.extend16_s", "i", 'i', false},
    {"i32.eqz", "i", 'i', false},
    {"i64.add", "ll", 'l', false},
    {"i64.sub", "ll", 'l', false},
    {"i64.mul", "ll", 'l', false},
    {"i64.div_s", "ll", 'l', false},
    {"i64.div_u", "ll", 'l', false},
    {"i64.rem_s", "ll", 'l', false},
    {"i64.rem_u", "ll", 'l', false},
    {"i64.and", "ll", 'l', false},
    {"i64.or", "ll", 'l', false},
    {"i64.xor", "ll", 'l', false},
    {"i64.shl", "ll", 'l', false},
    {"i64.shr_s", "ll", 'l', false},
    {"i64.shr_u", "ll", 'l', false},
    {"i64.rotl", "ll", 'l', false},
    {"i64.rotr", "ll", 'l', false},
    {"i64.eq", "ll", 'i', false},
    {"i64.ne", "ll", 'i', false},
    {"i64.lt_s", "ll", 'i', false},
    {"i64.lt_u", "ll", 'i', false},
    {"i64.gt_s", "ll", 'i', false},
    {"i64.gt_u", "ll", 'i', false},
    {"i64.le_s", "ll", 'i', false},
    {"i64.le_u", "ll", 'i', false},
    {"i64.ge_s", "ll", 'i', false},
    {"i64.ge_u", "ll", 'i', false},
    {"i64.clz", "l", 'l', false},
    {"i64.ctz", "l", 'l', false},
    {"i64.popcnt", "l", 'l', false},
    {"i64.extend8_s", "l", 'l', false},
    {"i64.extend16_s", "l", 'l', false},
    {"i64.eqz", "l", 'i', false},
    {"i64.extend32_s", "l", 'l', false},
    {"i32.wrap_i64", "l", 'i', false},
    {"i64.extend_i32_s", "i", 'l', false},
    {"i64.extend_i32_u", "i", 'l', false},
    {"f32.add", "ff", 'f', true},
    {"f32.sub", "ff", 'f', true},
    {"f32.mul", "ff", 'f', true},
    {"f32.div", "ff", 'f', true},
    {"f32.min", "ff", 'f', true},
    {"f32.max", "ff", 'f', true},
    {"f32.copysign", "ff", 'f', false},
    {"f32.eq", "ff", 'i', false},
    {"f32.ne", "ff", 'i', false},
    {"f32.lt", "ff", 'i', false},
    {"f32.gt", "ff", 'i', false},
    {"f32.le", "ff", 'i', false},
    {"f32.ge", "ff", 'i', false},
    {"f32.ceil", "f", 'f', true},
    {"f32.floor", "f", 'f', true},
    {"f32.trunc", "f", 'f', true},
    {"f32.nearest", "f", 'f', true},
    {"f32.sqrt", "f", 'f', true},
    {"f32.abs", "f", 'f', false},
    {"f32.neg", "f", 'f', false},
    {"i32.trunc_f32_s", "f", 'i', false},
    {"i32.trunc_sat_f32_s", "f", 'i', false},
    {"f32.convert_i32_s", "i", 'f', false},
    {"i32.trunc_f32_u", "f", 'i', false},
    {"i32.trunc_sat_f32_u", "f", 'i', false},
    {"f32.convert_i32_u", "i", 'f', false},
    {"i64.trunc_f32_s", "f", 'l', false},
    {"i64.trunc_sat_f32_s", "f", 'l', false},
    {"f32.convert_i64_s", "l", 'f', false},
    {"i64.trunc_f32_u", "f", 'l', false},
    {"i64.trunc_sat_f32_u", "f", 'l', false},
    {"f32.convert_i64_u", "l", 'f', false},
    {"f64.add", "dd", 'd', true},
    {"f64.sub", "dd", 'd', true},
    {"f64.mul", "dd", 'd', true},
    {"f64.div", "dd", 'd', true},
    {"f64.min", "dd", 'd', true},
    {"f64.max", "dd", 'd', true},
    {"f64.copysign", "dd", 'd', false},
    {"f64.eq", "dd", 'i', false},
    {"f64.ne", "dd", 'i', false},
    {"f64.lt", "dd", 'i', false},
    {"f64.gt", "dd", 'i', false},
    {"f64.le", "dd", 'i', false},
    {"f64.ge", "dd", 'i', false},
    {"f64.ceil", "d", 'd', true},
    {"f64.floor", "d", 'd', true},
    {"f64.trunc", "d", 'd', true},
    {"f64.nearest", "d", 'd', true},
    {"f64.sqrt", "d", 'd', true},
    {"f64.abs", "d", 'd', false},
    {"f64.neg", "d", 'd', false},
    {"i32.trunc_f64_s", "d", 'i', false},
    {"i32.trunc_sat_f64_s", "d", 'i', false},
    {"f64.convert_i32_s", "i", 'd', false},
    {"i32.trunc_f64_u", "d", 'i', false},
    {"i32.trunc_sat_f64_u", "d", 'i', false},
    {"f64.convert_i32_u", "i", 'd', false},
    {"i64.trunc_f64_s", "d", 'l', false},
    {"i64.trunc_sat_f64_s", "d", 'l', false},
    {"f64.convert_i64_s", "l", 'd', false},
    {"i64.trunc_f64_u", "d", 'l', false},
    {"i64.trunc_sat_f64_u", "d", 'l', false},
    {"f64.convert_i64_u", "l", 'd', false},
    {"f32.demote_f64", "d", 'f', true},
    {"f64.promote_f32", "f", 'd', true},
    {"i32.reinterpret_f32", "f", 'i', false},
    {"i64.reinterpret_f64", "d", 'l', false},
    {"f32.reinterpret_i32", "i", 'f', false},
    {"f64.reinterpret_i64", "l", 'd', false},
});

constexpr auto kLoads = std::to_array<MemoryOp>({
    {"i32.load", 'i'},
    {"i32.load8_u", 'i'},
    {"i32.load8_s", 'i'},
    {"i32.load16_u", 'i'},
    {"i32.load16_s", 'i'},
    {"i64.load", 'l'},
    {"i64.load8_u", 'l'},
    {"i64.load8_s", 'l'},
    {"i64.load16_u", 'l'},
    {"i64.load16_s", 'l'},
    {"i64.load32_u", 'l'},
    {"i64.load32_s", 'l'},
    {"f32.load", 'f'},
    {"f64.load", 'd'},
});

constexpr auto kStores = std::to_array<MemoryOp>({
    {"i32.store", 'i'},
    {"i32.store8", 'i'},
    {"i32.store16", 'i'},
    {"i64.store", 'l'},
    {"i64.store8", 'l'},
    {"i64.store16", 'l'},
    {"i64.store32", 'l'},
    {"f32.store", 'f'},
    {"f64.store", 'd'},
});

/// The parts of a float format.
struct Format {
  int fraction_bits;
  int exponent_bits;
};
constexpr Format kF32 = {23, 8}, kF64 = {52, 11};

std::uint64_t Mask(int bits) { return (std::uint64_t{1} << bits) - 1; }

std::uint64_t BitsOf(char type, double value) {
  return type == 'd' ? std::bit_cast<std::uint64_t>(value)
                     : std::bit_cast<std::uint32_t>(static_cast<float>(value));
}

/// A number whose exponent is that of 2^exponent, with a random sign and fraction.
std::uint64_t NearPower(const Format& format, int exponent, std::uint64_t bits) {
  const int bias = static_cast<int>(Mask(format.exponent_bits - 1));
  const std::uint64_t sign = bits >> 63 << (format.fraction_bits + format.exponent_bits);
  std::uint64_t fraction = bits & Mask(format.fraction_bits);
  if (bits % 3 == 0) fraction = 0;                                           // the power itself
  if (bits % 3 == 1) fraction = bits / 64 % 4 ^ Mask(format.fraction_bits);  // just below the next
  return sign | static_cast<std::uint64_t>(exponent + bias) << format.fraction_bits | fraction;
}

std::uint64_t RandomFloat(char type, isa::SplitMix64& random) {
  const Format& format = type == 'd' ? kF64 : kF32;
  const std::uint64_t bits = random.Next(), more = random.Next();
  const std::uint64_t exponents = Mask(format.exponent_bits) << format.fraction_bits;
  const std::uint64_t sign = bits >> 63 << (format.fraction_bits + format.exponent_bits);
  constexpr int kLimits[] = {7, 8, 15, 16, 31, 32, 52, 53, 63, 64, 23, 24};
  switch (more % 12) {
    case 0:
      return sign;
    case 1:
      return sign | exponents;
    case 2:
      return sign | exponents | (bits & Mask(format.fraction_bits));  // a NaN, as a rule
    case 3:
      return sign | (bits & Mask(format.fraction_bits));  // subnormal
    case 4:
      return sign | (bits % 4);
    case 5:
      return BitsOf(type, static_cast<double>(static_cast<std::int64_t>(bits) >> 56));
    case 6:
      return BitsOf(type, static_cast<double>(static_cast<std::int64_t>(bits) >> 56) / 2);
    case 7:
      return NearPower(format, kLimits[more / 16 % std::size(kLimits)], bits);
    case 8:
      return NearPower(format, static_cast<int>(more / 16 % 8) - 4, bits);
    case 9:
      return sign | (exponents - (bits % 3 << format.fraction_bits)) | (bits & 1);  // huge
    case 10:
      return NearPower(format, static_cast<int>(more / 16 % 64) - 32, bits);
    default:
      return type == 'd' ? bits : bits & Mask(32);
  }
}

std::uint64_t RandomInteger(char type, isa::SplitMix64& random) {
  const std::uint64_t bits = random.Next(), more = random.Next();
  std::uint64_t value = bits;
  switch (more % 6) {
    case 0:
    case 1:
      value = bits % 9;
      break;
    case 2:
      value = 0 - bits % 9;
      break;
    case 3:
      value = (std::uint64_t{1} << more / 8 % 64) - bits % 2;
      break;
    case 4:
      value = bits % 70'000;
      break;
    default:
      break;
  }
  return type == 'l' || type == 'v' ? value : value & Mask(32);
}

}  // namespace

std::span<const NumericOp> NumericOps() { return kOps; }
std::span<const MemoryOp> MemoryLoads() { return kLoads; }
std::span<const MemoryOp> MemoryStores() { return kStores; }

std::string_view TypeName(char type) {
  switch (type) {
    case 'l':
      return "i64";
    case 'f':
      return "f32";
    case 'd':
      return "f64";
    case 'v':
      return "v128";
    default:
      return "i32";
  }
}

std::vector<std::uint32_t> WordsOfNumber(char type, std::uint64_t bits) {
  constexpr int kWordBits = 32;
  const std::uint64_t upper = UpperHalf(bits);
  std::vector<std::uint32_t> words = {
      static_cast<std::uint32_t>(bits), static_cast<std::uint32_t>(bits >> kWordBits),
      static_cast<std::uint32_t>(upper), static_cast<std::uint32_t>(upper >> kWordBits)};
  words.resize(type == 'v' ? 4 : IsWideType(type) ? 2 : 1);
  return words;
}

std::uint64_t RandomNumber(char type, isa::SplitMix64& random) {
  return type == 'f' || type == 'd' ? RandomFloat(type, random) : RandomInteger(type, random);
}

std::string ConstText(char type, std::uint64_t bits) {
  const std::string op = std::string(TypeName(type)) + ".const ";
  if (type == 'i') return op + std::to_string(static_cast<std::uint32_t>(bits));
  if (type == 'l') return op + std::to_string(bits);
  if (type == 'v') {
    return op + "i64x2 " + std::to_string(bits) + " " + std::to_string(UpperHalf(bits));
  }
  const Format& format = type == 'd' ? kF64 : kF32;
  const std::uint64_t fraction = bits & Mask(format.fraction_bits);
  const bool is_negative = (bits >> (format.fraction_bits + format.exponent_bits) & 1) != 0;
  char text[40];
  if ((bits >> format.fraction_bits & Mask(format.exponent_bits)) == Mask(format.exponent_bits)) {
    if (fraction == 0) return op + (is_negative ? "-inf" : "inf");
    std::snprintf(text, sizeof text, "%snan:0x%llx", is_negative ? "-" : "",
                  static_cast<unsigned long long>(fraction));
    return op + text;
  }
  const double value = type == 'd' ? std::bit_cast<double>(bits)
                                   : std::bit_cast<float>(static_cast<std::uint32_t>(bits));
  std::snprintf(text, sizeof text, "%a", value);
  return op + text;
}

}  // namespace txvm::tests

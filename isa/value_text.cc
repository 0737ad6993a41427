#include "isa/value_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>
#include <system_error>

#include "isa/support/text.h"

namespace txvm::isa {
namespace {

constexpr int kDecimal = 10, kHex = 16;
constexpr int kBitsOfHexDigit = 4;

// What a float type is made of: its bits are sign, exponent, mantissa.
template <typename Float>
struct FloatFacts;
template <>
struct FloatFacts<float> {
  static constexpr int kMantissaBits = 23;
  static constexpr std::uint64_t kSign = 0x80000000, kInfinity = 0x7F800000;
};
template <>
struct FloatFacts<double> {
  static constexpr int kMantissaBits = 52;
  static constexpr std::uint64_t kSign = 0x8000000000000000, kInfinity = 0x7FF0000000000000;
};
template <typename Float>
constexpr std::uint64_t kMantissa = (std::uint64_t{1} << FloatFacts<Float>::kMantissaBits) - 1;
template <typename Float>
constexpr std::uint64_t kQuiet = std::uint64_t{1} << (FloatFacts<Float>::kMantissaBits - 1);

std::uint64_t BitsOf(float value) { return std::bit_cast<std::uint32_t>(value); }
std::uint64_t BitsOf(double value) { return std::bit_cast<std::uint64_t>(value); }

bool IsDigit(char c) { return c >= '0' && c <= '9'; }

// Removes a sign; whether it was a minus.
bool TakeSign(std::string_view& text) {
  const bool negative = text.starts_with('-');
  if (negative || text.starts_with('+')) text.remove_prefix(1);
  return negative;
}

bool TakeHexPrefix(std::string_view& text) {
  const bool hex = text.starts_with("0x") || text.starts_with("0X");
  if (hex) text.remove_prefix(2);
  return hex;
}

// The number that all of `digits` is, without a sign.
std::optional<std::uint64_t> Magnitude(std::string_view digits, int base) {
  if (digits.empty() || digits.front() == '-') return std::nullopt;
  std::uint64_t value = 0;
  const char* const end = digits.data() + digits.size();
  const auto [stop, error] = std::from_chars(digits.data(), end, value, base);
  if (stop != end || error != std::errc()) return std::nullopt;
  return value;
}

std::optional<std::uint64_t> ReadInteger(std::string_view text, int bits) {
  const bool negative = TakeSign(text);
  const bool hex = TakeHexPrefix(text);
  const std::optional<std::uint64_t> magnitude = Magnitude(text, hex ? kHex : kDecimal);
  const std::uint64_t all = std::numeric_limits<std::uint64_t>::max() >> (64 - bits);
  const std::uint64_t limit = negative ? std::uint64_t{1} << (bits - 1) : all;
  if (!magnitude || *magnitude > limit) return std::nullopt;
  return (negative ? 0 - *magnitude : *magnitude) & all;
}

// Whether a number that no float is near is a small one. REQUIRES: `text` is one, and not 0.
// Its first digit that is not 0 has the place value base^(p - 1), where p counts the digits from it
// to the point, or is minus the number of zeros between the point and it.
bool IsBelowOne(std::string_view text, bool hex) {
  const std::size_t exponent_at = std::min(text.find_first_of(hex ? "pP" : "eE"), text.size());
  const std::string_view mantissa = text.substr(0, exponent_at);
  const std::size_t point = std::min(mantissa.find('.'), mantissa.size());
  const std::size_t first = mantissa.find_first_not_of("0.");
  const auto place = first < point ? static_cast<std::int64_t>(point - first)
                                   : 1 - static_cast<std::int64_t>(first - point);
  std::string_view digits = text.substr(std::min(exponent_at + 1, text.size()));
  const bool negative = TakeSign(digits);
  constexpr std::int64_t kHuge = std::int64_t{1} << 56;  // no text is as long
  std::int64_t exponent = 0;
  for (const char c : digits) exponent = std::min(kHuge, exponent * kDecimal + (c - '0'));
  return (hex ? kBitsOfHexDigit * place : place) + (negative ? -exponent : exponent) <= 0;
}

// A finite number without a sign.
template <typename Float>
std::optional<Float> ReadFinite(std::string_view text) {
  const bool hex = TakeHexPrefix(text);
  // What from_chars takes besides, such as "nan(1)", begins with a letter.
  const auto is_start = [hex](char c) {
    return IsDigit(c) || c == '.' || (hex && ((c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F')));
  };
  if (text.empty() || !is_start(text.front())) return std::nullopt;
  const auto format = hex ? std::chars_format::hex : std::chars_format::general;
  const char* const end = text.data() + text.size();
  Float value = 0;
  const auto [stop, error] = std::from_chars(text.data(), end, value, format);
  if (stop != end || error == std::errc::invalid_argument) return std::nullopt;
  if (error == std::errc::result_out_of_range) {
    if (!IsBelowOne(text, hex)) return std::nullopt;
    return Float{0};
  }
  if (!std::isfinite(value)) return std::nullopt;
  return value;
}

// A float without a sign, as bits.
template <typename Float>
std::optional<std::uint64_t> ReadMagnitude(std::string_view text) {
  constexpr std::uint64_t kInfinity = FloatFacts<Float>::kInfinity;
  constexpr std::string_view kPayload = "nan:0x";
  if (text == "inf" || text == "infinity") return kInfinity;
  if (text == "nan") return kInfinity | kQuiet<Float>;
  if (text.starts_with(kPayload)) {
    const std::optional<std::uint64_t> payload = Magnitude(text.substr(kPayload.size()), kHex);
    if (!payload || *payload == 0 || *payload > kMantissa<Float>) return std::nullopt;
    return kInfinity | *payload;
  }
  const std::optional<Float> value = ReadFinite<Float>(text);
  if (!value) return std::nullopt;
  return BitsOf(*value);
}

template <typename Float>
std::optional<std::uint64_t> ReadFloat(std::string_view text) {
  const bool negative = TakeSign(text);
  const std::optional<std::uint64_t> bits = ReadMagnitude<Float>(text);
  if (!bits) return std::nullopt;
  return *bits | (negative ? FloatFacts<Float>::kSign : 0);
}

template <typename Float>
std::string FloatText(Float value) {
  if (std::isnan(value)) {
    const std::string sign = std::signbit(value) ? "-" : "";
    const std::uint64_t payload = BitsOf(value) & kMantissa<Float>;
    return payload == kQuiet<Float> ? sign + "nan" : fmt::format("{}nan:{:#x}", sign, payload);
  }
  constexpr std::size_t kLongest =
      32;  // of the shortest decimals, "-2.2250738585072014e-308" is 24
  std::array<char, kLongest> text{};
  const auto [end, error] = std::to_chars(text.data(), text.data() + text.size(), value);
  TXVM_ASSERT(error == std::errc());
  return {text.data(), end};
}

// A shape of lanes: as the text format names it.
struct Shape {
  std::string_view text;
  ValueType lane;  // a type whose text a lane has; an integer's bits are cut to `bits`
  int bits;
};
constexpr Shape kShapes[] = {{"i8x16:", ValueType::kI32, 8},  {"i16x8:", ValueType::kI32, 16},
                             {"i32x4:", ValueType::kI32, 32}, {"i64x2:", ValueType::kI64, 64},
                             {"f32x4:", ValueType::kF32, 32}, {"f64x2:", ValueType::kF64, 64}};

std::optional<std::uint64_t> ReadLane(const Shape& shape, std::string_view text) {
  if (IsFloat(shape.lane)) {
    const std::optional<Value> value = ReadValue(shape.lane, text);
    return value ? std::optional(value->bits) : std::nullopt;
  }
  return ReadInteger(text, shape.bits);
}

// "v128:i32x4:1,2,3,4"; "v128:" may be left out.
std::optional<Value> ReadVector(std::string_view text) {
  constexpr std::string_view kPrefix = "v128:";
  constexpr int kBits = 128, kHalfBits = 64;
  if (text.starts_with(kPrefix)) text.remove_prefix(kPrefix.size());
  const auto* shape =
      std::ranges::find_if(kShapes, [&](const Shape& one) { return text.starts_with(one.text); });
  if (shape == std::end(kShapes)) return std::nullopt;
  text.remove_prefix(shape->text.size());
  Value value{ValueType::kV128, 0, 0};
  for (int at = 0; at < kBits; at += shape->bits) {
    const bool is_last = at + shape->bits == kBits;
    const std::size_t comma = text.find(',');
    if (is_last != (comma == text.npos)) return std::nullopt;
    const std::optional<std::uint64_t> lane = ReadLane(*shape, text.substr(0, comma));
    if (!lane) return std::nullopt;
    (at < kHalfBits ? value.bits : value.high) |= *lane << (at % kHalfBits);
    text.remove_prefix(is_last ? text.size() : comma + 1);
  }
  return value;
}

// What values of a type are, for an error.
std::string_view RangeText(ValueType type) {
  switch (type) {
    case ValueType::kI32:
      return "an i32 (-2147483648..4294967295, or hex 0x0..0xffffffff)";
    case ValueType::kI64:
      return "an i64 (-9223372036854775808..18446744073709551615, or hex 0x0..0xffffffffffffffff)";
    case ValueType::kF32:
      return "an f32 (a number such as 2.5, 1e-3 or 0x1.8p3 up to 3.4028235e+38, inf, nan, or "
             "nan:0x1..nan:0x7fffff)";
    case ValueType::kF64:
      return "an f64 (a number such as 2.5, 1e-3 or 0x1.8p3 up to 1.7976931348623157e+308, inf, "
             "nan, or nan:0x1..nan:0xfffffffffffff)";
    case ValueType::kV128:
      return "a v128 (its lanes, the lowest first: v128:i32x4:1,2,3,4, or as i8x16, i16x8, i64x2, "
             "f32x4, f64x2)";
  }
  return {};
}

std::string TypeList(std::span<const ValueType> types, std::uint32_t words) {
  std::string text;
  if (types.empty()) {
    for (std::uint32_t i = 0; i < words; ++i) text += i == 0 ? "word" : ", word";
    return text;
  }
  for (std::size_t i = 0; i < types.size(); ++i) {
    text += fmt::format("{}{}", i == 0 ? "" : ", ", TypeText(types[i]));
  }
  return text;
}

template <typename Function>
std::string Signature(std::string_view name, const Function& function) {
  const std::string results = TypeList(function.result_types, function.results);
  std::string text =
      fmt::format("{}({})", Printable(name), TypeList(function.param_types, function.params));
  if (results.empty()) return text;
  const bool is_list = results.find(',') != std::string::npos;
  return text + " -> " + (is_list ? '(' + results + ')' : results);
}

}  // namespace

std::optional<Value> ReadValue(ValueType type, std::string_view text) {
  if (type == ValueType::kV128) return ReadVector(text);
  std::optional<std::uint64_t> bits;
  switch (type) {
    case ValueType::kI32:
      bits = ReadInteger(text, 32);
      break;
    case ValueType::kI64:
      bits = ReadInteger(text, 64);
      break;
    case ValueType::kF32:
      bits = ReadFloat<float>(text);
      break;
    case ValueType::kF64:
      bits = ReadFloat<double>(text);
      break;
    case ValueType::kV128:
      break;
  }
  if (!bits) return std::nullopt;
  return Value{type, *bits};
}

Result<Value> ParseValue(std::size_t position, ValueType type, std::string_view text) {
  if (const std::optional<Value> value = ReadValue(type, text)) return *value;
  return Fail(ErrorCode::kUsage, fmt::format("argument {} '{}' is not {}", position,
                                             Printable(text), RangeText(type)));
}

std::string ValueText(const Value& value) {
  switch (value.type) {
    case ValueType::kI32:
      return fmt::format("{}", value.AsI32());
    case ValueType::kI64:
      return fmt::format("{}", value.AsI64());
    case ValueType::kF32:
      return FloatText(value.AsF32());
    case ValueType::kF64:
      return FloatText(value.AsF64());
    case ValueType::kV128: {
      const std::array<std::uint32_t, 4> words = value.AsV128();
      const auto lane = [&](std::size_t i) { return static_cast<std::int32_t>(words[i]); };
      return fmt::format("v128:i32x4:{},{},{},{}", lane(0), lane(1), lane(2), lane(3));
    }
  }
  return {};
}

std::string SignatureText(const Export& function) { return Signature(function.name, function); }

std::string SignatureText(const Import& function) {
  return Signature(function.module + '.' + function.name, function);
}

}  // namespace txvm::isa

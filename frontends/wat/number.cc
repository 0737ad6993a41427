#include "frontends/wat/number.h"

#include <algorithm>
#include <bit>
#include <charconv>
#include <limits>
#include <optional>
#include <string>
#include <system_error>

namespace txvm::frontends::wat {
namespace {

constexpr int kMostBits = 64;
constexpr std::uint32_t kHex = 16, kTen = 10;

int DigitOf(char c, std::uint32_t base) {
  int digit = -1;
  if (c >= '0' && c <= '9') digit = c - '0';
  if (c >= 'a' && c <= 'f') digit = c - 'a' + static_cast<int>(kTen);
  if (c >= 'A' && c <= 'F') digit = c - 'A' + static_cast<int>(kTen);
  return digit < static_cast<int>(base) ? digit : -1;
}

constexpr Number kNoNumber{0, NumberFault::kNoNumber};
constexpr Number kOutOfRange{0, NumberFault::kOutOfRange};

bool TakePrefix(std::string_view& text, std::string_view prefix) {
  if (!text.starts_with(prefix)) return false;
  text.remove_prefix(prefix.size());
  return true;
}

/// How a kind of float is laid out.
struct Layout {
  int fraction_bits;
  int bias;
  int all_bits;
};
constexpr Layout kF32{23, 127, 32}, kF64{52, 1023, 64};

/// Digits with '_' between two of them, at least one; they end where no digit is.
struct Digits {
  std::string_view text;  // with '_'
  bool is_good = false;
};

Digits TakeDigits(std::string_view& text, std::uint32_t base) {
  std::size_t size = 0;
  bool after_digit = false, is_good = true;
  while (size < text.size()) {
    if (text[size] == '_') {
      if (!after_digit) is_good = false;
      after_digit = false;
    } else if (DigitOf(text[size], base) >= 0) {
      after_digit = true;
    } else {
      break;
    }
    ++size;
  }
  Digits digits{text.substr(0, size), is_good && after_digit};
  text.remove_prefix(size);
  return digits;
}

/// The exponent, held within what matters.
std::int64_t ExponentOf(std::string_view digits, bool is_negative) {
  constexpr std::int64_t kMost = 1'000'000'000'000;
  std::int64_t value = 0;
  for (const char c : digits) {
    if (c != '_') value = std::min<std::int64_t>(kMost, value * kTen + (c - '0'));
  }
  return is_negative ? -value : value;
}

/// mantissa * 2^exponent, more below it when `is_sticky`, rounded. REQUIRES: when is_sticky, the
/// mantissa has more than 60 bits in use.
Number Round(std::uint64_t mantissa, std::int64_t exponent, bool is_sticky, const Layout& layout) {
  if (mantissa == 0) return {};
  const int top = kMostBits - 1 - std::countl_zero(mantissa);
  const std::int64_t scale = exponent + top;  // of the first bit
  if (scale > layout.bias + 1) return kOutOfRange;
  const std::int64_t least = 1 - layout.bias;
  const bool is_subnormal = scale < least;
  // Bits below the last bit of the fraction.
  const std::int64_t last = (is_subnormal ? least : scale) - layout.fraction_bits;
  const std::int64_t drop = last - exponent;
  std::uint64_t kept = 0;
  if (drop <= 0) {
    kept = mantissa << -drop;
  } else if (drop > kMostBits) {
    return {};
  } else {
    const std::uint64_t half = std::uint64_t{1} << (drop - 1);
    kept = drop == kMostBits ? 0 : mantissa >> drop;
    const std::uint64_t rest = drop == kMostBits ? mantissa : mantissa & ((half << 1) - 1);
    if (rest > half || (rest == half && (is_sticky || (kept & 1) != 0))) ++kept;
  }
  // The hidden bit carries into the exponent by itself.
  const std::uint64_t hidden = std::uint64_t{1} << layout.fraction_bits;
  std::uint64_t bits = kept;
  if (!is_subnormal) {
    bits =
        kept - hidden + (static_cast<std::uint64_t>(scale + layout.bias) << layout.fraction_bits);
  }
  const auto infinite = static_cast<std::uint64_t>(2 * layout.bias + 1) << layout.fraction_bits;
  if (bits >= infinite) return kOutOfRange;
  return {bits, NumberFault::kNone};
}

/// The parts of a float that is written with digits.
struct FloatParts {
  Digits whole, fraction;
  std::int64_t exponent = 0;
};

/// Takes digits of `base`, "." and more of them, and an exponent after `mark` or its capital. Null
/// where the text is no such float, or goes on.
std::optional<FloatParts> SplitFloat(std::string_view text, std::uint32_t base, char mark) {
  constexpr char kToCapital = 'a' - 'A';
  const auto at_mark = [&] {
    return !text.empty() && (text.front() == mark || text.front() == mark - kToCapital);
  };
  FloatParts parts;
  parts.whole = TakeDigits(text, base);
  if (!parts.whole.is_good) return std::nullopt;
  if (TakePrefix(text, ".") && !text.empty() && !at_mark()) {
    parts.fraction = TakeDigits(text, base);
    if (!parts.fraction.is_good) return std::nullopt;
  }
  if (at_mark()) {
    text.remove_prefix(1);
    const bool is_negative = TakePrefix(text, "-");
    if (!is_negative) (void)TakePrefix(text, "+");
    const Digits digits = TakeDigits(text, kTen);
    if (!digits.is_good) return std::nullopt;
    parts.exponent = ExponentOf(digits.text, is_negative);
  }
  if (!text.empty()) return std::nullopt;
  return parts;
}

Number ParseHexFloat(std::string_view text, const Layout& layout) {
  constexpr int kDigitBits = 4;
  const auto parts = SplitFloat(text, kHex, 'p');
  if (!parts) return kNoNumber;
  std::int64_t exponent = parts->exponent;
  std::uint64_t mantissa = 0;
  bool is_sticky = false;
  const auto take = [&](std::string_view digits, bool is_fraction) {
    for (const char c : digits) {
      if (c == '_') continue;
      const auto digit = static_cast<std::uint64_t>(DigitOf(c, kHex));
      if ((mantissa >> (kMostBits - kDigitBits)) == 0) {
        mantissa = mantissa << kDigitBits | digit;
        if (is_fraction) exponent -= kDigitBits;
      } else {
        is_sticky = is_sticky || digit != 0;
        if (!is_fraction) exponent += kDigitBits;
      }
    }
  };
  take(parts->whole.text, false);
  take(parts->fraction.text, true);
  return Round(mantissa, exponent, is_sticky, layout);
}

template <typename Float>
Number ParseDecimalFloat(std::string_view text) {
  const auto parts = SplitFloat(text, kTen, 'e');
  if (!parts) return kNoNumber;
  std::string plain;
  std::string_view number = text;
  if (text.find('_') != std::string_view::npos) {
    plain.assign(text);
    std::erase(plain, '_');
    number = plain;
  }
  Float value = 0;
  const auto [end, status] = std::from_chars(number.data(), number.data() + number.size(), value);
  constexpr auto kInfinity = std::numeric_limits<Float>::infinity();
  if (status == std::errc() && value != kInfinity) {
    using Bits =
        std::conditional_t<sizeof(Float) == sizeof(std::uint32_t), std::uint32_t, std::uint64_t>;
    return {std::bit_cast<Bits>(value), NumberFault::kNone};
  }
  // Too large or too small: the place of the first digit that is not zero tells.
  std::int64_t place = parts->exponent;
  bool found = false;
  for (const char c : parts->whole.text) {
    if (c == '_') continue;
    if (found) ++place;
    found = found || c != '0';
  }
  if (!found) {
    for (const char c : parts->fraction.text) {
      if (c == '_') continue;
      --place;
      if (c != '0') break;
    }
  }
  return place > 0 ? kOutOfRange : Number{};
}

Number ParseFloat(std::string_view text, const Layout& layout) {
  const std::uint64_t sign = std::uint64_t{1} << (layout.all_bits - 1);
  const bool is_negative = TakePrefix(text, "-");
  if (!is_negative) (void)TakePrefix(text, "+");
  const auto infinite = static_cast<std::uint64_t>(2 * layout.bias + 1) << layout.fraction_bits;
  Number number;
  if (text == "inf") {
    number.bits = infinite;
  } else if (text == "nan") {
    number.bits = infinite | std::uint64_t{1} << (layout.fraction_bits - 1);
  } else if (TakePrefix(text, "nan:0x")) {
    const Digits digits = TakeDigits(text, kHex);
    if (!digits.is_good || !text.empty()) return kNoNumber;
    std::uint64_t payload = 0;
    for (const char c : digits.text) {
      if (c == '_') continue;
      payload = payload * kHex + static_cast<std::uint64_t>(DigitOf(c, kHex));
      if (payload >> layout.fraction_bits != 0) return kOutOfRange;
    }
    if (payload == 0) return kOutOfRange;
    number.bits = infinite | payload;
  } else if (TakePrefix(text, "0x")) {
    number = ParseHexFloat(text, layout);
  } else if (layout.all_bits == kF32.all_bits) {
    number = ParseDecimalFloat<float>(text);
  } else {
    number = ParseDecimalFloat<double>(text);
  }
  if (number.fault == NumberFault::kNone && is_negative) number.bits |= sign;
  return number;
}

}  // namespace

Number ParseUnsigned(std::string_view text, int bits) {
  const std::uint32_t base = TakePrefix(text, "0x") ? kHex : kTen;
  const std::uint64_t most = ~std::uint64_t{0} >> (kMostBits - bits);
  std::uint64_t value = 0;
  bool after_digit = false, is_too_large = false;
  for (const char c : text) {
    if (c == '_' && after_digit) {
      after_digit = false;
      continue;
    }
    const int digit = DigitOf(c, base);
    if (digit < 0) return kNoNumber;
    after_digit = true;
    const auto add = static_cast<std::uint64_t>(digit);
    if (value > (most - add) / base) is_too_large = true;
    value = value * base + add;
  }
  if (!after_digit) return kNoNumber;
  if (is_too_large) return kOutOfRange;
  return {value, NumberFault::kNone};
}

Number ParseInteger(std::string_view text, int bits) {
  const bool is_negative = TakePrefix(text, "-");
  if (!is_negative) (void)TakePrefix(text, "+");
  Number number = ParseUnsigned(text, bits);
  if (number.fault != NumberFault::kNone || !is_negative) return number;
  if (number.bits > std::uint64_t{1} << (bits - 1)) return kOutOfRange;
  number.bits = (~number.bits + 1) & (~std::uint64_t{0} >> (kMostBits - bits));
  return number;
}

Number ParseF32(std::string_view text) { return ParseFloat(text, kF32); }
Number ParseF64(std::string_view text) { return ParseFloat(text, kF64); }

}  // namespace txvm::frontends::wat

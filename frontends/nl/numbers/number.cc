#include "frontends/nl/numbers/number.h"

#include <fmt/format.h>

#include <algorithm>

#include "frontends/nl/numbers/characters.h"

namespace txvm::frontends::nl {
namespace {

using isa::ErrorCode;
using isa::Result;

constexpr std::uint32_t kSignBit = 1u << 31;
constexpr std::uint32_t kTen = 10;
constexpr int kLimbBits = 32;

bool IsNegative(const Limbs& value) { return (value.back() & kSignBit) != 0; }
bool IsZero(const Limbs& value) {
  return std::ranges::all_of(value, [](std::uint32_t limb) { return limb == 0; });
}

Limbs Negate(const Limbs& value) {
  Limbs out{};
  std::uint64_t carry = 1;
  for (std::size_t i = 0; i < kLimbs; ++i) {
    carry += static_cast<std::uint32_t>(~value[i]);
    out[i] = static_cast<std::uint32_t>(carry);
    carry >>= kLimbBits;
  }
  return out;
}

/// value * factor + add as an unsigned number; false when that needs more than 256 bits.
bool MultiplyAdd(Limbs& value, std::uint32_t factor, std::uint32_t add) {
  std::uint64_t carry = add;
  for (std::uint32_t& limb : value) {
    carry += std::uint64_t{limb} * factor;
    limb = static_cast<std::uint32_t>(carry);
    carry >>= kLimbBits;
  }
  return carry == 0;
}

/// Divides an unsigned number; returns the remainder.
std::uint32_t DivideBy(Limbs& value, std::uint32_t divisor) {
  std::uint64_t rest = 0;
  for (std::size_t i = kLimbs; i-- > 0;) {
    rest = rest << kLimbBits | value[i];
    value[i] = static_cast<std::uint32_t>(rest / divisor);
    rest %= divisor;
  }
  return static_cast<std::uint32_t>(rest);
}

bool LessUnsigned(const Limbs& a, const Limbs& b) {
  return std::lexicographical_compare(a.rbegin(), a.rend(), b.rbegin(), b.rend());
}

void SubtractUnsigned(Limbs& a, const Limbs& b) {
  std::uint64_t borrow = 0;
  for (std::size_t i = 0; i < kLimbs; ++i) {
    const std::uint64_t taken = std::uint64_t{b[i]} + borrow;
    borrow = a[i] < taken ? 1 : 0;
    a[i] = static_cast<std::uint32_t>(a[i] - taken);
  }
}

/// Whether a magnitude with this sign is a signed integer of 256 bits.
bool FitsSigned(const Limbs& magnitude, bool negative) {
  constexpr Limbs kLeast = {0, 0, 0, 0, 0, 0, 0, kSignBit};  // -2^255 is its own magnitude
  return !IsNegative(magnitude) || (negative && magnitude == kLeast);
}

/// The text as messages show it.
std::string Shown(std::string_view text) {
  constexpr std::size_t kLongNumber = 90;  // characters; longer ones are cut
  if (text.size() <= kLongNumber) return std::string(text);
  return fmt::format("{}... ({} digits)", text.substr(0, kLongNumber),
                     std::ranges::count_if(text, IsDigit));
}

std::unexpected<isa::Error> NoNumber(std::string_view text) {
  return isa::Fail(ErrorCode::kSyntax, fmt::format("'{}' is no decimal number", Shown(text)));
}

std::unexpected<isa::Error> TooLarge(std::string_view text, std::int64_t exponent) {
  const std::string_view more = exponent >= kMostExponent ? " or more" : "";
  const std::string scale = exponent == 0 ? "" : fmt::format(" times 10^{}{}", exponent, more);
  return isa::Fail(ErrorCode::kLimit, fmt::format("the number {}{} does not fit in {} bits",
                                                  Shown(text), scale, kIntegerBits));
}

/// digits / 10^places. INVARIANT: no zeros in front; none at the end but where places is 0.
struct DecimalDigits {
  std::string digits;
  std::int64_t places = 0;
};

/// The digits of a text without its sign; nothing where it is no decimal number.
std::optional<DecimalDigits> ReadDecimalDigits(std::string_view text) {
  if (std::ranges::none_of(text, IsDigit)) return std::nullopt;
  DecimalDigits out;
  std::size_t points = 0;
  for (const char c : text) {
    if (c == '.' && ++points == 1) continue;
    if (!IsDigit(c)) return std::nullopt;
    if (points != 0) ++out.places;
    if (c != '0' || !out.digits.empty()) out.digits.push_back(c);
  }
  while (out.digits.ends_with('0')) {
    out.digits.pop_back();
    --out.places;
  }
  return out;
}

/// Divides a decimal integer by 2 or 5; false, and nothing changes, where that leaves a rest.
bool DivideDigits(std::string& digits, int divisor) {
  if ((digits.back() - '0') % divisor != 0) return false;
  int rest = 0;
  for (char& c : digits) {
    rest = rest * static_cast<int>(kTen) + (c - '0');
    c = static_cast<char>('0' + rest / divisor);
    rest %= divisor;
  }
  return true;
}

}  // namespace

Rational Rational::FromInt(std::int64_t value) {
  Rational out;
  out.numerator.fill(value < 0 ? ~0u : 0u);
  out.numerator[0] = static_cast<std::uint32_t>(value);
  out.numerator[1] = static_cast<std::uint32_t>(static_cast<std::uint64_t>(value) >> kLimbBits);
  return out;
}

bool IsInteger(const Rational& value) { return value.denominator == Limbs{1}; }

std::optional<std::int64_t> ToInt64(const Rational& value) {
  if (!IsInteger(value)) return std::nullopt;
  const auto low = std::uint64_t{value.numerator[1]} << kLimbBits | value.numerator[0];
  const auto candidate = static_cast<std::int64_t>(low);
  if (Rational::FromInt(candidate) != value) return std::nullopt;
  return candidate;
}

// In lowest terms a fraction of n digits that do not end in 0 and p places keeps all factors 2 or
// all factors 5 of 10^p below it, and its digits lose at most 5^255: with more than 256 of either
// it cannot fit, so no hostile text reaches the arithmetic.
Result<Rational> ParseDecimal(std::string_view text, std::int64_t exponent) {
  const bool negative = text.starts_with('-');
  std::optional<DecimalDigits> decimal = ReadDecimalDigits(text.substr(negative ? 1 : 0));
  if (!decimal) return NoNumber(text);
  auto& [digits, places] = *decimal;
  if (digits.empty()) return Rational{};
  constexpr auto kMost = static_cast<std::int64_t>(kIntegerBits);
  places -= exponent;
  if (std::ssize(digits) - std::min<std::int64_t>(places, 0) > kMost || places > kMost) {
    return TooLarge(text, exponent);
  }
  if (places < 0) digits.append(static_cast<std::size_t>(-places), '0');
  Rational out;
  bool fits = true;
  for (const int prime : {2, static_cast<int>(kTen) / 2}) {
    std::int64_t left = std::max<std::int64_t>(places, 0);
    for (; left > 0 && DivideDigits(digits, prime); --left) {
    }
    for (; left > 0; --left) {
      fits = fits && MultiplyAdd(out.denominator, static_cast<std::uint32_t>(prime), 0);
    }
  }
  for (const char c : digits) {
    fits = fits && MultiplyAdd(out.numerator, kTen, static_cast<std::uint32_t>(c - '0'));
  }
  if (!fits || !FitsSigned(out.numerator, negative) || IsNegative(out.denominator)) {
    return TooLarge(text, exponent);
  }
  if (negative) out.numerator = Negate(out.numerator);
  return out;
}

Result<Rational> ParseMixed(std::string_view whole, SmallFraction fraction, std::int64_t exponent) {
  const bool negative = whole.starts_with('-');
  const std::string_view digits = whole.substr(negative ? 1 : 0);
  Rational out;
  if (!digits.empty()) {
    TXVM_TRY(out, ParseDecimal(digits));
  }
  out.denominator = {fraction.denominator};
  const std::int64_t scaled = exponent;
  bool fits = MultiplyAdd(out.numerator, fraction.denominator, fraction.numerator);
  // The numerator grows with every turn but those that cancel, so at most 256 are taken.
  for (; fits && exponent > 0; --exponent) {
    for (const std::uint32_t prime : {2u, kTen / 2}) {
      Limbs rest = out.denominator;
      if (DivideBy(rest, prime) == 0) {
        out.denominator = rest;
      } else {
        fits = fits && MultiplyAdd(out.numerator, prime, 0);
      }
    }
  }
  if (!fits || !FitsSigned(out.numerator, negative)) {
    const std::string scale = scaled == 0 ? "" : fmt::format(" times 10^{}", scaled);
    return isa::Fail(ErrorCode::kLimit,
                     fmt::format("the number {}{}{}/{}{} does not fit in {} bits", Shown(whole),
                                 digits.empty() ? "" : " ", fraction.numerator,
                                 fraction.denominator, scale, kIntegerBits));
  }
  if (negative) out.numerator = Negate(out.numerator);
  return out;
}

std::string ToDecimal(const Limbs& value) {
  Limbs rest = IsNegative(value) ? Negate(value) : value;
  std::string text;
  do {
    text.push_back(static_cast<char>('0' + DivideBy(rest, kTen)));
  } while (!IsZero(rest));
  if (IsNegative(value)) text.push_back('-');
  std::ranges::reverse(text);
  return text;
}

std::string ToText(const Rational& value) {
  if (IsInteger(value)) return ToDecimal(value.numerator);
  return ToDecimal(value.numerator) + "/" + ToDecimal(value.denominator);
}

// Long division, one bit of the numerator at a time for the integer part, then one decimal digit
// at a time. A denominator below 2^252 leaves room for ten times the rest.
std::optional<std::string> ToPoint(const Rational& value, std::size_t most) {
  constexpr std::size_t kRoomBits = 4;
  if (IsInteger(value) || value.denominator.back() >> (kLimbBits - kRoomBits) != 0) {
    return std::nullopt;
  }
  const bool negative = IsNegative(value.numerator);
  const Limbs magnitude = negative ? Negate(value.numerator) : value.numerator;
  Limbs whole{}, rest{};
  for (std::size_t bit = kIntegerBits; bit-- > 0;) {
    MultiplyAdd(rest, 2, magnitude[bit / kLimbBits] >> (bit % kLimbBits) & 1);
    const bool one = !LessUnsigned(rest, value.denominator);
    if (one) SubtractUnsigned(rest, value.denominator);
    MultiplyAdd(whole, 2, one ? 1 : 0);
  }
  std::string text = (negative ? "-" : "") + ToDecimal(whole) + ".";
  for (std::size_t i = 0; i < most && !IsZero(rest); ++i) {
    MultiplyAdd(rest, kTen, 0);
    char digit = '0';
    for (; !LessUnsigned(rest, value.denominator); ++digit) {
      SubtractUnsigned(rest, value.denominator);
    }
    text.push_back(digit);
  }
  if (!IsZero(rest)) return std::nullopt;
  return text;
}

}  // namespace txvm::frontends::nl

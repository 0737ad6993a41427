#include "frontends/nl/number.h"

#include <fmt/format.h>

#include <algorithm>

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

/// Cancels a prime from both as long as it divides both.
void Cancel(Rational& value, std::uint32_t prime) {
  while (true) {
    Rational next = value;
    if (DivideBy(next.numerator, prime) != 0 || DivideBy(next.denominator, prime) != 0) return;
    value = next;
  }
}

bool IsDigit(char c) { return c >= '0' && c <= '9'; }

std::unexpected<isa::Error> NoNumber(std::string_view text) {
  return isa::Fail(ErrorCode::kSyntax, fmt::format("'{}' is no decimal number", text));
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

Result<Rational> ParseDecimal(std::string_view text) {
  if (std::ranges::none_of(text, IsDigit)) return NoNumber(text);
  const bool negative = text.starts_with('-');
  std::string_view digits = text.substr(negative ? 1 : 0);
  const std::size_t point = digits.find('.');
  if (point != std::string_view::npos) {
    while (digits.ends_with('0')) digits.remove_suffix(1);
  }
  Rational out;
  bool fits = true;
  for (std::size_t i = 0; i < digits.size(); ++i) {
    if (i == point) continue;
    if (!IsDigit(digits[i])) return NoNumber(text);
    fits = fits && MultiplyAdd(out.numerator, kTen, static_cast<std::uint32_t>(digits[i] - '0'));
    if (i > point) fits = fits && MultiplyAdd(out.denominator, kTen, 0);
  }
  if (!fits || IsNegative(out.numerator) || IsNegative(out.denominator)) {
    return isa::Fail(ErrorCode::kLimit,
                     fmt::format("the number {} does not fit in {} bits", text, kIntegerBits));
  }
  if (IsZero(out.numerator)) return Rational{};
  Cancel(out, 2);
  Cancel(out, kTen / 2);
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

// Exact numbers as programs hold them: signed 256-bit integers of eight 32-bit limbs, and reduced
// fractions of two. Goals: reading and printing. Non-goals: arithmetic, which is what programs do
// (runtime/*.wat).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "isa/support/result.h"

namespace txvm::frontends::nl {

inline constexpr std::size_t kLimbs = 8;
inline constexpr std::size_t kIntegerBits = 256;
/// The largest power of ten that readers tell from larger ones: far beyond kIntegerBits.
inline constexpr std::int64_t kMostExponent = 1'000'000'000;
/// Two's complement, least significant limb first.
using Limbs = std::array<std::uint32_t, kLimbs>;

/// INVARIANT: denominator > 0, no common factor.
struct Rational {
  Limbs numerator{};
  Limbs denominator{1};

  static Rational FromInt(std::int64_t value);
  friend bool operator==(const Rational&, const Rational&) = default;
};

bool IsInteger(const Rational& value);
/// The value as an int64, if it is an integer that fits.
std::optional<std::int64_t> ToInt64(const Rational& value);

/// Reads digits with an optional minus, point and fraction, times ten to the `exponent`, which is
/// below 10^18 either way: "12", "-0.50", ".5".
/// Errors: kSyntax; kLimit when numerator or denominator, in lowest terms, are no signed integers
/// of 256 bits; with the text, cut where it is long. Cost O(text) and at most 256 digits of
/// arithmetic.
isa::Result<Rational> ParseDecimal(std::string_view text, std::int64_t exponent = 0);

/// A fraction in lowest terms between 0 and 1.
struct SmallFraction {
  std::uint32_t numerator = 0, denominator = 1;
};

/// Reads an integer, or nothing, and a fraction in lowest terms, not 0, after it, times ten to the
/// `exponent`, at least 0: "-1" and 1/2 are -3/2, "-" and 1/2 are -1/2. Errors: as ParseDecimal.
isa::Result<Rational> ParseMixed(std::string_view whole, SmallFraction fraction,
                                 std::int64_t exponent = 0);

/// The integer in decimal: "-12".
std::string ToDecimal(const Limbs& value);
/// Lowest terms: "35", "-5", "7/2".
std::string ToText(const Rational& value);
/// The exact decimal fraction, "3.5", of a value that is no integer and has at most `most` digits
/// after the point.
std::optional<std::string> ToPoint(const Rational& value, std::size_t most = 20);

}  // namespace txvm::frontends::nl

// Exact fractions for the generator's own answers: 127-bit numerators and denominators, checked.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace txvm::neural::questions {

__extension__ typedef __int128 Wide;

/// INVARIANT: denominator > 0, no common factor.
struct Fraction {
  Wide numerator = 0;
  Wide denominator = 1;

  friend bool operator==(const Fraction&, const Fraction&) = default;
  bool IsInteger() const { return denominator == 1; }
  bool IsZero() const { return numerator == 0; }
};

/// The fraction in lowest terms; nothing when the denominator is 0.
std::optional<Fraction> Reduced(Wide numerator, Wide denominator);
/// Arithmetic; nothing on overflow or division by 0.
std::optional<Fraction> Add(const Fraction& a, const Fraction& b);
std::optional<Fraction> Subtract(const Fraction& a, const Fraction& b);
std::optional<Fraction> Multiply(const Fraction& a, const Fraction& b);
std::optional<Fraction> Divide(const Fraction& a, const Fraction& b);
/// Below 0, 0, above 0; nothing on overflow.
std::optional<int> Compare(const Fraction& a, const Fraction& b);
/// The largest integer that is not greater.
Wide Floor(const Fraction& value);
/// "35", "-5", "7/2".
std::string ToText(const Fraction& value);
std::string ToText(Wide value);

}  // namespace txvm::neural::questions

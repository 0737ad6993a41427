#include "neural/questions/fraction.h"

#include <algorithm>
#include <utility>

namespace txvm::neural::questions {
namespace {

constexpr int kTen = 10;

Wide Gcd(Wide a, Wide b) {
  a = a < 0 ? -a : a;
  b = b < 0 ? -b : b;
  while (b != 0) a = std::exchange(b, a % b);
  return a;
}

std::optional<Wide> Times(Wide a, Wide b) {
  Wide out = 0;
  if (__builtin_mul_overflow(a, b, &out)) return std::nullopt;
  return out;
}

std::optional<Wide> Plus(Wide a, Wide b) {
  Wide out = 0;
  if (__builtin_add_overflow(a, b, &out)) return std::nullopt;
  return out;
}

}  // namespace

std::optional<Fraction> Reduced(Wide numerator, Wide denominator) {
  if (denominator == 0) return std::nullopt;
  const Wide common = Gcd(numerator, denominator);
  const Wide sign = denominator < 0 ? -1 : 1;
  return Fraction{sign * numerator / common, sign * denominator / common};
}

std::optional<Fraction> Add(const Fraction& a, const Fraction& b) {
  const auto left = Times(a.numerator, b.denominator);
  const auto right = Times(b.numerator, a.denominator);
  const auto below = Times(a.denominator, b.denominator);
  if (!left || !right || !below) return std::nullopt;
  const auto above = Plus(*left, *right);
  if (!above) return std::nullopt;
  return Reduced(*above, *below);
}

std::optional<Fraction> Subtract(const Fraction& a, const Fraction& b) {
  return Add(a, {-b.numerator, b.denominator});
}

std::optional<Fraction> Multiply(const Fraction& a, const Fraction& b) {
  const auto above = Times(a.numerator, b.numerator);
  const auto below = Times(a.denominator, b.denominator);
  if (!above || !below) return std::nullopt;
  return Reduced(*above, *below);
}

std::optional<Fraction> Divide(const Fraction& a, const Fraction& b) {
  if (b.numerator == 0) return std::nullopt;
  return Multiply(a, *Reduced(b.denominator, b.numerator));
}

std::optional<int> Compare(const Fraction& a, const Fraction& b) {
  const auto difference = Subtract(a, b);
  if (!difference) return std::nullopt;
  return difference->numerator < 0 ? -1 : difference->numerator > 0 ? 1 : 0;
}

Wide Floor(const Fraction& value) {
  const Wide quotient = value.numerator / value.denominator;
  return value.numerator < 0 && value.numerator % value.denominator != 0 ? quotient - 1 : quotient;
}

std::string ToText(Wide value) {
  std::string text;
  const bool negative = value < 0;
  do {
    const int digit = static_cast<int>(value % kTen);
    text.push_back(static_cast<char>('0' + (digit < 0 ? -digit : digit)));
    value /= kTen;
  } while (value != 0);
  if (negative) text.push_back('-');
  std::ranges::reverse(text);
  return text;
}

std::string ToText(const Fraction& value) {
  if (value.IsInteger()) return ToText(value.numerator);
  return ToText(value.numerator) + "/" + ToText(value.denominator);
}

}  // namespace txvm::neural::questions

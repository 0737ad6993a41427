// The cubic extension F_p[X] / (X^3 - X + 1) of the Goldilocks field.
#pragma once

#include <array>

#include "vm/tensor/goldilocks.h"

namespace txvm::vm::goldilocks {

/// c[0] + c[1] X + c[2] X^2, canonical coefficients. X^3 = X - 1.
struct Cubic {
  std::array<Element, 3> c{};
  bool operator==(const Cubic&) const = default;
};

constexpr Cubic Add(const Cubic& a, const Cubic& b) {
  return {{Add(a.c[0], b.c[0]), Add(a.c[1], b.c[1]), Add(a.c[2], b.c[2])}};
}

constexpr Cubic Sub(const Cubic& a, const Cubic& b) {
  return {{Sub(a.c[0], b.c[0]), Sub(a.c[1], b.c[1]), Sub(a.c[2], b.c[2])}};
}

/// s * a for a base field s.
constexpr Cubic Scale(const Cubic& a, Element s) {
  return {{Mul(a.c[0], s), Mul(a.c[1], s), Mul(a.c[2], s)}};
}

constexpr Cubic Mul(const Cubic& a, const Cubic& b) {
  // d_k = coefficient of X^k before reduction; X^3 = X - 1, X^4 = X^2 - X.
  const Element d0 = Mul(a.c[0], b.c[0]);
  const Element d1 = Add(Mul(a.c[0], b.c[1]), Mul(a.c[1], b.c[0]));
  const Element d2 = Add(Add(Mul(a.c[0], b.c[2]), Mul(a.c[1], b.c[1])), Mul(a.c[2], b.c[0]));
  const Element d3 = Add(Mul(a.c[1], b.c[2]), Mul(a.c[2], b.c[1]));
  const Element d4 = Mul(a.c[2], b.c[2]);
  return {{Sub(d0, d3), Sub(Add(d1, d3), d4), Add(d2, d4)}};
}

/// 1/a, and 0 for a = 0: Cramer's rule on the matrix of multiplication by a, whose columns are a,
/// aX, aX^2. The polynomial X^3 - X + 1 is irreducible, so the determinant is 0 only for a = 0.
constexpr Cubic Inverse(const Cubic& a) {
  const Element s = Add(a.c[0], a.c[2]);
  const Element t = Sub(a.c[1], a.c[2]);
  const Element c0 = Sub(Square(s), Mul(a.c[1], t));
  const Element c1 = Sub(Mul(a.c[2], t), Mul(a.c[1], s));
  const Element c2 = Sub(Square(a.c[1]), Mul(a.c[2], s));
  const Element determinant = Sub(Sub(Mul(a.c[0], c0), Mul(a.c[2], c1)), Mul(a.c[1], c2));
  return Scale({{c0, c1, c2}}, Inverse(determinant));
}

/// base^exponent; base^0 = 1, also for base 0. O(log exponent).
constexpr Cubic Pow(Cubic base, std::uint64_t exponent) {
  Cubic result{{1, 0, 0}};
  for (; exponent != 0; exponent >>= 1) {
    if (exponent & 1) result = Mul(result, base);
    base = Mul(base, base);
  }
  return result;
}

constexpr bool IsZero(const Cubic& a) { return a == Cubic{}; }

}  // namespace txvm::vm::goldilocks

// The Goldilocks prime field, one element at a time: the readable definition every kernel and every
// virtual machine over the field is compared with.
//
// NOTATION  p = 2^64 - 2^32 + 1.  eps = 2^32 - 1 = 2^64 mod p.  An element is canonical: 0 <= a <
// p. FACTS     (1) 2^96 = -1 (mod p), so 2^192 = 1.
//           (2) hi * 2^64 + lo = lo - (hi >> 32) + eps * (hi mod 2^32) (mod p), since
//               2^64 = eps and 2^64 * 2^32 = 2^96 = -1.
//           (3) the Montgomery representation of a is a * 2^64 mod p; 2^-64 = 2^128 = -2^32.
// Goals: constexpr, branch-light, no allocation.  Non-goals: constant time (nothing here is
// secret).
#pragma once

#include <cstdint>

namespace txvm::vm::goldilocks {

using Element = std::uint64_t;  // canonical unless a name says otherwise

inline constexpr Element kPrime = 0xFFFF'FFFF'0000'0001;
inline constexpr std::uint64_t kEpsilon = 0xFFFF'FFFF;
/// (p-1)/2: the largest element that a signed reading calls positive.
inline constexpr Element kHalf = (kPrime - 1) / 2;

__extension__ using Uint128 = unsigned __int128;
__extension__ using Int128 = __int128;

/// The element congruent to any 64-bit value.
constexpr Element Canonical(std::uint64_t x) {
  if (x >= kPrime) [[unlikely]]
    x -= kPrime;
  return x;
}

/// a + b mod p. REQUIRES canonical operands; so do Sub and Neg.
constexpr Element Add(Element a, Element b) {
  const std::uint64_t gap = kPrime - b;  // 1..p: a + b reaches p exactly when a >= gap
  const std::uint64_t wrapped = a - gap;
  return wrapped + (kPrime & (std::uint64_t{0} - (a < gap ? 1 : 0)));
}

/// a - b mod p.
constexpr Element Sub(Element a, Element b) {
  return a - b + (kPrime & (std::uint64_t{0} - (a < b ? 1 : 0)));
}

/// -a mod p.
constexpr Element Neg(Element a) { return a == 0 ? 0 : kPrime - a; }

/// hi * 2^64 + lo mod p, by fact (2); any operands.
constexpr Element Reduce128(std::uint64_t hi, std::uint64_t lo) {
  const std::uint64_t top = hi >> 32;
  std::uint64_t low = lo - top;
  // Borrowed 2^64 = eps; low > 2^64 - 2^32 then, so there is no second borrow. Rare: a branch.
  if (lo < top) [[unlikely]]
    low -= kEpsilon;
  const std::uint64_t middle = (hi & kEpsilon) * kEpsilon;
  // Carried 2^64 = eps; middle <= eps^2, so there is no second carry. Every other time, so no
  // branch: the carry is added as carry * eps.
  const Uint128 sum = static_cast<Uint128>(low) + middle;
  const auto carry = static_cast<std::uint64_t>(sum >> 64);
  return Canonical(static_cast<std::uint64_t>(sum) + ((carry << 32) - carry));
}

/// x mod p.
constexpr Element Reduce128(Uint128 x) {
  return Reduce128(static_cast<std::uint64_t>(x >> 64), static_cast<std::uint64_t>(x));
}

/// a * b mod p; any operands.
constexpr Element Mul(std::uint64_t a, std::uint64_t b) {
  return Reduce128(static_cast<Uint128>(a) * b);
}

/// a^2 mod p; any operand.
constexpr Element Square(std::uint64_t a) { return Mul(a, a); }

/// base^exponent mod p; base^0 = 1, also for base 0. O(log exponent).
constexpr Element Pow(std::uint64_t base, std::uint64_t exponent) {
  Element result = 1;
  for (; exponent != 0; exponent >>= 1) {
    if (exponent & 1) result = Mul(result, base);
    base = Square(base);
  }
  return result;
}

namespace internal {
constexpr Element SquareTimes(Element a, int n) {
  for (int i = 0; i < n; ++i) a = Square(a);
  return a;
}
}  // namespace internal

/// 1/a mod p, and 0 for a = 0. By Fermat: a^(p-2), 72 multiplications.
constexpr Element Inverse(Element a) {
  // p - 2 = 0xFFFFFFFE'FFFFFFFF: 31 ones, a zero, 32 ones. ones_n = a^(2^n - 1).
  const Element ones_2 = Mul(Square(a), a);
  const Element ones_3 = Mul(Square(ones_2), a);
  const Element ones_6 = Mul(internal::SquareTimes(ones_3, 3), ones_3);
  const Element ones_12 = Mul(internal::SquareTimes(ones_6, 6), ones_6);
  const Element ones_24 = Mul(internal::SquareTimes(ones_12, 12), ones_12);
  const Element ones_30 = Mul(internal::SquareTimes(ones_24, 6), ones_6);
  const Element ones_31 = Mul(Square(ones_30), a);
  const Element ones_32 = Mul(Square(ones_31), a);
  return Mul(internal::SquareTimes(ones_31, 33), ones_32);
}

/// a * 2^64 mod p: the Montgomery representation; any operand.
constexpr Element ToMontgomery(std::uint64_t a) { return Reduce128(a, 0); }

/// raw * 2^-64 mod p = -(raw * 2^32), by fact (3): the value of a Montgomery representation.
constexpr Element FromMontgomery(std::uint64_t raw) { return Neg(Reduce128(raw >> 32, raw << 32)); }

/// a * b * 2^-64 mod p: the product of two Montgomery representations. REQUIRES canonical operands.
constexpr Element MontgomeryMul(Element a, Element b) {
  const Uint128 product = static_cast<Uint128>(a) * b;
  const auto lo = static_cast<std::uint64_t>(product);
  const auto hi = static_cast<std::uint64_t>(product >> 64);
  // (1 - 2^32)(1 + 2^32) = 1 mod 2^64, so q = lo (1 + 2^32) mod 2^64 makes lo(q p) = lo, and the
  // result is hi - hi(q p). As q p = 2^64 q - (2^32 q - q), hi(q p) = q - (q >> 32) less the carry
  // of q's sum.
  const std::uint64_t q = lo + (lo << 32);
  const std::uint64_t carry = q < lo ? 1 : 0;
  return Sub(hi, q - (q >> 32) - carry);  // both below p
}

/// The integer in -(p-1)/2 .. (p-1)/2 that an element stands for.
constexpr std::int64_t ToSigned(Element a) {
  return a <= kHalf ? static_cast<std::int64_t>(a) : -static_cast<std::int64_t>(kPrime - a);
}

/// The element of an integer.
constexpr Element FromSigned(std::int64_t value) {
  if (value >= 0) return static_cast<std::uint64_t>(value);  // < 2^63 < p
  return kPrime - (~static_cast<std::uint64_t>(value) + 1);
}

}  // namespace txvm::vm::goldilocks

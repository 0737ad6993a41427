// Fixed point over the Goldilocks field (N0): a number v is the element of the integer v * 2^16.
//
// NOTATION  S = 2^16.  numerator: the integer in -(p-1)/2 .. (p-1)/2 that an element stands for.
// FACTS     (1) |v| < 2^47 covers all numerators but the last 2^31.
//           (2) a * b * S^-1 in the field equals the rounded product iff S divides the product of
//           the
//               numerators: the two differ by less than S, and multiplication by S is a bijection.
//               Random 16-bit fractions satisfy it with probability about 0.0001.
// Goals: correct rounding (half to even), errors instead of wrapped values. Non-goals: speed of
// single operations; arrays use the raw-accumulating dot.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "isa/support/result.h"
#include "vm/tensor/goldilocks.h"

namespace txvm::triton {

/// One fixed-point number. INVARIANT: element() is canonical.
class Fixed {
 public:
  static constexpr int kScaleBits = 16;
  static constexpr std::int64_t kScale = std::int64_t{1} << kScaleBits;
  static constexpr std::int64_t kMaxNumerator = static_cast<std::int64_t>(vm::goldilocks::kHalf);
  /// S^-1 mod p.
  static constexpr std::uint64_t kScaleInverse = vm::goldilocks::Inverse(kScale);

  constexpr Fixed() = default;
  static constexpr Fixed Zero() { return Fixed(); }
  static constexpr Fixed One() { return Fixed(kScale); }
  /// REQUIRES a canonical element.
  static constexpr Fixed FromElement(std::uint64_t element) { return Fixed(element); }
  /// The nearest number, ties to even. kInvalid for NaN; kLimit from |v| = 2^47 on.
  static isa::Result<Fixed> FromDouble(double v);
  /// The number numerator / S. kLimit outside the range.
  static isa::Result<Fixed> FromNumerator(vm::goldilocks::Int128 numerator);

  constexpr std::uint64_t element() const { return element_; }
  constexpr std::int64_t numerator() const { return vm::goldilocks::ToSigned(element_); }
  /// Rounded to a double when |v| >= 2^37.
  double ToDouble() const { return static_cast<double>(numerator()) / kScale; }

  constexpr bool operator==(const Fixed&) const = default;

 private:
  explicit constexpr Fixed(std::uint64_t element) : element_(element) {}
  std::uint64_t element_ = 0;
};

/// Sum and difference; kLimit when they leave the range.
isa::Result<Fixed> Add(Fixed a, Fixed b);
isa::Result<Fixed> Sub(Fixed a, Fixed b);
/// Always exact.
Fixed Neg(Fixed a);
/// The product rounded half to even; kLimit when it leaves the range. Commutative; associative and
/// distributive within the rounding.
isa::Result<Fixed> Mul(Fixed a, Fixed b);
/// The quotient rounded half to even; kInvalid for b = 0, kLimit when it leaves the range.
isa::Result<Fixed> Div(Fixed a, Fixed b);
/// 1 / a, rounded; kInvalid for 0.
isa::Result<Fixed> Inverse(Fixed a);

/// The original's product: a * b * S^-1 in the field. Satisfies the ring laws exactly, but is the
/// product only where MulExactIsValid; elsewhere it is a number without meaning.
Fixed MulExact(Fixed a, Fixed b);
/// True iff MulExact is the product: S divides the product of the numerators, which stays in range.
bool MulExactIsValid(Fixed a, Fixed b);

/// a where its element is at most (p-1)/2, that is, a >= 0; else 0.
Fixed Relu(Fixed a);

/// The sum of a[i] * b[i], accumulated without rounding and rounded once, half to even. Elements
/// as Fixed::element(). REQUIRES equal sizes. kLimit when the result leaves the range.
isa::Result<Fixed> DotRounded(std::span<const std::uint64_t> a, std::span<const std::uint64_t> b);

/// How many products of numbers of at most this magnitude stay within +-(p-1)/2 before rounding:
/// 65,550 for 181, 131,071 for 128. REQUIRES 1 <= magnitude < 2^15.
constexpr std::uint64_t RawTermsWithin(std::uint64_t magnitude) {
  const std::uint64_t product = (magnitude * magnitude) << 2 * Fixed::kScaleBits;
  return vm::goldilocks::kHalf / product;
}

/// x * Phi(x) by x/2 * (1 + t(0.851 x)), t(u) = u (27 + u^2) / (27 + 9 u^2) the Pade form of tanh,
/// u clamped to +-3. At most kGeluPadeError from the exact function for |x| <= 8; beyond, x or 0.
isa::Result<Fixed> GeluPade(Fixed x);
inline constexpr double kGeluPadeError = 0.0108;

/// The original's x (1/2 + z/4 - z^3/48), z = 1.702 x: a Taylor polynomial, useful for |x| <= 1
/// (error 0.02) and wrong beyond (0.9 at 2, 21 at 4, -389 for x = 8). kLimit when a power leaves
/// the range.
isa::Result<Fixed> GeluTaylor(Fixed x);

}  // namespace txvm::triton

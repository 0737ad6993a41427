#include "tests/neural/triton/support/fixed_point.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "vm/tensor/goldilocks_kernels.h"

namespace txvm::triton {
namespace {

namespace gl = vm::goldilocks;
using gl::Int128;

// numerator / denominator to the nearest integer, ties to even. REQUIRES denominator > 0.
Int128 DivideRounded(Int128 numerator, Int128 denominator) {
  Int128 quotient = numerator / denominator;
  Int128 rest = numerator % denominator;
  if (rest < 0) {
    rest += denominator;
    --quotient;
  }
  // 0 <= rest < denominator; rest - (denominator - rest) cannot overflow as doubling could.
  const Int128 excess = rest - (denominator - rest);
  if (excess > 0 || (excess == 0 && (quotient & 1) != 0)) ++quotient;
  return quotient;
}

Int128 Numerator(Fixed a) { return a.numerator(); }

// The constant nearest to v; only for the literals below, which are in range.
Fixed Constant(double v) { return *Fixed::FromDouble(v); }

std::uint64_t LargestMagnitude(std::span<const std::uint64_t> elements) {
  std::uint64_t largest = 0;
  for (const std::uint64_t element : elements) {
    largest = std::max(largest, std::min(element, gl::Neg(element)));
  }
  return largest;
}

isa::Result<Fixed> DotByIntegers(std::span<const std::uint64_t> a,
                                 std::span<const std::uint64_t> b) {
  Int128 sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const Int128 product = static_cast<Int128>(gl::ToSigned(a[i])) * gl::ToSigned(b[i]);
    if (__builtin_add_overflow(sum, product, &sum)) {
      return isa::Fail(
          isa::ErrorCode::kLimit,
          fmt::format("the sum of {} products leaves 128 bits at term {}", a.size(), i));
    }
  }
  return Fixed::FromNumerator(DivideRounded(sum, Fixed::kScale));
}

}  // namespace

isa::Result<Fixed> Fixed::FromDouble(double v) {
  constexpr double kBound = 140'737'488'355'328.0;  // 2^47
  if (std::isnan(v)) return isa::Fail(isa::ErrorCode::kInvalid, "NaN is no fixed-point number");
  if (std::abs(v) >= kBound) {
    return isa::Fail(isa::ErrorCode::kLimit,
                     fmt::format("{} is outside the fixed-point range: the limit is 2^47", v));
  }
  // A product with a power of two is exact, and nearbyint rounds half to even.
  return FromNumerator(static_cast<Int128>(std::nearbyint(v * kScale)));
}

isa::Result<Fixed> Fixed::FromNumerator(Int128 numerator) {
  if (numerator > kMaxNumerator || numerator < -kMaxNumerator) {
    return isa::Fail(isa::ErrorCode::kLimit,
                     fmt::format("a result near {} is outside the fixed-point range: the limit is "
                                 "about 2^47",
                                 static_cast<double>(numerator) / kScale));
  }
  return Fixed(gl::FromSigned(static_cast<std::int64_t>(numerator)));
}

isa::Result<Fixed> Add(Fixed a, Fixed b) {
  return Fixed::FromNumerator(Numerator(a) + Numerator(b));
}

isa::Result<Fixed> Sub(Fixed a, Fixed b) {
  return Fixed::FromNumerator(Numerator(a) - Numerator(b));
}

Fixed Neg(Fixed a) { return Fixed::FromElement(gl::Neg(a.element())); }

isa::Result<Fixed> Mul(Fixed a, Fixed b) {
  return Fixed::FromNumerator(DivideRounded(Numerator(a) * Numerator(b), Fixed::kScale));
}

isa::Result<Fixed> Div(Fixed a, Fixed b) {
  if (b == Fixed::Zero()) {
    return isa::Fail(isa::ErrorCode::kInvalid,
                     fmt::format("{} divided by 0 is no fixed-point number", a.ToDouble()));
  }
  const Int128 sign = Numerator(b) < 0 ? -1 : 1;
  return Fixed::FromNumerator(
      DivideRounded(sign * Numerator(a) * Fixed::kScale, sign * Numerator(b)));
}

isa::Result<Fixed> Inverse(Fixed a) { return Div(Fixed::One(), a); }

Fixed MulExact(Fixed a, Fixed b) {
  return Fixed::FromElement(gl::Mul(gl::Mul(a.element(), b.element()), Fixed::kScaleInverse));
}

bool MulExactIsValid(Fixed a, Fixed b) {
  const Int128 product = Numerator(a) * Numerator(b);
  return product % Fixed::kScale == 0 && Fixed::FromNumerator(product / Fixed::kScale).has_value();
}

Fixed Relu(Fixed a) { return a.element() <= gl::kHalf ? a : Fixed::Zero(); }

isa::Result<Fixed> DotRounded(std::span<const std::uint64_t> a, std::span<const std::uint64_t> b) {
  TXVM_ASSERT(a.size() == b.size());
  const auto product = static_cast<gl::Uint128>(LargestMagnitude(a)) * LargestMagnitude(b);
  // Within this bound the field's sum is the integer sum, and the kernel computes it.
  if (product == 0 || a.size() <= gl::kHalf / product) {
    return Fixed::FromNumerator(DivideRounded(gl::ToSigned(gl::Dot(a, b)), Fixed::kScale));
  }
  return DotByIntegers(a, b);
}

isa::Result<Fixed> GeluPade(Fixed x) {
  static const Fixed kSlope = Constant(0.851);
  static const Fixed kClamp = Constant(3.0);
  TXVM_TRY(Fixed u, Mul(x, kSlope));
  if (u.numerator() >= kClamp.numerator()) return x;
  if (u.numerator() <= -kClamp.numerator()) return Fixed::Zero();
  TXVM_TRY(const Fixed square, Mul(u, u));
  TXVM_TRY(const Fixed top, Add(Constant(27.0), square));
  TXVM_TRY(const Fixed scaled, Mul(Constant(9.0), square));
  TXVM_TRY(const Fixed bottom, Add(Constant(27.0), scaled));
  TXVM_TRY(const Fixed product, Mul(u, top));
  TXVM_TRY(const Fixed tangent, Div(product, bottom));
  TXVM_TRY(const Fixed sum, Add(Fixed::One(), tangent));
  TXVM_TRY(const Fixed half, Mul(x, Constant(0.5)));
  return Mul(half, sum);
}

isa::Result<Fixed> GeluTaylor(Fixed x) {
  TXVM_TRY(const Fixed z, Mul(x, Constant(1.702)));
  TXVM_TRY(const Fixed square, Mul(z, z));
  TXVM_TRY(const Fixed cube, Mul(square, z));
  TXVM_TRY(const Fixed linear, Div(z, Constant(4.0)));
  TXVM_TRY(const Fixed cubic, Div(cube, Constant(48.0)));
  TXVM_TRY(const Fixed half, Add(Constant(0.5), linear));
  TXVM_TRY(const Fixed factor, Sub(half, cubic));
  return Mul(x, factor);
}

}  // namespace txvm::triton

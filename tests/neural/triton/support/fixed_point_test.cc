#include "tests/neural/triton/support/fixed_point.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "tests/neural/triton/field/field_oracle.h"

namespace txvm::triton {
namespace {

namespace gl = vm::goldilocks;
constexpr double kUlp = 1.0 / 65536;

Fixed Of(double v) { return *Fixed::FromDouble(v); }

Fixed Raw(std::int64_t numerator) { return *Fixed::FromNumerator(numerator); }

TEST(Fixed, ConstantsAndConversion) {
  EXPECT_EQ(Fixed::kScaleInverse, 18446462594437939201u);
  EXPECT_EQ(Fixed::One().ToDouble(), 1.0);
  EXPECT_EQ(Of(-2.5).element(), gl::kPrime - 163840);
  EXPECT_EQ(Of(-2.5).ToDouble(), -2.5);
  EXPECT_EQ(Of(-0.0), Fixed::Zero());
  EXPECT_EQ(Of(-1e-9), Fixed::Zero());
  EXPECT_EQ(Of(1.5 * kUlp).numerator(), 2);  // ties to even
  EXPECT_EQ(Of(2.5 * kUlp).numerator(), 2);
  EXPECT_EQ(Of(-1.5 * kUlp).numerator(), -2);
}

TEST(Fixed, RefusesWhatItCannotHold) {
  EXPECT_FALSE(Fixed::FromDouble(std::numeric_limits<double>::quiet_NaN()));
  EXPECT_FALSE(Fixed::FromDouble(std::numeric_limits<double>::infinity()));
  EXPECT_FALSE(Fixed::FromDouble(std::ldexp(1.0, 47)));
  EXPECT_FALSE(Fixed::FromDouble(-std::ldexp(1.0, 47)));
  EXPECT_TRUE(Fixed::FromDouble(std::nextafter(std::ldexp(1.0, 47), 0.0) - 65536));
  const Fixed big = Raw(Fixed::kMaxNumerator);
  EXPECT_FALSE(Add(big, Raw(1)));
  EXPECT_FALSE(Sub(Neg(big), Raw(1)));
  EXPECT_EQ(Add(big, Raw(-1))->numerator(), Fixed::kMaxNumerator - 1);
  EXPECT_FALSE(Mul(big, Of(1.5)));
  EXPECT_FALSE(Inverse(Fixed::Zero()));
  EXPECT_FALSE(Div(big, Of(0.5)));
  EXPECT_NE(Mul(big, big).error().message.find("outside the fixed-point range"), std::string::npos);
}

TEST(Fixed, ProductsAndQuotientsAreCorrectlyRounded) {
  std::mt19937_64 rng(7);
  std::uniform_real_distribution<double> values(-1000, 1000);
  for (int i = 0; i < 20'000; ++i) {
    const Fixed a = Of(values(rng));
    const Fixed b = Of(values(rng));
    // The exact product is a multiple of 2^-32 below 2^20, so long double holds it.
    const long double product = static_cast<long double>(a.numerator()) * b.numerator() / 65536;
    EXPECT_EQ(Mul(a, b)->numerator(), static_cast<std::int64_t>(std::nearbyint(product)));
    EXPECT_EQ(*Mul(a, b), *Mul(b, a));
    if (b == Fixed::Zero()) continue;
    const gl::Int128 scaled = static_cast<gl::Int128>(a.numerator()) * Fixed::kScale;
    const gl::Int128 rest =
        scaled - static_cast<gl::Int128>(Div(a, b)->numerator()) * b.numerator();
    EXPECT_LE(2 * (rest < 0 ? -rest : rest), std::abs(b.numerator()));
  }
  EXPECT_EQ(Mul(Raw(1), Raw(32768))->numerator(), 0);  // 0.5 ulp, ties to even
  EXPECT_EQ(Mul(Raw(3), Raw(32768))->numerator(), 2);  // 1.5 ulp
  EXPECT_EQ(Mul(Raw(-3), Raw(32768))->numerator(), -2);
  EXPECT_NEAR(Mul(Of(0.3), Of(0.7))->ToDouble(), 0.21, kUlp);
  EXPECT_NEAR(Inverse(Of(3.0))->ToDouble(), 1.0 / 3, kUlp);
  EXPECT_NEAR(Inverse(Of(-3.0))->ToDouble(), -1.0 / 3, kUlp);
}

TEST(Fixed, ExactProductIsTheProductIffTheScaleDividesIt) {
  std::mt19937_64 rng(8);
  int valid = 0;
  for (int i = 0; i < 200'000; ++i) {
    // Every other pair has trailing zeros, so that both outcomes occur.
    const std::uint64_t shift = i % 2 == 0 ? 0 : rng() % 17;
    const Fixed a = Raw(static_cast<std::int64_t>((rng() % 131072) << shift) - (65536 << shift));
    const Fixed b = Raw(static_cast<std::int64_t>(rng() % 131072) - 65536);
    const bool is_valid = MulExactIsValid(a, b);
    EXPECT_EQ(MulExact(a, b) == *Mul(a, b), is_valid) << a.numerator() << " " << b.numerator();
    valid += is_valid ? 1 : 0;
  }
  EXPECT_GT(valid, 1'000);
  EXPECT_LT(valid, 100'000);
  EXPECT_EQ(MulExact(Of(0.5), Of(0.25)), Of(0.125));
  EXPECT_GT(std::abs(MulExact(Of(0.1), Of(0.1)).ToDouble()), 1e13);  // no number one meant
  // A multiple of S whose quotient is out of range.
  EXPECT_FALSE(MulExactIsValid(Raw(Fixed::kMaxNumerator / 65536 * 65536), Of(2.0)));
}

TEST(Fixed, ExactProductSatisfiesTheRingLaws) {
  std::mt19937_64 rng(9);
  for (int i = 0; i < 2'000; ++i) {
    const Fixed a = Fixed::FromElement(gl::Canonical(rng()));
    const Fixed b = Fixed::FromElement(gl::Canonical(rng()));
    const Fixed c = Fixed::FromElement(gl::Canonical(rng()));
    EXPECT_EQ(MulExact(MulExact(a, b), c), MulExact(a, MulExact(b, c)));
    const Fixed sum = Fixed::FromElement(gl::Add(b.element(), c.element()));
    EXPECT_EQ(MulExact(a, sum).element(),
              gl::Add(MulExact(a, b).element(), MulExact(a, c).element()));
    EXPECT_EQ(MulExact(a, Fixed::One()), a);
  }
}

TEST(Fixed, ReluTurnsAtHalfThePrime) {
  EXPECT_EQ(Relu(Of(1.25)), Of(1.25));
  EXPECT_EQ(Relu(Of(-1.25)), Fixed::Zero());
  EXPECT_EQ(Relu(Fixed::FromElement(gl::kHalf)).element(), gl::kHalf);
  EXPECT_EQ(Relu(Fixed::FromElement(gl::kHalf + 1)), Fixed::Zero());
  EXPECT_EQ(Relu(Fixed::FromElement(gl::kPrime - 1)), Fixed::Zero());
}

TEST(Fixed, DotRoundsOnce) {
  // 65,536 products of half an ulp: rounding each would lose all of it.
  const std::vector<std::uint64_t> tiny(65'536, Raw(1).element());
  const std::vector<std::uint64_t> half(65'536, Of(0.5).element());
  EXPECT_EQ(DotRounded(tiny, half)->numerator(), 32'768);
  std::vector<std::uint64_t> minus(65'536, Of(-0.5).element());
  EXPECT_EQ(DotRounded(tiny, minus)->numerator(), -32'768);
  EXPECT_EQ(*DotRounded({}, {}), Fixed::Zero());
}

TEST(Fixed, DotBeyondTheFieldsRangeFallsBackToIntegers) {
  // Products of 2^46 numerators: 200,000 terms of +1, then -1, pass p/2 and come back.
  std::vector<std::uint64_t> a(200'000, Of(128.0).element());
  std::vector<std::uint64_t> b(200'000, Of(128.0).element());
  EXPECT_EQ(DotRounded(a, b)->ToDouble(), 128.0 * 128.0 * 200'000);
  for (std::size_t i = 100'000; i < b.size(); ++i) b[i] = Of(-128.0).element();
  EXPECT_EQ(*DotRounded(a, b), Fixed::Zero());
  const std::vector<std::uint64_t> big(4, gl::kHalf);
  EXPECT_FALSE(DotRounded(big, big));
  const std::vector<std::uint64_t> two(2, gl::kHalf);
  EXPECT_FALSE(DotRounded(two, two));
}

TEST(Fixed, RawTermLimitsAreTheDocumentedOnes) {
  EXPECT_EQ(RawTermsWithin(181), 65'550u);
  EXPECT_EQ(RawTermsWithin(128), 131'071u);
  EXPECT_EQ(RawTermsWithin(256), 32'767u);
  // The limit holds, and one term more breaks it.
  const std::vector<std::uint64_t> values(RawTermsWithin(256) + 1, Of(256.0).element());
  const auto last = static_cast<std::ptrdiff_t>(values.size()) - 1;
  const std::vector<std::uint64_t> within(values.begin(), values.begin() + last);
  EXPECT_GT(gl::ToSigned(oracle::Dot(within, within.data(), 1)), 0);
  EXPECT_LT(gl::ToSigned(oracle::Dot(values, values.data(), 1)), 0);
}

double ExactGelu(double x) { return x * 0.5 * std::erfc(-x / std::sqrt(2.0)); }

TEST(Fixed, PadeGeluStaysWithinItsStatedError) {
  double worst = 0;
  for (double x = -8; x <= 8; x += 1.0 / 256) {
    worst = std::max(worst, std::abs(GeluPade(Of(x))->ToDouble() - ExactGelu(x)));
  }
  EXPECT_LE(worst, kGeluPadeError);
  EXPECT_GT(worst, 0.01);  // the statement is tight
  EXPECT_EQ(*GeluPade(Of(1e6)), Of(1e6));
  EXPECT_EQ(*GeluPade(Of(-1e6)), Fixed::Zero());
}

TEST(Fixed, TaylorGeluHasTheOriginalsErrors) {
  auto worst_within = [](double bound) {
    double worst = 0;
    for (double x = -bound; x <= bound; x += 1.0 / 64) {
      worst = std::max(worst, std::abs(GeluTaylor(Of(x))->ToDouble() - ExactGelu(x)));
    }
    return worst;
  };
  EXPECT_NEAR(worst_within(1), 0.019, 0.002);
  EXPECT_NEAR(worst_within(2), 0.90, 0.05);
  EXPECT_NEAR(worst_within(4), 21, 1);
  EXPECT_NEAR(GeluTaylor(Of(8.0))->ToDouble(), -389, 1);
  EXPECT_FALSE(GeluTaylor(Of(1e9)));
}

}  // namespace
}  // namespace txvm::triton

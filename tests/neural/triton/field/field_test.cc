// The field's scalar operations and kernels against Boost.Multiprecision, on every SIMD target.
//
// TXVM_FIELD_OPERATIONS (default 200,000) sets the number of operations per target; the label
// `long` runs 10^7.
#include <gtest/gtest.h>
#include <hwy/targets.h>

#include <algorithm>
#include <cstdlib>
#include <random>
#include <string>
#include <vector>

#include "tests/neural/triton/field/field_oracle.h"
#include "vm/tensor/goldilocks_ext.h"
#include "vm/tensor/goldilocks_kernels.h"
#include "vm/tensor/simd_target.h"

namespace txvm::triton {
namespace {

namespace gl = vm::goldilocks;
using Elements = std::vector<gl::Element>;

constexpr std::uint64_t kSeed = 20'260'101;

// Values at which carries, borrows and the canonical form change.
const Elements& Boundaries() {
  static const Elements values = [] {
    Elements v = {0, 1, 2, 3, gl::kHalf - 1, gl::kHalf, gl::kHalf + 1};
    for (const int bit : {16, 22, 31, 32, 33, 44, 48, 62, 63}) {
      const std::uint64_t power = std::uint64_t{1} << bit;
      for (const std::uint64_t value : {power - 1, power, power + 1}) {
        v.push_back(value);
        v.push_back(gl::kPrime - value);
      }
    }
    for (std::uint64_t i = 1; i <= 3; ++i) v.push_back(gl::kPrime - i);
    v.push_back(gl::kEpsilon << 32);
    v.push_back((gl::kEpsilon << 32) - 1);
    return v;
  }();
  return values;
}

Elements RandomElements(std::size_t n, std::mt19937_64& rng) {
  Elements elements(n);
  for (gl::Element& element : elements) {
    element = rng() % 4 == 0 ? Boundaries()[rng() % Boundaries().size()] : gl::Canonical(rng());
  }
  return elements;
}

std::size_t OperationCount() {
  constexpr std::size_t kQuick = 200'000;
  const char* text = std::getenv("TXVM_FIELD_OPERATIONS");
  return text == nullptr ? kQuick : std::strtoull(text, nullptr, 10);
}

// Runs `body` once per SIMD target of this machine, then restores the choice.
template <typename Body>
void ForEveryTarget(const Body& body) {
  for (const std::int64_t target : vm::SimdTargets()) {
    vm::SelectSimdTarget(target);
    SCOPED_TRACE(hwy::TargetName(target));
    ASSERT_STREQ(gl::GoldilocksTarget(), hwy::TargetName(target));
    body();
  }
  vm::SelectSimdTarget(0);
}

TEST(Field, ConstantsAreWhatTheirNamesSay) {
  EXPECT_EQ(gl::kPrime, 18446744069414584321u);
  EXPECT_EQ(gl::kHalf, 9223372034707292160u);
  EXPECT_EQ(gl::Inverse(65536), 18446462594437939201u);
  // 7 generates the multiplicative group: 7^((p-1)/q) != 1 for q in 2, 3, 5, 17, 257, 65537.
  for (const std::uint64_t q : {2, 3, 5, 17, 257, 65537}) {
    EXPECT_NE(gl::Pow(7, (gl::kPrime - 1) / q), 1u) << q;
  }
  EXPECT_EQ(gl::Pow(7, gl::kPrime - 1), 1u);
}

TEST(Field, ScalarsEqualTheOracleOnAllBoundaryPairs) {
  for (const gl::Element a : Boundaries()) {
    EXPECT_EQ(gl::Neg(a), oracle::Sub(0, a));
    EXPECT_EQ(gl::FromMontgomery(gl::ToMontgomery(a)), a);
    EXPECT_EQ(gl::ToMontgomery(a),
              oracle::Mul(oracle::Mul(a, std::uint64_t{1} << 32), std::uint64_t{1} << 32));
    EXPECT_EQ(gl::FromSigned(gl::ToSigned(a)), a);
    EXPECT_EQ(gl::Inverse(a), oracle::Pow(a, gl::kPrime - 2));
    for (const gl::Element b : Boundaries()) {
      EXPECT_EQ(gl::Add(a, b), oracle::Add(a, b)) << a << " " << b;
      EXPECT_EQ(gl::Sub(a, b), oracle::Sub(a, b)) << a << " " << b;
      EXPECT_EQ(gl::Mul(a, b), oracle::Mul(a, b)) << a << " " << b;
      EXPECT_EQ(gl::FromMontgomery(gl::MontgomeryMul(gl::ToMontgomery(a), gl::ToMontgomery(b))),
                oracle::Mul(a, b))
          << a << " " << b;
      EXPECT_EQ(gl::Pow(a, b), oracle::Pow(a, b)) << a << " " << b;
    }
  }
}

TEST(Field, ReductionTakesAny128BitValue) {
  std::mt19937_64 rng(kSeed);
  const std::uint64_t edges[] = {
      0, 1, gl::kEpsilon, gl::kEpsilon + 1, gl::kPrime - 1, gl::kPrime, ~std::uint64_t{0}};
  for (int i = 0; i < 10'000; ++i) {
    const std::uint64_t hi = i < 49 ? edges[i / 7] : rng();
    const std::uint64_t lo = i < 49 ? edges[i % 7] : rng();
    const std::uint64_t two_64 = gl::kEpsilon;
    EXPECT_EQ(gl::Reduce128(hi, lo), oracle::Add(oracle::Mul(hi, two_64), lo % gl::kPrime));
  }
}

TEST(Field, ElementwiseKernelsEqualTheOracleOnEveryTarget) {
  constexpr std::size_t kBatch = 4'093;  // prime: every remainder of the lanes in turn
  constexpr std::size_t kOperations = 4;
  const std::size_t batches = OperationCount() / (kBatch * kOperations) + 1;
  std::mt19937_64 rng(kSeed);
  for (std::size_t batch = 0; batch < batches; ++batch) {
    const Elements a = RandomElements(kBatch, rng);
    const Elements b = RandomElements(kBatch, rng);
    Elements sum(kBatch), difference(kBatch), product(kBatch);
    for (std::size_t i = 0; i < kBatch; ++i) {
      sum[i] = oracle::Add(a[i], b[i]);
      difference[i] = oracle::Sub(a[i], b[i]);
      product[i] = oracle::Mul(a[i], b[i]);
    }
    ForEveryTarget([&] {
      Elements out(kBatch);
      gl::AddVectors(a, b, out);
      ASSERT_EQ(out, sum);
      gl::SubVectors(a, b, out);
      ASSERT_EQ(out, difference);
      gl::MulVectors(a, b, out);
      ASSERT_EQ(out, product);
      gl::InvertVector(a, out);
      for (std::size_t i = 0; i < kBatch; ++i) {
        ASSERT_EQ(oracle::Mul(a[i], out[i]), a[i] == 0 ? 0u : 1u) << a[i];
        ASSERT_LT(out[i], gl::kPrime);
      }
    });
  }
}

TEST(Field, ElementwiseKernelsMayWriteOverAnOperand) {
  std::mt19937_64 rng(kSeed);
  const Elements a = RandomElements(37, rng);
  const Elements b = RandomElements(37, rng);
  Elements expected(37);
  gl::MulVectors(a, b, expected);
  Elements in_place = a;
  gl::MulVectors(in_place, b, in_place);
  EXPECT_EQ(in_place, expected);
}

TEST(Field, DotEqualsTheOracleForEveryLengthAndTheLargestElements) {
  std::mt19937_64 rng(kSeed);
  for (const std::size_t n : {0, 1, 2, 3, 7, 8, 9, 15, 17, 33, 100, 1023, 1024, 1025, 3001}) {
    for (const bool largest : {false, true}) {
      const Elements a = largest ? Elements(n, gl::kPrime - 1) : RandomElements(n, rng);
      const Elements b = largest ? Elements(n, gl::kPrime - 1) : RandomElements(n, rng);
      const gl::Element expected = oracle::Dot(a, b.data(), 1);
      ForEveryTarget([&] { ASSERT_EQ(gl::Dot(a, b), expected) << n; });
    }
  }
}

TEST(Field, MatVecEqualsTheOracleForOddShapesAndTheLargestElements) {
  std::mt19937_64 rng(kSeed);
  for (const std::size_t rows : {1, 2, 3, 7, 8, 9, 17}) {
    for (const std::size_t cols : {0, 1, 5, 8, 13, 64, 511, 512, 513, 1100}) {
      for (const gl::Element fill : {gl::Element{0}, gl::kPrime - 1, gl::kEpsilon << 32}) {
        const bool random = fill == 0;
        const Elements m = random ? RandomElements(rows * cols, rng) : Elements(rows * cols, fill);
        const Elements x = random ? RandomElements(cols, rng) : Elements(cols, gl::kPrime - 1);
        Elements expected(rows);
        for (std::size_t r = 0; r < rows; ++r) {
          expected[r] = oracle::Dot(x, m.data() + r * cols, 1);
        }
        ForEveryTarget([&] {
          Elements y(rows, 7);
          gl::MatVec(m, x, y);
          ASSERT_EQ(y, expected) << rows << " x " << cols;
        });
      }
    }
  }
}

TEST(Field, MatMulEqualsTheOracle) {
  std::mt19937_64 rng(kSeed);
  const std::size_t shapes[][3] = {{1, 1, 1},    {2, 3, 4}, {5, 8, 9}, {3, 700, 17},
                                   {16, 16, 16}, {4, 0, 4}, {7, 33, 1}};
  for (const auto& [rows, inner, cols] : shapes) {
    const Elements a = RandomElements(rows * inner, rng);
    const Elements b = RandomElements(inner * cols, rng);
    Elements expected(rows * cols);
    for (std::size_t r = 0; r < rows; ++r) {
      for (std::size_t c = 0; c < cols; ++c) {
        expected[r * cols + c] =
            oracle::Dot(std::span(a).subspan(r * inner, inner), b.data() + c, cols);
      }
    }
    ForEveryTarget([&, rows = rows, inner = inner, cols = cols] {
      Elements c(rows * cols, 7);
      gl::MatMul(a, b, c, rows, inner, cols);
      ASSERT_EQ(c, expected) << rows << " x " << inner << " x " << cols;
    });
  }
}

TEST(FieldExtension, ProductsEqualTheOracle) {
  std::mt19937_64 rng(kSeed);
  for (int i = 0; i < 20'000; ++i) {
    const Elements v = RandomElements(6, rng);
    const gl::Cubic a{{v[0], v[1], v[2]}};
    const gl::Cubic b{{v[3], v[4], v[5]}};
    EXPECT_EQ(gl::Mul(a, b).c, oracle::MulCubic(a.c, b.c));
    EXPECT_EQ(gl::Scale(a, v[3]), gl::Mul(a, {{v[3], 0, 0}}));
    EXPECT_EQ(gl::Add(gl::Sub(a, b), b), a);
  }
}

TEST(FieldExtension, InverseTimesElementIsOne) {
  std::mt19937_64 rng(kSeed);
  const gl::Cubic one{{1, 0, 0}};
  for (int i = 0; i < 5'000; ++i) {
    const Elements v = RandomElements(3, rng);
    const gl::Cubic a{{v[0], v[1], v[2]}};
    const gl::Cubic inverse = gl::Inverse(a);
    EXPECT_EQ(oracle::MulCubic(a.c, inverse.c), gl::IsZero(a) ? gl::Cubic{}.c : one.c);
  }
  EXPECT_TRUE(gl::IsZero(gl::Inverse(gl::Cubic{})));
}

}  // namespace
}  // namespace txvm::triton

#include "tests/neural/triton/field/field_oracle.h"

#include <boost/multiprecision/cpp_int.hpp>

namespace txvm::triton::oracle {
namespace {

using Wide = boost::multiprecision::uint256_t;
using Integer = boost::multiprecision::cpp_int;

const Wide& Prime() {
  static const Wide prime = (Wide(1) << 64) - (Wide(1) << 32) + 1;
  return prime;
}

std::uint64_t Reduce(const Wide& value) {
  return static_cast<std::uint64_t>(Wide(value % Prime()));
}

}  // namespace

std::uint64_t Add(std::uint64_t a, std::uint64_t b) { return Reduce(Wide(a) + b); }

std::uint64_t Sub(std::uint64_t a, std::uint64_t b) { return Reduce(Wide(a) + Prime() - b); }

std::uint64_t Mul(std::uint64_t a, std::uint64_t b) { return Reduce(Wide(a) * b); }

std::uint64_t Pow(std::uint64_t a, std::uint64_t exponent) {
  return static_cast<std::uint64_t>(Integer(powm(Integer(a), Integer(exponent), Integer(Prime()))));
}

std::uint64_t Dot(std::span<const std::uint64_t> a, const std::uint64_t* b, std::size_t stride) {
  Wide sum = 0;  // fewer than 2^64 terms below 2^128 stay below 2^192
  for (std::size_t i = 0; i < a.size(); ++i) sum += Wide(a[i]) * b[i * stride];
  return Reduce(sum);
}

std::array<std::uint64_t, 3> MulCubic(const std::array<std::uint64_t, 3>& a,
                                      const std::array<std::uint64_t, 3>& b) {
  std::array<std::uint64_t, 5> product{};
  for (std::size_t i = 0; i < a.size(); ++i) {
    for (std::size_t j = 0; j < b.size(); ++j) {
      product[i + j] = Add(product[i + j], Mul(a[i], b[j]));
    }
  }
  for (std::size_t degree = product.size() - 1; degree >= 3; --degree) {
    // Subtract product[degree] * X^(degree-3) * (X^3 - X + 1).
    product[degree - 2] = Add(product[degree - 2], product[degree]);
    product[degree - 3] = Sub(product[degree - 3], product[degree]);
  }
  return {product[0], product[1], product[2]};
}

}  // namespace txvm::triton::oracle

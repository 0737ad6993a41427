// Goldilocks arithmetic by Boost.Multiprecision: slow, obvious, independent of the kernels. The
// heavy header is included nowhere else.
#pragma once

#include <array>
#include <cstdint>
#include <span>

namespace txvm::triton::oracle {

/// Arithmetic of the field on canonical elements, by the big integers of another library.
std::uint64_t Add(std::uint64_t a, std::uint64_t b);
std::uint64_t Sub(std::uint64_t a, std::uint64_t b);
std::uint64_t Mul(std::uint64_t a, std::uint64_t b);
std::uint64_t Pow(std::uint64_t a, std::uint64_t exponent);
/// The sum of a[i] * b[i * stride], reduced once at the end.
std::uint64_t Dot(std::span<const std::uint64_t> a, const std::uint64_t* b, std::size_t stride);
/// The product of two polynomials modulo X^3 - X + 1, by long division.
std::array<std::uint64_t, 3> MulCubic(const std::array<std::uint64_t, 3>& a,
                                      const std::array<std::uint64_t, 3>& b);

}  // namespace txvm::triton::oracle

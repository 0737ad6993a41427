// Division by a constant as a multiplication (Granlund and Montgomery, "Division by invariant
// integers using multiplication", 1994).
#pragma once

#include <bit>
#include <cstdint>
#include <optional>

namespace txvm::vm::folded {

/// n / d = (n * multiplier) >> shift for every n of the range.
struct Reciprocal {
  std::uint64_t multiplier = 0;  // below 2^32
  unsigned shift = 0;            // 32..63
};

/// For every 32-bit n without sign. nullopt: no multiplier of 32 bits does. REQUIRES: d >= 2.
inline std::optional<Reciprocal> UnsignedReciprocal(std::uint32_t d) {
  // 2^(32+l) <= m d <= 2^(32+l) + 2^l suffices (Theorem 4.2 there).
  for (unsigned l = 0; l < 32; ++l) {
    const std::uint64_t power = std::uint64_t{1} << (32 + l);
    const std::uint64_t m = (power + d - 1) / d;
    if (m < (std::uint64_t{1} << 32) && m * d - power <= (std::uint64_t{1} << l)) {
      return Reciprocal{m, 32 + l};
    }
  }
  return std::nullopt;
}

/// For every signed 32-bit n, but for n < 0 the quotient is one more. REQUIRES: 2 <= d < 2^31.
inline Reciprocal SignedReciprocal(std::uint32_t d) {
  // 2^(31+l) < m d <= 2^(31+l) + 2^l suffices (Theorem 5.1 there).
  unsigned l = static_cast<unsigned>(std::bit_width(d - 1));
  const std::uint64_t power = std::uint64_t{1} << (31 + l);
  return {power / d + 1, 31 + l};
}

}  // namespace txvm::vm::folded

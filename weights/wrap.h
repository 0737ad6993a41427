// Arithmetic modulo 2^64. A compiled model stays far below; one whose lanes pass what it declares
// for them must give some number, not undefined behaviour.
#pragma once

#include <cstdint>

namespace txvm::weights {

constexpr std::int64_t WrapPlus(std::int64_t a, std::int64_t b) {
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) + static_cast<std::uint64_t>(b));
}
constexpr std::int64_t WrapTimes(std::int64_t a, std::int64_t b) {
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) * static_cast<std::uint64_t>(b));
}
/// |a|; of -2^63 itself.
constexpr std::int64_t WrapAbs(std::int64_t a) { return a < 0 ? WrapTimes(a, -1) : a; }

}  // namespace txvm::weights

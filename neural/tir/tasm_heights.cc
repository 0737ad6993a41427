#include "neural/tir/tasm_heights.h"

#include <algorithm>
#include <bit>
#include <numeric>

namespace txvm::neural {

std::uint64_t TasmHeights::Max() const { return *std::ranges::max_element(rows); }

std::uint64_t TasmHeights::Padded() const { return NextPowerOfTwo(Max()); }

std::uint64_t TasmHeights::Sum() const {
  const std::uint64_t all = std::accumulate(rows.begin(), rows.end(), std::uint64_t{0});
  return all - (*this)[TasmTable::kJumpStack];
}

std::uint64_t NextPowerOfTwo(std::uint64_t n) {
  constexpr std::uint64_t kLargest = std::uint64_t{1} << 63;
  return n > kLargest ? kLargest : std::bit_ceil(n);
}

TasmCost CostOf(const TasmHeights& heights, std::uint64_t program_words) {
  return {heights.Padded(), heights.Max(), heights.Sum(), program_words};
}

std::uint64_t ProvingTimeEstimateNs(std::uint64_t padded) {
  constexpr std::uint64_t kColumns = 300;
  constexpr std::uint64_t kNsPerButterfly = 3;
  return padded * kColumns * static_cast<std::uint64_t>(std::bit_width(padded)) * kNsPerButterfly;
}

}  // namespace txvm::neural

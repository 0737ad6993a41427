#include "neural/triton/tasm/heights.h"

#include <algorithm>
#include <bit>
#include <limits>

namespace txvm::triton {
namespace {

std::uint64_t SaturatingAdd(std::uint64_t a, std::uint64_t b) {
  return a > std::numeric_limits<std::uint64_t>::max() - b
             ? std::numeric_limits<std::uint64_t>::max()
             : a + b;
}

}  // namespace

std::uint64_t TasmHeights::Max() const { return *std::ranges::max_element(rows); }

std::uint64_t TasmHeights::Padded() const { return Max() == 0 ? 0 : NextPowerOfTwo(Max()); }

std::uint64_t TasmHeights::Sum() const {
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (i != static_cast<std::size_t>(TasmTable::kJumpStack)) sum = SaturatingAdd(sum, rows[i]);
  }
  return sum;
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

}  // namespace txvm::triton

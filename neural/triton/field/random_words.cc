#include "neural/triton/field/random_words.h"

#include <algorithm>

#include "vm/tensor/goldilocks.h"

namespace txvm::triton {

constexpr std::uint64_t kPrime = vm::goldilocks::kPrime;

std::uint64_t TirRng::Word() {
  constexpr std::uint64_t kLargest = 0xFFFF'FFFF;
  switch (Below(6)) {
    case 0:
      return Below(4);
    case 1: {
      const std::uint64_t power = std::uint64_t{1} << Below(32);
      return std::min(kLargest, power + Below(3) - (power > 1 ? 1 : 0));
    }
    case 2:
      return kLargest - Below(3);
    case 3:
      return Below(32);
    default:
      return Next() & kLargest;
  }
}

std::uint64_t TirRng::Element() {
  switch (Below(6)) {
    case 0:
      return kPrime - 1 - Below(3);
    case 1:
      return (std::uint64_t{1} << 32) + Below(3) - 1;
    case 2:
      return Next() % kPrime;
    default:
      return Word();
  }
}

}  // namespace txvm::triton

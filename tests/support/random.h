// A seeded stream of random numbers: the same seed gives the same tests everywhere.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <iterator>

#include "isa/support/random.h"

namespace txvm::support {

/// Cheap to seed, which std::mt19937 is not, since every case has its own seed.
class Random : public isa::SplitMix64 {
 public:
  using SplitMix64::SplitMix64;

  std::uint32_t Word() { return static_cast<std::uint32_t>(Next() >> 32); }

  /// 0..count-1. REQUIRES: count >= 1.
  std::uint32_t Below(std::uint32_t count) {
    return static_cast<std::uint32_t>((std::uint64_t{Word()} * count) >> 32);
  }

  /// first..last.
  std::uint32_t Between(std::uint32_t first, std::uint32_t last) {
    return first + Below(last - first + 1);
  }

  /// True once in `count` times.
  bool OneIn(std::uint32_t count) { return Below(count) == 0; }

  template <typename T>
  T OneOf(std::initializer_list<T> choices) {
    return *std::next(choices.begin(), Below(static_cast<std::uint32_t>(choices.size())));
  }

  /// Small numbers, edges of the word and anything, about as often as each other.
  std::uint32_t InterestingWord() {
    const std::uint32_t power = std::uint32_t{1} << Below(32);
    switch (Below(6)) {
      case 0:
        return Below(4);
      case 1:
        return Below(64) - 32;
      case 2:
        return power;
      case 3:
        return power - 1;
      case 4:
        return 0 - power;
      default:
        return Word();
    }
  }
};

}  // namespace txvm::support

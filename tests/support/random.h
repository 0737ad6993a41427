// A seeded stream of random numbers: the same seed gives the same tests everywhere.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <iterator>

namespace txvm::support {

/// SplitMix64. Cheap to seed, which std::mt19937 is not, since every case has its own seed.
class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}

  std::uint64_t Next() {
    state_ += 0x9E3779B97F4A7C15;
    std::uint64_t z = state_;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EB;
    return z ^ (z >> 31);
  }

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

 private:
  std::uint64_t state_;
};

}  // namespace txvm::support

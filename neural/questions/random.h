// The generator's source of randomness: the same numbers on every machine.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <utility>

namespace txvm::neural::questions {

/// A stable 64-bit hash of a text (FNV-1a with a final mix).
constexpr std::uint64_t HashText(std::string_view text, std::uint64_t seed = 0) {
  constexpr std::uint64_t kBasis = 0xcbf29ce484222325, kPrime = 0x100000001b3;
  std::uint64_t hash = kBasis ^ seed;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * kPrime;
  hash ^= hash >> 32;
  hash *= 0xd6e8feb86659fd93;
  return hash ^ hash >> 32;
}

/// SplitMix64. Source: Steele, Lea, Flood, OOPSLA 2014.
class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}

  std::uint64_t Next() {
    std::uint64_t z = state_ += 0x9e3779b97f4a7c15;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
    z = (z ^ z >> 27) * 0x94d049bb133111eb;
    return z ^ z >> 31;
  }
  /// 0..n-1. REQUIRES: n >= 1.
  std::size_t Below(std::size_t n) { return static_cast<std::size_t>(Next() % n); }
  /// low..high, both included.
  std::int64_t Between(std::int64_t low, std::int64_t high) {
    return low + static_cast<std::int64_t>(Below(static_cast<std::size_t>(high - low + 1)));
  }
  /// True in `percent` of 100 draws.
  bool Chance(unsigned percent) { return Below(100) < percent; }
  template <typename T>
  const T& Pick(std::span<const T> from) {
    return from[Below(from.size())];
  }
  /// A row, in proportion to its `weight`.
  template <typename Row>
  const Row& PickByWeight(std::span<const Row> rows) {
    std::size_t total = 0, i = 0;
    for (const Row& row : rows) total += row.weight;
    std::size_t draw = Below(total);
    while (draw >= rows[i].weight) draw -= rows[i++].weight;
    return rows[i];
  }
  template <typename Values>
  void Shuffle(Values&& values) {
    for (std::size_t i = 0; i + 1 < values.size(); ++i) {
      std::swap(values[i], values[i + Below(values.size() - i)]);
    }
  }

 private:
  std::uint64_t state_;
};

}  // namespace txvm::neural::questions

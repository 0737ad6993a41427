// Random numbers and hashes that are the same on every machine: integer state, no library
// distribution.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <utility>

namespace txvm::isa {

/// Mixes all bits of x into all bits of the result: the finaliser of SplitMix64.
constexpr std::uint64_t MixBits(std::uint64_t x) {
  x = (x ^ (x >> 30)) * 0xBF58'476D'1CE4'E5B9;
  x = (x ^ (x >> 27)) * 0x94D0'49BB'1331'11EB;
  return x ^ (x >> 31);
}

/// A stable 64-bit hash of a text (FNV-1a with a final mix), for seeds and keys. Cost O(text).
constexpr std::uint64_t HashText(std::string_view text, std::uint64_t seed = 0) {
  constexpr std::uint64_t kBasis = 0xcbf29ce484222325, kPrime = 0x100000001b3;
  std::uint64_t hash = kBasis ^ seed;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * kPrime;
  hash ^= hash >> 32;
  hash *= 0xd6e8feb86659fd93;
  return hash ^ hash >> 32;
}

/// The generator SplitMix64: the seed is its whole state. Equal seeds give equal numbers.
/// Source: Steele, Lea, Flood, OOPSLA 2014.
class SplitMix64 {
 public:
  constexpr explicit SplitMix64(std::uint64_t seed = 0) : state_(seed) {}

  /// The next 64 bits.
  constexpr std::uint64_t Next() { return MixBits(state_ += 0x9E37'79B9'7F4A'7C15); }
  /// A generator with this seed goes on as this one does.
  constexpr std::uint64_t state() const { return state_; }

 private:
  std::uint64_t state_;
};

/// SplitMix64 with the draws that generators of examples make. Draws are by remainder, so that a
/// range near 2^64 is not uniform.
class Random : public SplitMix64 {
 public:
  using SplitMix64::SplitMix64;

  /// 0..n-1. REQUIRES: n >= 1.
  std::size_t Below(std::size_t n) { return static_cast<std::size_t>(Next() % n); }
  /// low..high, both included. REQUIRES: low <= high, fewer than 2^64 values.
  std::int64_t Between(std::int64_t low, std::int64_t high) {
    return low + static_cast<std::int64_t>(Below(static_cast<std::size_t>(high - low + 1)));
  }
  /// True in `percent` of 100 draws.
  bool Chance(unsigned percent) { return Below(100) < percent; }
  /// One of them. REQUIRES: from is not empty.
  template <typename T>
  const T& Pick(std::span<const T> from) {
    return from[Below(from.size())];
  }
  /// A row, in proportion to its `weight`. REQUIRES: the weights add up to at least 1.
  template <typename Row>
  const Row& PickByWeight(std::span<const Row> rows) {
    std::size_t total = 0, i = 0;
    for (const Row& row : rows) total += row.weight;
    std::size_t draw = Below(total);
    while (draw >= rows[i].weight) draw -= rows[i++].weight;
    return rows[i];
  }
  /// Puts the values in a random order. Cost O(values).
  template <typename Values>
  void Shuffle(Values&& values) {
    for (std::size_t i = 0; i + 1 < values.size(); ++i) {
      std::swap(values[i], values[i + Below(values.size() - i)]);
    }
  }
};

}  // namespace txvm::isa

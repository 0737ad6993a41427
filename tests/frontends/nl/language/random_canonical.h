// Random canonical programs, made by the grammar itself: every construct, from one seed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "frontends/nl/language/grammar.h"
#include "frontends/nl/numbers/number.h"

namespace txvm::frontends::nl {

/// SplitMix64.
class Rng {
 public:
  explicit Rng(std::uint64_t seed) : state_(seed) {}
  std::uint64_t Next() {
    std::uint64_t z = state_ += 0x9E3779B97F4A7C15;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EB;
    return z ^ (z >> 31);
  }
  /// In [0, n). REQUIRES: n > 0.
  std::size_t Below(std::size_t n) { return static_cast<std::size_t>(Next() % n); }

 private:
  std::uint64_t state_;
};

/// A token of a set, words and signs weighted against slots and literals. REQUIRES: allowed.any().
Token Pick(const TokenSet& allowed, Rng& rng);

/// A whole program, kEnd included.
std::vector<Token> RandomTokens(const GrammarOptions& options, Rng& rng);

/// Numbers for its slots: mostly small, some fractions, negatives, and some near 32 and 256 bits.
std::vector<Rational> RandomNumbers(std::size_t count, Rng& rng);

}  // namespace txvm::frontends::nl

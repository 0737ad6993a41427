// Reproducible random words for tests, search and training.
#pragma once

#include <cstdint>

#include "isa/support/random.h"

namespace txvm::triton {

/// A small deterministic generator: the same seed gives the same programs everywhere.
class TirRng : public isa::SplitMix64 {
 public:
  using SplitMix64::SplitMix64;

  /// Uniform in 0..bound-1. REQUIRES bound >= 1.
  std::uint64_t Below(std::uint64_t bound) { return Next() % bound; }
  bool OneIn(std::uint64_t n) { return Below(n) == 0; }
  /// A u32 with a bias to 0, 1, powers of two and their neighbours, and the largest.
  std::uint64_t Word();
  /// A field element: mostly Word(), sometimes any, p-1, 2^32 and such.
  std::uint64_t Element();
};

}  // namespace txvm::triton

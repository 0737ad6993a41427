// Random numbers that are the same everywhere: integer state, no library distribution.
#pragma once

#include <cmath>
#include <cstdint>
#include <numbers>

#include "isa/support/random.h"

namespace txvm::neural::train {

/// The generator of isa/support with real numbers.
class Random : public isa::Random {
 public:
  using isa::Random::Random;

  /// In (0, 1).
  double Unit() { return (static_cast<double>(Next() >> 11) + 0.5) * 0x1p-53; }
  /// Mean 0, deviation 1, by Box and Muller.
  double Normal() {
    const double radius = std::sqrt(-2 * std::log(Unit()));
    return radius * std::cos(2 * std::numbers::pi * Unit());
  }
};

}  // namespace txvm::neural::train

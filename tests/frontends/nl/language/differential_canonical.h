// One canonical program on every way to evaluate it.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "tests/frontends/nl/language/random_canonical.h"

namespace txvm::frontends::nl {

/// What a campaign covered.
struct Coverage {
  std::size_t programs = 0, answers = 0, refusals = 0, wide = 0, narrow = 0, fractions = 0;
  std::size_t told_too_long = 0;          // refused before the run, and refused by the oracle too
  std::size_t long_ranges = 0;            // stopped, or told to be too long, where the oracle sums
  std::uint64_t steps = 0;                // on the attention engine
  std::array<std::size_t, 64> kinds{};    // programs that hold a node of the kind
  std::array<std::size_t, 16> reasons{};  // refusals of the kind
};

/// Runs one random program on the native and attention engines and in WABT's interpreter, narrow
/// where it may be and wide, iterative and recursive, and compares every answer and refusal with
/// the oracle. An empty string when all agree, else what differs.
std::string CompareOne(Rng& rng, Coverage& coverage);

/// "sum_range 812, ...": programs per construct.
std::string CoverageText(const Coverage& coverage);

}  // namespace txvm::frontends::nl

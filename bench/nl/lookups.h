// Questions that only looking up answers: several quantities, one asked for, nothing in the wording
// that tells which.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "bench/nl/items.h"

namespace txvm::bench::nl {

/// A kind of these questions.
struct LookupSet {
  ItemSet set;           // answers and programs are known
  double by_chance = 0;  // the share right of one who picks a quantity without looking
};

/// `count` questions of every kind, drawn from `seed`: fixed sentences about names and things
/// drawn here, not from the generator's lists, and numbers below 1,000.
std::vector<LookupSet> LookupSets(std::size_t count, std::uint64_t seed);

}  // namespace txvm::bench::nl

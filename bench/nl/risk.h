// What a threshold of the confidence does to a set of questions: how many are still answered, and
// how many of those rightly.
#pragma once

#include <vector>

#include "bench/nl/items.h"
#include "bench/nl/reader_pool.h"
#include "bench/nl/score.h"

namespace txvm::bench::nl {

struct Judged {
  double confidence = 0;
  bool is_answered = false, is_right = false;
};

/// A verdict an item, in order. REQUIRES: as many outcomes as items.
std::vector<Judged> Judge(const std::vector<Item>& items, const std::vector<Outcome>& outcomes);

struct AtThreshold {
  Tally covered;  // of all items, the answered ones
  Tally right;    // of the answered ones
};

/// An answer with a confidence below `threshold` becomes an abstention.
AtThreshold Apply(const std::vector<Judged>& items, double threshold);

}  // namespace txvm::bench::nl

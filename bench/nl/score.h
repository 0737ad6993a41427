// Counts, shares and their uncertainty.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace txvm::bench::nl {

/// An interval of shares, 0..1.
struct Interval {
  double low = 0, high = 1;
};

/// The 95 % interval of Wilson for `successes` of `total` independent trials; 0..1 for none.
/// Source: Wilson, JASA 22, 1927.
Interval Wilson(std::size_t successes, std::size_t total);

/// How many of a total.
struct Tally {
  std::size_t successes = 0, total = 0;

  void Count(bool success) {
    ++total;
    successes += success ? 1 : 0;
  }
  /// 0 for none.
  double Share() const;
};

/// A score apart for test sentences that a training sentence collides with, and for the rest.
struct SplitTally {
  Tally all, clean, contaminated;
};

/// REQUIRES: spans of the same length.
SplitTally Split(const std::vector<bool>& correct, const std::vector<bool>& contaminated);

/// "97.3 %"; "-" for none.
std::string PercentText(const Tally& tally);
/// "12/12"; "-" for none.
std::string CountText(const Tally& tally);
/// "97.3 % (973/1000)".
std::string ShareText(const Tally& tally);
/// "96.1-98.2".
std::string IntervalText(const Tally& tally);

}  // namespace txvm::bench::nl

#include "bench/nl/score.h"

#include <fmt/format.h>

#include <cmath>

#include "isa/support/result.h"

namespace txvm::bench::nl {
namespace {

constexpr double kNormal975 = 1.959963984540054;  // quantile of the normal distribution
constexpr double kHundred = 100;

}  // namespace

Interval Wilson(std::size_t successes, std::size_t total) {
  if (total == 0) return {};
  const auto n = static_cast<double>(total);
  const double share = static_cast<double>(successes) / n;
  const double square = kNormal975 * kNormal975;
  const double middle = (share + square / (2 * n)) / (1 + square / n);
  const double half =
      kNormal975 / (1 + square / n) * std::sqrt(share * (1 - share) / n + square / (4 * n * n));
  // Exactly, where rounding would leave a hair.
  return {successes == 0 ? 0 : middle - half, successes == total ? 1 : middle + half};
}

double Tally::Share() const {
  return total == 0 ? 0 : static_cast<double>(successes) / static_cast<double>(total);
}

SplitTally Split(const std::vector<bool>& correct, const std::vector<bool>& contaminated) {
  TXVM_ASSERT(correct.size() == contaminated.size());
  SplitTally split;
  for (std::size_t i = 0; i < correct.size(); ++i) {
    split.all.Count(correct[i]);
    (contaminated[i] ? split.contaminated : split.clean).Count(correct[i]);
  }
  return split;
}

std::string PercentText(const Tally& tally) {
  return tally.total == 0 ? "-" : fmt::format("{:.1f} %", kHundred * tally.Share());
}

std::string CountText(const Tally& tally) {
  return tally.total == 0 ? "-" : fmt::format("{}/{}", tally.successes, tally.total);
}

std::string ShareText(const Tally& tally) {
  return tally.total == 0 ? "-" : fmt::format("{} ({})", PercentText(tally), CountText(tally));
}

std::string IntervalText(const Tally& tally) {
  if (tally.total == 0) return "-";
  const Interval interval = Wilson(tally.successes, tally.total);
  return fmt::format("{:.1f}-{:.1f}", kHundred * interval.low, kHundred * interval.high);
}

}  // namespace txvm::bench::nl

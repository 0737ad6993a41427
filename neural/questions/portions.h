// What portions.cc and portions_plans.cc, which tell stories of equal portions, share.
#pragma once

#include <cstdint>
#include <optional>

#include "neural/questions/draft.h"

namespace txvm::neural::questions {

/// A story by one of the plans of portions_plans.cc, of which the question asks for some.
std::optional<Draft> DraftPlannedPortions(const Workshop& workshop, Telling telling);

/// Where a number that does not matter is told.
enum class Place : std::uint8_t { kNowhere, kAhead, kBetween, kBehind };
/// In about 30 of 100 stories there is one.
inline Place DrawPlace(Random& random) {
  constexpr std::size_t kAheadUntil = 9, kBetweenUntil = 20, kBehindUntil = 31;  // of 100
  const std::size_t draw = random.Below(100);
  if (draw < kAheadUntil) return Place::kAhead;
  if (draw < kBetweenUntil) return Place::kBetween;
  return draw < kBehindUntil ? Place::kBehind : Place::kNowhere;
}

}  // namespace txvm::neural::questions

// The network as a guide of the search: it rates the moves of each state.
#pragma once

#include <memory>

#include "neural/triton/guide/network.h"
#include "neural/triton/superopt/guide.h"

namespace txvm::triton::guide {

/// A move whose rating is x below the best one's costs x * kNatCost. Measured on families that the
/// network had not seen: an eighth of an instruction saves most, a quarter less, a half least.
inline constexpr std::int64_t kNatCost = kGuideUnit / 8;

/// Guides with one network; searches share it.
class NetworkGuide final : public ScheduleGuide {
 public:
  explicit NetworkGuide(Network network) : network_(std::move(network)) {}
  std::unique_ptr<BlockGuide> Begin(const BlockModel& model) const override;

 private:
  Network network_;
};

}  // namespace txvm::triton::guide

// The network as the search's guide: what it would do next, in each state.
#pragma once

#include <memory>

#include "neural/triton/guide/network.h"
#include "neural/triton/superopt/guide.h"

namespace txvm::triton::guide {

/// A move whose logits are x below the best one's costs x * kNatCost. On families it had not seen a
/// network found most with an eighth of an instruction, less with a quarter, and least with a half.
inline constexpr std::int64_t kNatCost = kGuideUnit / 8;

class NetworkGuide final : public ScheduleGuide {
 public:
  explicit NetworkGuide(Network network) : network_(std::move(network)) {}
  std::unique_ptr<BlockGuide> Begin(const BlockModel& model) const override;

 private:
  Network network_;
};

}  // namespace txvm::triton::guide

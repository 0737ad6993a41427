#include "neural/triton/guide/guide.h"

#include <algorithm>
#include <vector>

namespace txvm::triton::guide {
namespace {

class RunGuide final : public BlockGuide {
 public:
  RunGuide(const Network& network, const BlockModel& model)
      : network_(network),
        model_(model),
        nodes_(NodesOf(model)),
        encoding_(network.Encode(nodes_)) {}

  void Rate(const GuidedState& state, std::span<const TasmInstruction> moves,
            std::span<std::uint32_t> costs) override {
    const Logits logits = network_.Decode(encoding_, Describe(model_, nodes_, state));
    scores_.clear();
    for (const TasmInstruction& move : moves) {
      scores_.push_back(RatingOf(logits, CodeOf(model_, move)));
    }
    const std::int64_t best = *std::max_element(scores_.begin(), scores_.end());
    for (std::size_t i = 0; i < costs.size(); ++i) {
      costs[i] = static_cast<std::uint32_t>((best - scores_[i]) * kNatCost / kOne);
    }
  }

 private:
  const Network& network_;
  const BlockModel& model_;
  RunNodes nodes_;
  Encoding encoding_;
  std::vector<std::int64_t> scores_;
};

}  // namespace

std::unique_ptr<BlockGuide> NetworkGuide::Begin(const BlockModel& model) const {
  return std::make_unique<RunGuide>(network_, model);
}

}  // namespace txvm::triton::guide

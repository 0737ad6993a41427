// What each layer of a pass did: the lanes it wrote, and the gated units that were open.
#pragma once

#include <cstdint>
#include <vector>

#include "weights/reference.h"

namespace txvm::weights {

/// A number that was added to a lane of the residual vector.
struct LaneWrite {
  std::uint32_t lane = 0;
  std::int64_t value = 0;  // not 0
};

/// One layer of a pass. Lanes ascend, units too.
struct LayerWork {
  std::vector<LaneWrite> heads;     // by its attention
  std::vector<LaneWrite> units;     // by its gated units
  std::vector<std::uint32_t> open;  // units whose gate is above 0
};

/// The layers of the pass that `model` has just made, in order: what the state token's embedding
/// and these writes add up to is model.residual(). A lane is never written after a layer has read
/// it, so the residual after the pass says what every gate saw. REQUIRES: a Forward.
/// Cost O(non-zeros).
std::vector<LayerWork> LayersOfPass(const ReferenceModel& model);

}  // namespace txvm::weights

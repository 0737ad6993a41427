// Why float32 is enough: how large any row of the model can get.
//
// FACTS  Integers up to 2^24 are exact in float32, and so is a sum of them in any order, with or
//        without fused operations, as long as sum |w x| + |b| < 2^24: every partial sum is an
//        integer below the bound.
// Method: interval arithmetic. Lanes hold the values their declaration states (LaneInfo), which the
// circuits' exhaustive tests establish; unit activations and row sums are bounded from them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "isa/support/result.h"
#include "weights/model.h"

namespace txvm::weights {

inline constexpr std::int64_t kFloat32Exact = std::int64_t{1} << 24;
/// Lanes can be declared so wide that products pass 2^63; a bound of this or more is this.
inline constexpr std::int64_t kBoundBeyond = std::int64_t{1} << 61;

/// The largest sum |w x| + |b| of any row of each kind in one layer, over all values the lanes can
/// hold, kBoundBeyond at most. 0 where the layer has no such row.
struct LayerBounds {
  std::int64_t query = 0, score = 0;  // W_Q rows; q . k over any two tokens
  std::int64_t gate = 0, up = 0;      // rows of the projections
  std::int64_t product = 0;           // relu(gate) * up
  std::int64_t down = 0;              // rows of W_down, the residual included
  std::string widest_row;             // lane or unit where the layer's maximum is
  std::int64_t Largest() const;
};

/// Bounds of every layer and of the output rows (the last element: `down` is the output row).
std::vector<LayerBounds> BoundModel(const Model& model);

/// kInvalid, naming the layer and the row, if any bound is 2^24 or more.
isa::Result<void> CheckFloat32Exact(const Model& model);

}  // namespace txvm::weights

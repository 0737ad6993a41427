#include "weights/heads.h"

namespace txvm::weights {
namespace {

struct LaneSpec {
  std::string_view name;
  LaneRole role;
  std::string_view what;
};

constexpr std::array<LaneSpec, kLaneCount> kLanes = {{
#define TXVM_LANE(Name, role, what) {#Name, LaneRole::role, what},
#include "weights/lanes.def"
#undef TXVM_LANE
}};

constexpr std::array<std::string_view, kSpaceCount> kSpaceNames = {"code", "stack", "locals",
                                                                   "memory", "call"};

const LaneSpec& SpecOf(Lane lane) { return kLanes[static_cast<std::size_t>(lane)]; }

float& At(LaneWeights& row, Lane lane) { return row[static_cast<std::size_t>(lane)]; }

HeadWeights CompileHead(const HeadSpec& head) {
  HeadWeights w;
  // q = (address + offset, 1)
  At(w.w_q[0], head.address) = 1;
  w.b_q[0] = static_cast<float>(head.offset);
  At(w.w_q[1], Lane::kOne) = 1;
  // k = (2 k, -k^2)
  At(w.w_k[0], Lane::kKey) = 2;
  At(w.w_k[1], Lane::kKeySquare) = -1;
  for (std::size_t i = 0; i < ValueCount(head); ++i) At(w.w_v[i], head.values[i]) = 1;
  return w;
}

}  // namespace

std::string_view SpaceName(Space space) { return kSpaceNames[static_cast<std::size_t>(space)]; }
LaneRole RoleOf(Lane lane) { return SpecOf(lane).role; }
std::string_view LaneName(Lane lane) { return SpecOf(lane).name; }
std::string_view LaneText(Lane lane) { return SpecOf(lane).what; }

HeadMatrices CompileHeads() {
  HeadMatrices matrices;
  for (const HeadSpec& head : kHeads) matrices[head.id] = CompileHead(head);
  return matrices;
}

}  // namespace txvm::weights

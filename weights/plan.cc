#include "weights/plan.h"

#include <fmt/format.h>

#include <cmath>
#include <span>
#include <string>

namespace txvm::weights {
namespace {

using isa::ErrorCode;
using isa::Fail;
using isa::Result;

constexpr float kDoubled = 2;   // k = (2k, ...)
constexpr float kNegated = -1;  // k = (..., -k^2)

/// The single lane a row reads and its weight.
struct RowRead {
  Lane lane;
  float weight;
};

std::unexpected<isa::Error> Refuse(const HeadSpec& head, std::string what) {
  return Fail(ErrorCode::kInvalid, fmt::format("head {}: {}", head.name, what));
}

/// Requires that `row` of matrix `name` reads `lane` alone, with weight `scale`.
Result<void> RequireRow(const HeadSpec& head, std::string_view name, std::size_t row_index,
                        const LaneWeights& row, RowRead expected) {
  for (std::size_t i = 0; i < kLaneCount; ++i) {
    const Lane lane = static_cast<Lane>(i);
    const float wanted = lane == expected.lane ? expected.weight : 0.0f;
    if (row[i] == wanted) continue;
    return Refuse(head, fmt::format("weight {}[{}, {}] is {}, must be {}", name, row_index,
                                    LaneName(lane), row[i], wanted));
  }
  return {};
}

Result<void> RequireBias(const HeadSpec& head, std::string_view name, std::size_t index,
                         float value, float wanted) {
  if (value == wanted) return {};
  return Refuse(head, fmt::format("weight {}[{}] is {}, must be {}", name, index, value, wanted));
}

Result<std::int32_t> DeriveBias(const HeadSpec& head, float bias) {
  const float limit = static_cast<float>(kMaxBias);
  if (std::isfinite(bias) && std::trunc(bias) == bias && bias >= -limit && bias <= limit) {
    return static_cast<std::int32_t>(bias);
  }
  return Refuse(head,
                fmt::format("weight b_q[0] is {}, must be an integer within +-{}", bias, kMaxBias));
}

Result<HeadRead> DeriveHead(const HeadSpec& head, const HeadWeights& w) {
  HeadRead read{head.id, head.space, head.address, 0, head.values, {}};
  TXVM_CHECK_OK(RequireRow(head, "w_q", 0, w.w_q[0], {head.address, 1}));
  TXVM_CHECK_OK(RequireRow(head, "w_q", 1, w.w_q[1], {Lane::kOne, 1}));
  TXVM_TRY(read.bias, DeriveBias(head, w.b_q[0]));
  TXVM_CHECK_OK(RequireBias(head, "b_q", 1, w.b_q[1], 0));
  TXVM_CHECK_OK(RequireRow(head, "w_k", 0, w.w_k[0], {Lane::kKey, kDoubled}));
  TXVM_CHECK_OK(RequireRow(head, "w_k", 1, w.w_k[1], {Lane::kKeySquare, kNegated}));
  TXVM_CHECK_OK(RequireBias(head, "b_k", 0, w.b_k[0], 0));
  TXVM_CHECK_OK(RequireBias(head, "b_k", 1, w.b_k[1], 0));
  for (std::size_t i = 0; i < kMaxValues; ++i) {
    const float scale = head.values[i] == Lane::kNone ? 0.0f : 1.0f;
    TXVM_CHECK_OK(RequireRow(head, "w_v", i, w.w_v[i], {head.values[i], scale}));
  }
  read.key_scale = {static_cast<std::int16_t>(kDoubled), static_cast<std::int16_t>(kNegated)};
  return read;
}

using LaneValues = std::array<float, kLaneCount>;  // a residual vector

LaneValues Zeros() { return {}; }

void Set(LaneValues& x, Lane lane, float value) { x[static_cast<std::size_t>(lane)] = value; }

float Dot(const LaneWeights& row, const LaneValues& x) {
  float sum = 0;
  for (std::size_t i = 0; i < kLaneCount; ++i) sum += row[i] * x[i];
  return sum;
}

}  // namespace

Result<HeadPlan> DerivePlan(const HeadMatrices& matrices) {
  HeadPlan plan;
  for (const HeadSpec& head : kHeads) {
    TXVM_TRY(const HeadRead read, DeriveHead(head, matrices[head.id]));
    plan.reads[static_cast<std::size_t>(head.id)] = read;
  }
  return plan;
}

KeyRows TileKeys(const HeadMatrices& matrices, HeadId id, std::size_t tile) {
  TXVM_ASSERT(tile >= 1 && tile <= kMaxTile);
  const HeadWeights& w = matrices[id];
  KeyRows rows;
  for (std::size_t i = 0; i < tile; ++i) {
    LaneValues token = Zeros();
    Set(token, Lane::kOne, 1);
    Set(token, Lane::kKey, static_cast<float>(i));
    Set(token, Lane::kKeySquare, static_cast<float>(i * i));
    rows.k0.push_back(static_cast<std::int16_t>(Dot(w.w_k[0], token) + w.b_k[0]));
    rows.k1.push_back(static_cast<std::int16_t>(Dot(w.w_k[1], token) + w.b_k[1]));
  }
  return rows;
}

std::array<std::int16_t, kKeySize> QueryRow(const HeadMatrices& matrices, HeadId id,
                                            std::int16_t digit) {
  const HeadWeights& w = matrices[id];
  LaneValues state = Zeros();
  Set(state, Lane::kOne, 1);
  Set(state, Spec(id).address, static_cast<float>(digit));
  return {static_cast<std::int16_t>(Dot(w.w_q[0], state)),
          static_cast<std::int16_t>(Dot(w.w_q[1], state) + w.b_q[1])};
}

}  // namespace txvm::weights

// The attention heads as matrices: a projection of lanes.def and heads.def.
//
// NOTATION  x: residual vector of a token, (kLaneCount,). A head scores a readable token by
//           score = q . k with q = W_Q x_state + b_q and k = W_K x_token + b_k, both (2,).
// FACTS     q = (a, 1) and k = (2 k, -k^2) give score = 2 a k - k^2 = a^2 - (a - k)^2, which is
//           largest, and equal to a^2, exactly at k = a.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "isa/opcode.h"

namespace txvm::weights {

/// An address space, in the order every engine and report uses.
enum class Space : std::uint8_t { kCode, kStack, kLocals, kMemory, kCall };
inline constexpr std::size_t kSpaceCount = 5;
std::string_view SpaceName(Space space);

/// A residual lane; see lanes.def.
enum class Lane : std::uint8_t {
#define TXVM_LANE(Name, role, what) k##Name,
#include "weights/lanes.def"
#undef TXVM_LANE
  kNone,
};
inline constexpr std::size_t kLaneCount = static_cast<std::size_t>(Lane::kNone);

/// Which part of the model writes and reads a lane; see the legend of lanes.def.
enum class LaneRole : std::uint8_t { kOne, kAddress, kKey, kValue };

LaneRole RoleOf(Lane lane);
std::string_view LaneName(Lane lane);
std::string_view LaneText(Lane lane);

/// A head; see heads.def.
enum class HeadId : std::uint8_t {
#define TXVM_HEAD(Name, ...) k##Name,
#include "weights/heads.def"
#undef TXVM_HEAD
};

/// The column of opcodes.def that counts a head's reads.
enum class ReadColumn : std::uint8_t {
  kEveryStep,
  kStackReads,
  kLocalReads,
  kMemoryReads,
  kCallReads,
};

inline constexpr std::size_t kMaxValues = 3;  // the fetch returns op, aux and arg

/// One row of heads.def.
struct HeadSpec {
  HeadId id;
  std::string_view name;
  Space space;
  Lane address;
  std::int32_t offset;
  ReadColumn column;
  std::uint8_t nth;
  std::array<Lane, kMaxValues> values;  // kNone after the last
};

inline constexpr std::array kHeads = std::to_array<HeadSpec>({
#define TXVM_HEAD(Name, space, address, offset, column, nth, v0, v1, v2) \
  {HeadId::k##Name,                                                      \
   #Name,                                                                \
   Space::space,                                                         \
   Lane::k##address,                                                     \
   offset,                                                               \
   ReadColumn::column,                                                   \
   nth,                                                                  \
   {Lane::k##v0, Lane::k##v1, Lane::k##v2}},
#include "weights/heads.def"
#undef TXVM_HEAD
});
inline constexpr std::size_t kHeadCount = kHeads.size();
static_assert(kHeadCount == 9);

constexpr const HeadSpec& Spec(HeadId id) { return kHeads[static_cast<std::size_t>(id)]; }

/// How many lanes a head returns, 1..kMaxValues.
constexpr std::size_t ValueCount(const HeadSpec& head) {
  std::size_t count = 0;
  while (count < kMaxValues && head.values[count] != Lane::kNone) ++count;
  return count;
}

/// How many reads of this column an opcode makes; 1 for kEveryStep.
constexpr std::uint8_t ReadsOf(const isa::OpcodeInfo& op, ReadColumn column) {
  switch (column) {
    case ReadColumn::kEveryStep:
      return 1;
    case ReadColumn::kStackReads:
      return op.stack_reads;
    case ReadColumn::kLocalReads:
      return op.local_reads;
    case ReadColumn::kMemoryReads:
      return op.memory_reads;
    case ReadColumn::kCallReads:
      return op.call_reads;
  }
  return 0;
}

/// Whether an opcode evaluates a head: a projection of opcodes.def.
constexpr bool UsesHead(const isa::OpcodeInfo& op, const HeadSpec& head) {
  return ReadsOf(op, head.column) > head.nth;
}

inline constexpr std::size_t kKeySize = 2;          // a query and a key are 2-D
using LaneWeights = std::array<float, kLaneCount>;  // one matrix row, indexed by Lane

/// The projections of one head. Every weight is a small integer.
struct HeadWeights {
  std::array<LaneWeights, kKeySize> w_q{};    // (2, kLaneCount)
  std::array<float, kKeySize> b_q{};          // (2,)
  std::array<LaneWeights, kKeySize> w_k{};    // (2, kLaneCount)
  std::array<float, kKeySize> b_k{};          // (2,)
  std::array<LaneWeights, kMaxValues> w_v{};  // (ValueCount, kLaneCount); the rows after are zero
};

/// The projections of every head, indexed by HeadId.
struct HeadMatrices {
  std::array<HeadWeights, kHeadCount> heads{};

  HeadWeights& operator[](HeadId id) { return heads[static_cast<std::size_t>(id)]; }
  const HeadWeights& operator[](HeadId id) const { return heads[static_cast<std::size_t>(id)]; }
};

/// The matrices the tables describe. Deterministic, no allocation, about a microsecond.
HeadMatrices CompileHeads();

}  // namespace txvm::weights

// What may steer the search for schedules: an opinion of each move, by which states are kept.
// A guide chooses what is looked at; what comes out is proved as without it.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "neural/triton/superopt/model.h"
#include "neural/triton/tasm/program.h"

namespace txvm::triton {

/// A state of the search, as a guide sees it. Valid during the call only.
struct GuidedState {
  std::span<const Value> stack;           // bottom first
  std::span<const std::uint16_t> uses;    // by value: words of it that are still used or left
  std::span<const std::uint16_t> copies;  // by value: words of it there are, or are sure to come
  const std::vector<bool>& needed;        // by operation of the model: it must still run
  std::size_t inputs, secrets, outputs, stores, events;  // done so far
  std::size_t left;                                      // estimate of instructions to come
};

/// Costs of a guide are in units of 1/kGuideUnit of an instruction.
inline constexpr std::uint32_t kGuideUnit = 256;

/// The guide of one search.
class BlockGuide {
 public:
  virtual ~BlockGuide() = default;
  /// costs[i]: how much worse moves[i] is than the best one could be, at least 0; they add up along
  /// a path. REQUIRES as many costs as moves, at least one.
  virtual void Rate(const GuidedState& state, std::span<const TasmInstruction> moves,
                    std::span<std::uint32_t> costs) = 0;
};

/// Gives each search its guide. Several searches may run at once.
class ScheduleGuide {
 public:
  virtual ~ScheduleGuide() = default;
  /// REQUIRES that the model outlives the guide.
  virtual std::unique_ptr<BlockGuide> Begin(const BlockModel& model) const = 0;
};

}  // namespace txvm::triton

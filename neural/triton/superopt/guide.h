// A guide of the search for schedules: it rates the moves of a state, and the search keeps the
// states with the best ratings. Results are proved with a guide as without one.
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
  /// Writes to costs[i] how much worse moves[i] is than the best move could be, at least 0. Costs
  /// add up along a path. REQUIRES one cost for each move, and at least one move.
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

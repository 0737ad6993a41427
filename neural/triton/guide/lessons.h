// What the network learns from: schedules that a wide search found, move by move.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "neural/triton/guide/features.h"
#include "neural/triton/tasm/program.h"

namespace txvm::triton::guide {

/// One state on the way, the moves there were, and which of them the schedule takes.
struct Lesson {
  StateInput state;
  std::vector<MoveCode> moves;
  std::size_t taken = 0;
};

/// A run and the states of its shortest known schedule.
struct RunLessons {
  RunNodes nodes;
  std::vector<Lesson> lessons;
};

/// The lessons of `schedule`, which does what `code` does and is shorter. nullopt where the
/// search's moves do not lead along it.
std::optional<RunLessons> LessonsOf(const std::vector<TasmInstruction>& code,
                                    const std::vector<TasmInstruction>& schedule,
                                    std::size_t known_depth);

}  // namespace txvm::triton::guide

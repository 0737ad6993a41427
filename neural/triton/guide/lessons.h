// The lessons of the network: schedules that a wide search found, move by move.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "neural/triton/guide/features.h"
#include "neural/triton/tasm/program.h"

namespace txvm::triton::guide {

/// One state of a schedule, its possible moves, and which of them the schedule takes.
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

/// The lessons of `schedule`, a shorter equivalent of `code`. nullopt where the moves of the search
/// do not lead along it.
std::optional<RunLessons> LessonsOf(const std::vector<TasmInstruction>& code,
                                    const std::vector<TasmInstruction>& schedule,
                                    std::size_t known_depth);

}  // namespace txvm::triton::guide

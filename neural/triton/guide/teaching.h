// The teacher: windows of programs, and the shortest schedules that a search finds for them.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "neural/llm/workers.h"
#include "neural/triton/guide/lessons.h"
#include "neural/triton/superopt/guide.h"
#include "neural/triton/tasm/program.h"

namespace txvm::triton::guide {

/// A piece of a straight run, as the optimizer searches it.
struct Window {
  std::vector<TasmInstruction> code;
  std::size_t known_depth = 0;            // words known above the 16 lowest where it starts
  std::vector<TasmInstruction> schedule;  // the shortest known; empty while there is none shorter
};

/// Asked after each window, with (windows done, all windows), whether to go on; may be empty.
using TeachProgress = std::function<bool(std::size_t, std::size_t)>;

/// Windows of 3 to 18 instructions of every straight run: those that the optimizer would look at,
/// and one at random for every 6 instructions. Equal ones come once.
std::vector<Window> WindowsOf(const std::vector<TasmProgram>& programs, std::uint64_t seed);

/// Windows of `count` random fragments of 3 to 12 operations, lowered plainly.
std::vector<Window> RandomWindows(std::size_t count, std::uint64_t seed);

/// Searches each window with a beam of this size, and keeps a schedule that is shorter than the
/// known one. The result does not depend on the number of threads. False when the progress said
/// stop.
bool Teach(std::vector<Window>& windows, std::size_t beam, const ScheduleGuide* guide,
           neural::llm::Workers& workers, const TeachProgress& progress = {});

/// The lessons of windows that have a schedule.
std::vector<RunLessons> LessonsOf(const std::vector<Window>& windows);

/// The worth of a guide: what searches do to windows, summed.
struct Trial {
  std::size_t before = 0, after = 0;  // instructions
  std::uint64_t states = 0;           // looked at
};

/// Searches all windows with a beam of this size; `guide` may be null. Any number of threads gives
/// the same.
Trial Try(const std::vector<Window>& windows, std::size_t beam, const ScheduleGuide* guide,
          neural::llm::Workers& workers);

}  // namespace txvm::triton::guide

#include "neural/triton/guide/teaching.h"

#include <algorithm>
#include <set>
#include <utility>

#include "neural/questions/random.h"
#include "neural/triton/lower/lower.h"
#include "neural/triton/lower/straight_runs.h"
#include "neural/triton/random/programs.h"
#include "neural/triton/superopt/program.h"
#include "neural/triton/superopt/search.h"
#include "neural/triton/tir/known_heights.h"

namespace txvm::triton::guide {
namespace {

using Code = std::vector<TasmInstruction>;

constexpr std::size_t kLeast = 3;
const std::size_t kMost = OptimizeOptions{}.window;
constexpr std::size_t kPerRandom = 6;  // instructions of a run for each random window

class Collector {
 public:
  explicit Collector(std::uint64_t seed) : random_(seed) {}

  void Add(const TasmProgram& program) {
    const std::vector<std::size_t> heights = program.HasHalt()
                                                 ? KnownHeights(program)
                                                 : std::vector<std::size_t>(program.code.size(), 0);
    for (const StraightRun& run : StraightRuns(program)) {
      AddRun(RunCode(program, run), heights[run.start]);
    }
  }

  std::vector<Window> Take() { return std::move(windows_); }

 private:
  void AddRun(const Code& code, std::size_t height) {
    const std::size_t size = code.size();
    if (size < kLeast) return;
    if (size <= kMost) AddWindow(code, height, 0, size);
    for (std::size_t start = 0; size > kMost && start < size; start += kMost / 2) {
      AddWindow(code, height, start, std::min(kMost, size - start));
    }
    for (std::size_t i = 0; i < size / kPerRandom; ++i) {
      const std::size_t length = std::min(size, kLeast + random_.Below(kMost - kLeast + 1));
      AddWindow(code, height, random_.Below(size - length + 1), length);
    }
  }

  void AddWindow(const Code& code, std::size_t height, std::size_t start, std::size_t length) {
    if (length < kLeast) return;
    std::int64_t depth = static_cast<std::int64_t>(height);
    std::vector<std::uint64_t> key;
    for (std::size_t i = 0; i < start + length; ++i) {
      if (i < start) {
        depth += TasmNet(code[i].op, code[i].arg);
        continue;
      }
      key.push_back(static_cast<std::uint64_t>(code[i].op));
      key.push_back(code[i].arg);
    }
    if (!seen_.insert(std::move(key)).second) return;
    const auto first = code.begin() + static_cast<std::ptrdiff_t>(start);
    windows_.push_back({Code(first, first + static_cast<std::ptrdiff_t>(length)),
                        static_cast<std::size_t>(std::max<std::int64_t>(depth, 0)),
                        {}});
  }

  neural::questions::Random random_;
  std::set<std::vector<std::uint64_t>> seen_;
  std::vector<Window> windows_;
};

}  // namespace

std::vector<Window> WindowsOf(const std::vector<TasmProgram>& programs, std::uint64_t seed) {
  Collector collector(seed);
  for (const TasmProgram& program : programs) collector.Add(program);
  return collector.Take();
}

std::vector<Window> RandomWindows(std::size_t count, std::uint64_t seed) {
  TirRng rng(seed);
  neural::questions::Random random(seed);
  Collector collector(seed);
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t ops = 3 + random.Below(10), depth = 6 + random.Below(8);
    const auto program = LowerTir(RandomFragment(rng, ops, depth), {.peepholes = false});
    if (program) collector.Add(*program);
  }
  return collector.Take();
}

bool Teach(std::vector<Window>& windows, std::size_t beam, const ScheduleGuide* guide,
           neural::llm::Workers& workers, const TeachProgress& progress) {
  constexpr std::size_t kAtATime = 64;
  for (std::size_t start = 0; start < windows.size(); start += kAtATime) {
    const std::size_t count = std::min(kAtATime, windows.size() - start);
    workers.Run(count, [&](std::size_t i) {
      Window& window = windows[start + i];
      Schedule found = FindSchedule(
          window.code, {.beam = beam, .known_depth = window.known_depth, .guide = guide});
      const bool first = window.schedule.empty();
      if (found.improved && (first || found.code.size() < window.schedule.size())) {
        window.schedule = std::move(found.code);
      }
    });
    if (progress && !progress(start + count, windows.size())) return false;
  }
  return true;
}

std::vector<RunLessons> LessonsOf(const std::vector<Window>& windows) {
  std::vector<RunLessons> all;
  for (const Window& window : windows) {
    if (window.schedule.empty()) continue;
    auto lessons = LessonsOf(window.code, window.schedule, window.known_depth);
    if (lessons) all.push_back(std::move(*lessons));
  }
  return all;
}

Trial Try(const std::vector<Window>& windows, std::size_t beam, const ScheduleGuide* guide,
          neural::llm::Workers& workers) {
  std::vector<Trial> trials(windows.size());
  workers.Run(windows.size(), [&](std::size_t i) {
    const Window& window = windows[i];
    const Schedule found = FindSchedule(
        window.code, {.beam = beam, .known_depth = window.known_depth, .guide = guide});
    trials[i] = {window.code.size(), found.code.size(), found.states};
  });
  Trial sum;
  for (const Trial& trial : trials) {
    sum.before += trial.before;
    sum.after += trial.after;
    sum.states += trial.states;
  }
  return sum;
}

}  // namespace txvm::triton::guide

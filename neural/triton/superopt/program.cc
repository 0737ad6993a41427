#include "neural/triton/superopt/program.h"

#include <algorithm>
#include <chrono>
#include <optional>
#include <utility>

#include "neural/triton/lower/straight_runs.h"
#include "neural/triton/lower/tasm_peephole.h"
#include "neural/triton/prove/equivalence.h"
#include "neural/triton/superopt/search.h"
#include "neural/triton/tasm/machine.h"
#include "neural/triton/tir/known_heights.h"

namespace txvm::triton {
namespace {

using Clock = std::chrono::steady_clock;
using Code = std::vector<TasmInstruction>;

constexpr auto kGrace = std::chrono::seconds(2);   // for measuring, however short the search
constexpr std::uint64_t kMostCycles = 20'000'000;  // of one run that measures cost
// A first part of a run that tells its speed: 0.2 s when it only hashes. The machine has no clock.
constexpr std::uint64_t kProbeCycles = 1'000'000;

bool IsShorter(const Code& a, const Code& b) {
  if (a.size() > b.size() || TasmWordCount(a) > TasmWordCount(b)) return false;
  return a.size() < b.size() || TasmWordCount(a) < TasmWordCount(b);
}

struct RunResult {
  Code code;
  bool optimal = false;
};

// One straight run: peepholes, then windows of it until no window gets shorter.
class RunOptimizer {
 public:
  RunOptimizer(const OptimizeOptions& options, Clock::time_point end)
      : options_(options), end_(end) {}

  RunResult Run(const Code& code, std::size_t height) {
    return Improve(code, height, options_.guide_alone ? options_.guide : nullptr);
  }

  // With the guide: once from the run itself, and once from the best schedule so far.
  RunResult Guide(const Code& code, std::size_t height, const RunResult& alone) {
    RunResult best = alone;
    for (const Code* start : {&code, &alone.code}) {
      if (best.optimal || TimedOut()) break;
      if (start != &code && *start == code) break;
      RunResult guided = Improve(*start, height, options_.guide);
      if (IsShorter(guided.code, best.code)) best = std::move(guided);
    }
    return best;
  }

  bool TimedOut() const { return Clock::now() >= end_; }
  std::uint64_t states() const { return states_; }

 private:
  RunResult Improve(const Code& code, std::size_t height, const ScheduleGuide* guide) {
    RunResult result{code, false};
    Code shorter = code;
    OptimizeStraight(shorter);
    if (IsShorter(shorter, code) && ProveStraight(code, shorter, height)) result.code = shorter;
    const std::size_t window = options_.window;
    for (bool changed = true; changed && result.code.size() > window && !TimedOut();) {
      changed = Sweep(result.code, height, guide);
    }
    if (result.code.size() <= window && !TimedOut()) Whole(result, height, guide);
    return result;
  }

  // The whole run at once, again as long as that helps.
  void Whole(RunResult& result, std::size_t height, const ScheduleGuide* guide) {
    for (bool changed = true; changed && !TimedOut();) {
      const bool exact = result.code.size() <= options_.exact_length;
      const Schedule schedule =
          FindSchedule(result.code, {.beam = exact ? options_.exact_beam : options_.beam,
                                     .known_depth = height,
                                     .guide = guide});
      states_ += schedule.states;
      changed = schedule.improved;
      result.optimal = schedule.optimal;
      result.code = schedule.code;
    }
  }

  bool Sweep(Code& code, std::size_t height, const ScheduleGuide* guide) {
    bool changed = false;
    const std::size_t step = options_.window / 2;
    std::int64_t net = 0;
    for (std::size_t start = 0; start < code.size() && !TimedOut(); start += step) {
      const std::size_t length = std::min(options_.window, code.size() - start);
      const auto first = code.begin() + static_cast<std::ptrdiff_t>(start);
      const Code piece(first, first + static_cast<std::ptrdiff_t>(length));
      const std::int64_t here = static_cast<std::int64_t>(height) + net;
      const Schedule schedule = FindSchedule(
          piece, {.beam = options_.beam,
                  .known_depth = static_cast<std::size_t>(std::max<std::int64_t>(here, 0)),
                  .guide = guide});
      states_ += schedule.states;
      if (schedule.improved) {
        code.erase(first, first + static_cast<std::ptrdiff_t>(length));
        code.insert(code.begin() + static_cast<std::ptrdiff_t>(start), schedule.code.begin(),
                    schedule.code.end());
        changed = true;
      }
      for (std::size_t i = start; i < std::min(start + step, code.size()); ++i) {
        net += TasmNet(code[i].op, code[i].arg);
      }
    }
    return changed;
  }

  const OptimizeOptions& options_;
  Clock::time_point end_;
  std::uint64_t states_ = 0;
};

// Stopped by the deadline, not by the limit of the measurement.
bool RanOutOfTime(const InputCost& cost) { return cost.stopped() && cost.cycles < kMostCycles; }

bool RanOutOfTime(const std::vector<InputCost>& costs) {
  return std::any_of(costs.begin(), costs.end(), [](const auto& c) { return RanOutOfTime(c); });
}

// True when the input became more expensive, or ends another way. A run that was stopped has no
// known end, and a shorter program gets further in the same cycles. Then only a new crash counts.
bool IsWorse(const InputCost& after, const InputCost& before) {
  if (RanOutOfTime(after)) return true;
  if (before.stopped()) return after.crash && !after.stopped();
  if (after.crash.has_value() != before.crash.has_value()) return true;
  return after.cost > before.cost || after.cycles > before.cycles;
}

bool IsWorse(const std::vector<InputCost>& after, const std::vector<InputCost>& before) {
  for (std::size_t i = 0; i < after.size(); ++i) {
    if (IsWorse(after[i], before[i])) return true;
  }
  return false;
}

isa::Result<TasmRun> Measure(const TasmMachine& machine, const TasmInput& input,
                             TasmOptions options, Clock::time_point deadline) {
  const auto start = Clock::now();
  options.max_cycles = start < deadline ? kProbeCycles : 0;
  TXVM_TRY(TasmRun probe, machine.Run(input, options));
  if (probe.crash != TasmCrash::kCycleLimit || options.max_cycles == 0) return probe;
  const auto now = Clock::now();
  constexpr auto kTimes = kMostCycles / kProbeCycles;
  if (deadline - now < (now - start) * kTimes) return probe;
  options.max_cycles = kMostCycles;
  return machine.Run(input, options);
}

std::size_t Count(const TasmProgram& program) { return program.code.size(); }

// The straight runs of a program, as the searches shorten them.
struct Schedules {
  std::vector<StraightRun> runs;
  std::vector<Code> original;  // by run
  std::vector<Code> shorter;
  std::vector<Code> alone;  // results without the guide; empty where there is none
  std::vector<std::optional<std::size_t>>
      least;  // the least length of a schedule, where that is proved
};

Schedules Search(const TasmProgram& program, const OptimizeOptions& options,
                 OptimizeReport& report) {
  const auto end = Clock::now() + std::chrono::milliseconds(options.milliseconds);
  RunOptimizer optimizer(options, end);
  Schedules all{StraightRuns(program), {}, {}, {}, {}};
  report.runs = all.runs.size();
  for (const StraightRun& run : all.runs) all.original.push_back(RunCode(program, run));
  const bool library = options.library || !program.HasHalt();
  report.sees_itself =
      !library && !options.fragment && !options.same_digest && !IgnoresOwnDigest(program);
  if (report.sees_itself) {
    all.shorter = all.original;
    all.least.resize(all.runs.size());
    return all;
  }
  const std::vector<std::size_t> heights =
      library ? std::vector<std::size_t>(program.code.size(), 0) : KnownHeights(program);
  std::vector<RunResult> results;
  const bool guided = options.guide != nullptr && !options.guide_alone;
  const std::size_t steps = all.runs.size() * (guided ? 2 : 1);
  for (std::size_t i = 0; i < steps; ++i) {
    const std::size_t run = i % all.runs.size();
    const std::size_t height = heights[all.runs[run].start];
    // All runs are searched without the guide first: so no program gets longer with one.
    if (i == run) {
      results.push_back(optimizer.Run(all.original[run], height));
      if (guided) all.alone.push_back(results.back().code);
    } else {
      results[run] = optimizer.Guide(all.original[run], height, results[run]);
    }
    if (options.progress) options.progress(i + 1, steps);
  }
  for (std::size_t i = 0; options.record && i < results.size(); ++i) {
    report.experiences.push_back({all.original[i], heights[all.runs[i].start],
                                  guided ? all.alone[i] : results[i].code, results[i].code});
  }
  for (RunResult& result : results) {
    all.least.push_back(result.optimal ? std::optional(result.code.size()) : std::nullopt);
    all.shorter.push_back(std::move(result.code));
  }
  report.timed_out = optimizer.TimedOut();
  report.states = optimizer.states();
  return all;
}

// A program with shorter runs that costs no more than before.
struct Outcome {
  TasmProgram program;
  std::vector<Code> kept;  // by run
  std::vector<InputCost> costs;
  std::size_t refused = 0;
  bool timed_out = false;
};

// Replaces one run after the other, and keeps those that make no input dearer.
isa::Result<Outcome> KeepCheap(const TasmProgram& program, const std::vector<TirInputs>& inputs,
                               const std::vector<InputCost>& before, Clock::time_point deadline,
                               const Schedules& all, const std::vector<Code>& shorter) {
  Outcome out{program, all.original, before, 0, false};
  for (std::size_t i = 0; i < all.runs.size(); ++i) {
    if (shorter[i] == all.original[i]) continue;
    if (Clock::now() >= deadline) {
      out.timed_out = true;
      ++out.refused;
      continue;
    }
    out.kept[i] = shorter[i];
    TXVM_TRY(std::vector<InputCost> costs,
             CostOnInputs(ReplaceRuns(program, all.runs, out.kept), inputs, deadline));
    if (IsWorse(costs, out.costs)) {
      out.timed_out = out.timed_out || RanOutOfTime(costs);
      out.kept[i] = all.original[i];
      ++out.refused;
      continue;
    }
    out.costs = std::move(costs);
  }
  out.program = ReplaceRuns(program, all.runs, out.kept);
  return out;
}

// Replaces all runs, or those that make no input dearer.
isa::Result<Outcome> Settle(const TasmProgram& program, const std::vector<TirInputs>& inputs,
                            const std::vector<InputCost>& before, Clock::time_point deadline,
                            const Schedules& all, const std::vector<Code>& shorter) {
  Outcome out{ReplaceRuns(program, all.runs, shorter), shorter, {}, 0, false};
  TXVM_TRY(out.costs, CostOnInputs(out.program, inputs, deadline));
  if (!IsWorse(out.costs, before)) return out;
  return KeepCheap(program, inputs, before, deadline, all, shorter);
}

}  // namespace

isa::Result<std::vector<InputCost>> CostOnInputs(const TasmProgram& program,
                                                 const std::vector<TirInputs>& inputs,
                                                 Clock::time_point deadline) {
  TXVM_TRY(const TasmMachine machine, TasmMachine::Load(program));
  TasmOptions options;
  options.end_is_halt = !program.HasHalt();
  std::vector<InputCost> costs;
  for (const TirInputs& input : inputs) {
    TXVM_TRY(const TasmRun run, Measure(machine, ToTasmInput(input), options, deadline));
    costs.push_back({run.crash, run.heights, CostOf(run.heights, machine.words()), run.cycles});
    // The remaining inputs cannot change the answer.
    if (RanOutOfTime(costs.back())) deadline = Clock::time_point::min();
  }
  return costs;
}

isa::Result<OptimizeReport> OptimizeProgram(const TasmProgram& program,
                                            const std::vector<TirInputs>& inputs,
                                            const OptimizeOptions& options) {
  OptimizeReport report;
  const auto start = Clock::now();
  const auto search = std::chrono::milliseconds(options.milliseconds);
  TXVM_TRY(report.before,
           CostOnInputs(program, inputs, start + std::max<Clock::duration>(search, kGrace)));
  report.instructions_before = Count(program);
  if (RanOutOfTime(report.before)) {
    // Without a cost there is nothing to compare a shorter program with.
    report.program = program;
    report.runs = StraightRuns(program).size();
    report.instructions_after = Count(program);
    report.timed_out = true;
    report.after = report.before;
    return report;
  }
  const auto measured = Clock::now() - start;
  const Schedules all = Search(program, options, report);
  const auto deadline = Clock::now() + 2 * measured + kGrace;
  TXVM_TRY(Outcome out, Settle(program, inputs, report.before, deadline, all, all.shorter));
  if (out.refused != 0 && !all.alone.empty()) {
    // The guide's result may be dearer than the result without it.
    TXVM_TRY(Outcome alone, Settle(program, inputs, report.before, deadline, all, all.alone));
    if (Count(alone.program) < Count(out.program)) out = std::move(alone);
  }
  for (std::size_t i = 0; i < all.runs.size(); ++i) {
    report.improved += out.kept[i] != all.original[i] ? 1 : 0;
    report.optimal += all.least[i] == out.kept[i].size() ? 1 : 0;
  }
  report.program = std::move(out.program);
  report.after = std::move(out.costs);
  report.refused = out.refused;
  report.timed_out = report.timed_out || out.timed_out;
  report.instructions_after = Count(report.program);
  return report;
}

}  // namespace txvm::triton

#include "neural/tir/superopt_program.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "neural/tir/equivalence.h"
#include "neural/tir/lower_blocks.h"
#include "neural/tir/lower_heights.h"
#include "neural/tir/superopt_search.h"
#include "neural/tir/tasm_machine.h"
#include "neural/tir/tasm_peephole.h"

namespace txvm::neural {
namespace {

using Clock = std::chrono::steady_clock;
using Code = std::vector<TasmInstruction>;

constexpr auto kGrace = std::chrono::seconds(2);   // for measuring after the search
constexpr std::uint64_t kMostCycles = 20'000'000;  // of one run that measures cost

std::size_t WordsOf(const Code& code) {
  std::size_t words = 0;
  for (const TasmInstruction& instruction : code) words += TasmSize(instruction.op);
  return words;
}

bool IsShorter(const Code& a, const Code& b) {
  if (a.size() > b.size() || WordsOf(a) > WordsOf(b)) return false;
  return a.size() < b.size() || WordsOf(a) < WordsOf(b);
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
    RunResult result{code, false};
    Code shorter = code;
    OptimizeStraight(shorter);
    if (IsShorter(shorter, code) && ProveStraight(code, shorter, height)) result.code = shorter;
    const std::size_t window = options_.window;
    for (bool changed = true; changed && result.code.size() > window && !TimedOut();) {
      changed = Sweep(result.code, height);
    }
    if (result.code.size() <= window && !TimedOut()) Whole(result, height);
    return result;
  }

  bool TimedOut() const { return Clock::now() >= end_; }

 private:
  // The whole run at once; again as long as it helps.
  void Whole(RunResult& result, std::size_t height) {
    for (bool changed = true; changed && !TimedOut();) {
      const bool exact = result.code.size() <= options_.exact_length;
      const Schedule schedule = FindSchedule(
          result.code,
          {.beam = exact ? options_.exact_beam : options_.beam, .known_depth = height});
      changed = schedule.improved;
      result.optimal = schedule.optimal;
      result.code = schedule.code;
    }
  }

  bool Sweep(Code& code, std::size_t height) {
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
                  .known_depth = static_cast<std::size_t>(std::max<std::int64_t>(here, 0))});
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
};

// True when some input became more expensive, or ends another way.
bool IsWorse(const std::vector<InputCost>& after, const std::vector<InputCost>& before) {
  for (std::size_t i = 0; i < after.size(); ++i) {
    if (after[i].halts != before[i].halts) return true;
    if (after[i].cost > before[i].cost || after[i].cycles > before[i].cycles) return true;
  }
  return false;
}

std::size_t Count(const TasmProgram& program) { return program.code.size(); }

}  // namespace

isa::Result<std::vector<InputCost>> CostOnInputs(const TasmProgram& program,
                                                 const std::vector<TirInputs>& inputs) {
  TXVM_TRY(const TasmMachine machine, TasmMachine::Load(program));
  const bool fragment = std::none_of(program.code.begin(), program.code.end(),
                                     [](const auto& i) { return i.op == TasmOp::kHalt; });
  TasmOptions options;
  options.max_cycles = kMostCycles;
  options.end_is_halt = fragment;
  std::vector<InputCost> costs;
  for (const TirInputs& input : inputs) {
    TXVM_TRY(const TasmRun run, machine.Run(ToTasmInput(input), options));
    costs.push_back({!run.crash, run.heights, CostOf(run.heights, machine.words()), run.cycles});
  }
  return costs;
}

isa::Result<OptimizeReport> OptimizeProgram(const TasmProgram& program,
                                            const std::vector<TirInputs>& inputs,
                                            const OptimizeOptions& options) {
  OptimizeReport report;
  TXVM_TRY(report.before, CostOnInputs(program, inputs));
  report.instructions_before = Count(program);
  const auto end = Clock::now() + std::chrono::milliseconds(options.milliseconds);
  RunOptimizer optimizer(options, end);
  const auto runs = StraightRuns(program);
  const std::vector<std::size_t> heights = KnownHeights(program);
  report.runs = runs.size();
  std::vector<Code> original;
  std::vector<Code> shorter;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    original.push_back(RunCode(program, runs[i]));
    RunResult result = optimizer.Run(original.back(), heights[runs[i].start]);
    report.optimal += result.optimal ? 1 : 0;
    shorter.push_back(std::move(result.code));
    if (options.progress) options.progress(i + 1, runs.size());
  }
  report.timed_out = optimizer.TimedOut();
  // A program that looks at its own digest must stay as it is.
  const bool frozen = !IgnoresOwnDigest(program);
  if (frozen) shorter = original;
  report.program = ReplaceRuns(program, runs, shorter);
  TXVM_TRY(report.after, CostOnInputs(report.program, inputs));
  if (IsWorse(report.after, report.before)) {
    // Run by run, keeping what does not hurt.
    std::vector<Code> kept = original;
    report.after = report.before;
    for (std::size_t i = 0; i < runs.size(); ++i) {
      if (shorter[i] == original[i]) continue;
      if (Clock::now() >= end + kGrace) {
        report.timed_out = true;
        ++report.refused;
        continue;
      }
      std::swap(kept[i], shorter[i]);
      TXVM_TRY(const std::vector<InputCost> costs,
               CostOnInputs(ReplaceRuns(program, runs, kept), inputs));
      if (IsWorse(costs, report.after)) {
        std::swap(kept[i], shorter[i]);
        ++report.refused;
        continue;
      }
      report.after = costs;
    }
    shorter = std::move(kept);
    report.program = ReplaceRuns(program, runs, shorter);
  }
  for (std::size_t i = 0; i < runs.size(); ++i) {
    report.improved += shorter[i] != original[i] ? 1 : 0;
  }
  report.instructions_after = Count(report.program);
  return report;
}

}  // namespace txvm::neural

// Scaling runs.
#include "bench/scaling.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <memory>

#include "bench/measure.h"
#include "bench/scenario.h"
#include "vm/machine.h"

namespace txvm::bench {
namespace {

using Each = std::function<bool(std::uint64_t, std::uint64_t, std::string_view)>;

constexpr std::uint64_t kSliceSteps =
    100'000'000;                           // between two looks at the caller's wish to stop
constexpr double kShortestSeconds = 5e-3;  // below this a run is repeated to be measurable
constexpr std::uint32_t kProbe = 100;      // n that shows how steps grow

// A program and the largest n it is run with; 0: its steps grow linearly and n has no cap. The caps
// keep the working set inside the first-level cache, so that only the number of steps changes.
struct ScalingProgram {
  std::string_view name;
  std::uint32_t cap;
};
constexpr auto kPrograms = std::to_array<ScalingProgram>(
    {{"fib", 0}, {"sum", 0}, {"countdown", 0}, {"fnv1a", 4096}, {"bsort", 256}, {"collatz", 1000}});

struct Work {
  std::uint32_t n = 1, reps = 1;
};

// One engine with a program's run(n, reps), called in slices.
class Subject {
 public:
  static isa::Result<Subject> Load(const LoadedScenario& loaded, vm::EngineKind engine) {
    vm::MachineOptions options;
    options.engine = engine;
    TXVM_TRY(vm::Machine machine, vm::Machine::Load(loaded.program, vm::Linker(), options));
    return Subject(std::make_unique<vm::Machine>(std::move(machine)), loaded.start);
  }

  /// Runs; `go(steps)` is asked after each slice with the steps of the run so far.
  vm::RunResult Run(Work work, const std::function<bool(std::uint64_t)>& go) {
    const std::array<isa::Word, 2> args = {work.n, work.reps};
    vm::RunOptions slice;
    slice.fuel = kSliceSteps;
    vm::RunResult result = machine_->CallStub(start_, args, slice);
    while (result.outcome == vm::Outcome::kOutOfFuel && go(result.steps)) {
      result = machine_->Resume(slice);
    }
    return result;
  }

  vm::EngineKind engine() const { return machine_->engine(); }

  // kInvalid for a run that does not halt.
  isa::Result<std::uint64_t> CountSteps(Work work) {
    const vm::RunResult result = Run(work, [](std::uint64_t) { return true; });
    TXVM_CHECK_OK(CheckHalted(result, engine()));
    return result.steps;
  }

 private:
  Subject(std::unique_ptr<vm::Machine> machine, std::uint32_t start)
      : machine_(std::move(machine)), start_(start) {}
  std::unique_ptr<vm::Machine> machine_;
  std::uint32_t start_;
};

// n for about `scale` steps of a program whose steps grow linearly.
isa::Result<Work> ChooseLinear(Subject& subject, std::uint64_t scale) {
  TXVM_TRY(const std::uint64_t once, subject.CountSteps({kProbe, 1}));
  TXVM_TRY(const std::uint64_t twice, subject.CountSteps({2 * kProbe, 1}));
  if (twice < once + kProbe) {
    return isa::Fail(
        isa::ErrorCode::kInvalid,
        fmt::format("the steps of run(n, 1) do not grow with n: {} for n = {}, {} for n = {}", once,
                    kProbe, twice, 2 * kProbe));
  }
  const std::uint64_t slope = (twice - once) / kProbe;
  // Below 0 where the steps grow faster than n.
  const auto fixed = static_cast<std::int64_t>(once) - static_cast<std::int64_t>(slope * kProbe);
  const std::int64_t n =
      (static_cast<std::int64_t>(scale) - fixed) / static_cast<std::int64_t>(slope);
  return Work{static_cast<std::uint32_t>(std::max<std::int64_t>(1, n)), 1};
}

// n and reps for about `scale` steps.
isa::Result<Work> ChooseWork(Subject& subject, const ScalingProgram& program, std::uint64_t scale) {
  if (program.cap == 0) return ChooseLinear(subject, scale);
  std::uint32_t low = 1, high = program.cap;  // steps(low) <= scale, or low = 1
  while (low < high) {
    const std::uint32_t middle = low + (high - low + 1) / 2;
    TXVM_TRY(const std::uint64_t steps, subject.CountSteps({middle, 1}));
    if (steps <= scale) {
      low = middle;
    } else {
      high = middle - 1;
    }
  }
  TXVM_TRY(const std::uint64_t once, subject.CountSteps({low, 1}));
  const std::uint64_t reps = scale / std::max<std::uint64_t>(1, once);
  return Work{low, static_cast<std::uint32_t>(std::max<std::uint64_t>(1, reps))};
}

// Measures one program at one scale on all engines.
class Measurement {
 public:
  Measurement(const LoadedScenario& loaded, const ScalingProgram& what, std::uint64_t scale,
              const ScalingOptions& options)
      : loaded_(loaded), what_(what), scale_(scale), options_(options) {}

  // False when go() said so, and when runs differ: then with report.mismatch.
  isa::Result<bool> Run(const std::function<bool(std::uint64_t)>& go, ScalingReport& report) {
    TXVM_TRY(Subject probe, Subject::Load(loaded_, vm::EngineKind::kNative));
    TXVM_TRY(const Work work, ChooseWork(probe, what_, scale_));
    std::vector<Subject> subjects;
    for (const vm::EngineKind engine : options_.engines) {
      TXVM_TRY(Subject subject, Subject::Load(loaded_, engine));
      subjects.push_back(std::move(subject));
    }
    std::vector<std::vector<double>> seconds(subjects.size());
    std::vector<ScalingRow> rows(subjects.size());
    for (std::size_t round = 0; round <= options_.rounds; ++round) {
      for (std::size_t i = 0; i < subjects.size(); ++i) {
        TXVM_TRY(const double time, Once(subjects[i], work, go, rows[i]));
        if (stopped_) return false;
        if (round != 0) seconds[i].push_back(time);  // round 0 warms up
      }
    }
    for (std::size_t i = 0; i < rows.size(); ++i) {
      if (rows[i].steps != rows.front().steps || results_ != first_results_) {
        report.mismatch = OfScenario(
            fmt::format("results or steps of run({}, {}) differ", work.n, work.reps), loaded_);
        return false;
      }
      rows[i].engine = vm::EngineName(options_.engines[i]);
      rows[i].nanoseconds = Median(seconds[i]) / static_cast<double>(rows[i].steps) * 1e9;
      report.rows.push_back(std::move(rows[i]));
    }
    return true;
  }

 private:
  // CPU seconds of one run, averaged over as many as make it measurable.
  isa::Result<double> Once(Subject& subject, Work work,
                           const std::function<bool(std::uint64_t)>& go, ScalingRow& row) {
    const double before = ThreadSeconds();
    double seconds = 0;
    std::uint64_t runs = 0;
    do {
      const vm::RunResult result = subject.Run(work, go);
      if (result.outcome == vm::Outcome::kOutOfFuel) {
        stopped_ = true;
        return 0;
      }
      TXVM_CHECK_OK(CheckHalted(result, subject.engine()));
      results_ = result.results;
      if (first_results_.empty()) first_results_ = results_;
      ++runs;
      seconds = ThreadSeconds() - before;
      row = {std::string(what_.name), {}, scale_, work.n, work.reps, result.steps, 0,
             ResidentBytes()};
    } while (seconds < kShortestSeconds);
    stopped_ = !go(row.steps);
    return seconds / static_cast<double>(runs);
  }

  const LoadedScenario& loaded_;
  ScalingProgram what_;
  std::uint64_t scale_;
  const ScalingOptions& options_;
  std::vector<isa::Word> results_, first_results_;
  bool stopped_ = false;
};

// The call that is measured; its arguments stand for those that are chosen later.
Scenario RunOf(const ScalingProgram& program) {
  Scenario scenario;
  scenario.name = program.name;
  scenario.program = fmt::format("{}.wat", program.name);
  scenario.invoke = "run";
  scenario.args = {1, 1};
  return scenario;
}

isa::Result<std::vector<ScalingProgram>> SelectPrograms(const std::vector<std::string>& names) {
  if (names.empty()) return std::vector<ScalingProgram>(kPrograms.begin(), kPrograms.end());
  std::vector<ScalingProgram> selected;
  for (const std::string& name : names) {
    const auto* found = std::ranges::find(kPrograms, name, &ScalingProgram::name);
    if (found == kPrograms.end()) {
      return isa::Fail(isa::ErrorCode::kUsage, fmt::format("'{}' is no scaling program: {}", name,
                                                           fmt::join(ScalingPrograms(), ", ")));
    }
    selected.push_back(*found);
  }
  return selected;
}

}  // namespace

std::vector<std::string> ScalingPrograms() {
  std::vector<std::string> names;
  for (const ScalingProgram& program : kPrograms) names.emplace_back(program.name);
  return names;
}

isa::Result<ScalingReport> RunScaling(const ScalingOptions& wanted, const Each& each) {
  ScalingOptions options = wanted;
  if (options.engines.empty()) options.engines = vm::DirectEngines();
  TXVM_TRY(const std::vector<ScalingProgram> programs, SelectPrograms(options.programs));
  std::vector<std::uint64_t> scales;
  for (std::uint64_t s = kFirstScale; s <= std::min(options.max_steps, kLastScale); s *= 10) {
    scales.push_back(s);
  }
  const std::uint64_t runs = options.engines.size() * (options.rounds + 1);
  std::uint64_t total = 0, done = 0;
  for (const std::uint64_t scale : scales) total += scale * runs * programs.size();
  ScalingReport report;
  for (const ScalingProgram& program : programs) {
    TXVM_TRY(const LoadedScenario loaded, LoadScenario(RunOf(program), options.folder));
    for (const std::uint64_t scale : scales) {
      const auto go = [&](std::uint64_t steps) {
        return each(std::min(done + steps, total), total, program.name);
      };
      Measurement measurement(loaded, program, scale, options);
      const isa::Result<bool> finished = measurement.Run(go, report);
      if (!finished) return InScenario(finished.error(), loaded);
      if (!*finished) {
        report.stopped = report.mismatch.empty();
        return report;
      }
      done += scale * runs;
    }
  }
  return report;
}

}  // namespace txvm::bench

#include "tests/vm/snapshot_points.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "tests/support/random.h"
#include "tests/support/test_hosts.h"
#include "vm/engine.h"
#include "vm/machine.h"
#include "vm/snapshot_file.h"

namespace txvm::vm {
namespace {

using Problem = std::optional<std::string>;
using File = std::vector<std::uint8_t>;

Linker Hosts() {
  Linker linker = support::TestLinker();
  linker.Define("env", "putchar", 1, 1,
                [](HostContext&, std::span<const Word> args, std::span<Word> results) {
                  results[0] = args[0] & 0xFF;
                  return HostStatus::Continue();
                });
  return linker;
}

MachineOptions OptionsFor(EngineKind engine) {
  MachineOptions options;
  options.engine = engine;
  options.limits.max_depth = 20'000;  // deep enough for every fast loop to meet it
  return options;
}

RunOptions WithDigest(std::uint64_t fuel) {
  RunOptions run;
  run.fuel = fuel;
  run.digest = true;
  return run;
}

File FileOf(const Machine& machine) { return WriteSnapshot(machine.TakeSnapshot().value()); }

/// One program, its uncut run, and machines that walk along it.
class Checker {
 public:
  Checker(const SnapshotProgram& program, const PointsOptions& options, PointsReport& report)
      : program_(program), options_(options), report_(report), random_(options.seed) {}

  Problem Check();

 private:
  Machine Fresh(EngineKind engine) const {
    Machine machine = Machine::Load(program_.program, Hosts(), OptionsFor(engine)).value();
    machine.RunInit();
    return machine;
  }
  isa::Result<Machine> Restored(EngineKind engine, const File& file) const {
    TXVM_TRY(const Snapshot snapshot, ReadSnapshot(file));
    return Machine::FromSnapshot(program_.program, Hosts(), OptionsFor(engine), snapshot);
  }
  void RunUncut();
  Problem CheckPoint(std::uint64_t step);
  Problem CheckEngine(EngineKind engine, const File& file, std::uint64_t step);
  Problem CheckChain(File file, std::uint64_t step);
  Problem Arrived(const Machine& machine, const RunResult& result, std::uint64_t step) const;
  std::uint64_t Budget(EngineKind engine, std::uint64_t step) const;
  Problem At(std::uint64_t step, EngineKind engine, std::string_view what) const {
    return fmt::format("{}, seed {}, step {}, {}: {}", program_.name, options_.seed, step,
                       EngineName(engine), what);
  }

  const SnapshotProgram& program_;
  const PointsOptions& options_;
  PointsReport& report_;
  support::Random random_;
  std::vector<std::uint64_t> digests_;  // (steps + 1,) after each step
  RunResult last_;
  File last_file_;  // of the instance at rest after the uncut run
  std::vector<Machine> sources_;
};

void Checker::RunUncut() {
  Machine machine = Fresh(EngineKind::kNative);
  RunOptions run = WithDigest(isa::kUnlimitedFuel);
  digests_ = {isa::kDigestSeed};
  run.trace = [&](std::span<const isa::TraceRecord> records) {
    for (const isa::TraceRecord& record : records) {
      digests_.push_back(
          isa::ExtendDigest(digests_.back(), record.ip, record.instruction, record.sp, record.top));
    }
  };
  last_ = machine.CallStub(program_.start, program_.args, run);
  last_file_ = FileOf(machine);
}

// What a machine that stands at `step` must show.
Problem Checker::Arrived(const Machine& machine, const RunResult& result,
                         std::uint64_t step) const {
  const auto at = [&](std::string_view what) { return At(step, machine.engine(), what); };
  if (result.steps != step) return at(fmt::format("it arrived at step {}", result.steps));
  if (result.digest != digests_[step]) return at("another digest");
  if (step != last_.steps) {
    return result.outcome == Outcome::kOutOfFuel ? Problem() : at("it did not run out of fuel");
  }
  if (result.outcome != last_.outcome || result.exit_code != last_.exit_code) {
    return at(fmt::format("it {}, the uncut run {}", OutcomeText(result.outcome),
                          OutcomeText(last_.outcome)));
  }
  if (result.results != last_.results) return at("other results");
  if (result.trap.has_value() != last_.trap.has_value()) return at("a trap, or none");
  if (result.trap && (result.trap->cause != last_.trap->cause || result.trap->ip != last_.trap->ip))
    return at("another trap");
  if (FileOf(machine) != last_file_) return at("other globals, locals or memory in the end");
  return std::nullopt;
}

std::uint64_t Checker::Budget(EngineKind engine, std::uint64_t step) const {
  const std::uint64_t rest = last_.steps - step;
  if (engine == EngineKind::kHull) return std::min(rest, options_.hull_steps);
  if (engine == EngineKind::kTransformer) return std::min(rest, options_.transformer_steps);
  return rest;
}

Problem Checker::CheckEngine(EngineKind engine, const File& file, std::uint64_t step) {
  PointsOnEngine& done = report_.engines[static_cast<std::size_t>(engine)];
  const Snapshot snapshot = ReadSnapshot(file).value();
  if (engine == EngineKind::kTransformer &&
      SnapshotTokens(snapshot, *program_.program) > options_.transformer_tokens) {
    ++done.left_out;
    return std::nullopt;
  }
  isa::Result<Machine> machine = Restored(engine, file);
  if (!machine) return At(step, engine, machine.error().message);
  const std::uint64_t budget = Budget(engine, step);
  const RunResult result = machine->Resume(WithDigest(budget));
  ++done.continued;
  done.steps += result.steps - step;
  done.to_the_end += step + budget == last_.steps ? 1 : 0;
  if (Problem problem = Arrived(*machine, result, step + budget)) return problem;
  if (step + budget == last_.steps) return std::nullopt;
  // Where it stands, native must stand too, cell by cell.
  Machine other = Restored(EngineKind::kNative, file).value();
  other.Resume(WithDigest(budget));
  if (FileOf(other) == FileOf(*machine)) return std::nullopt;
  return At(step, engine, "another state after its last step");
}

// attention -> native -> hull -> transformer -> attention, a few steps on each, then to the end.
Problem Checker::CheckChain(File file, std::uint64_t step) {
  constexpr std::uint32_t kMost = 40, kMostDense = 4;
  ++report_.chains;
  for (const EngineKind engine : {EngineKind::kAttention, EngineKind::kNative, EngineKind::kHull,
                                  EngineKind::kTransformer, EngineKind::kNative}) {
    const bool dense = engine == EngineKind::kTransformer;
    if (dense && SnapshotTokens(ReadSnapshot(file).value(), *program_.program) >
                     options_.transformer_tokens) {
      continue;
    }
    const std::uint64_t wanted = random_.Below(dense ? kMostDense : kMost);
    if (step + wanted >= last_.steps) break;
    isa::Result<Machine> machine = Restored(engine, file);
    if (!machine) return At(step, engine, machine.error().message);
    const RunResult result = machine->Resume(WithDigest(wanted));
    step += wanted;
    if (Problem problem = Arrived(*machine, result, step)) return problem;
    file = FileOf(*machine);
  }
  isa::Result<Machine> machine = Restored(EngineKind::kAttention, file);
  if (!machine) return At(step, EngineKind::kAttention, machine.error().message);
  return Arrived(*machine, machine->Resume(WithDigest(isa::kUnlimitedFuel)), last_.steps);
}

Problem Checker::CheckPoint(std::uint64_t step) {
  ++report_.points;
  std::vector<File> files;
  for (Machine& source : sources_) {
    const RunResult result = source.Resume(WithDigest(step - source.state().steps));
    if (Problem problem = Arrived(source, result, step)) return problem;
    files.push_back(FileOf(source));
  }
  if (files[0] != files[1]) return At(step, sources_[1].engine(), "another file than native's");
  if (WriteSnapshot(ReadSnapshot(files[0]).value()) != files[0]) {
    return At(step, sources_[0].engine(), "a file that is read and written changes");
  }
  report_.largest_file = std::max<std::uint64_t>(report_.largest_file, files[0].size());
  report_.deepest = std::max<std::uint64_t>(report_.deepest, sources_[0].depth());
  for (const EngineKind engine : AllEngines()) {
    if (Problem problem = CheckEngine(engine, files[0], step)) return problem;
  }
  for (const Machine& source : sources_) {
    Machine clone = source.Clone().value();
    ++report_.clones;
    const RunResult result = clone.Resume(WithDigest(isa::kUnlimitedFuel));
    if (Problem problem = Arrived(clone, result, last_.steps)) return problem;
  }
  return CheckChain(files[0], step);
}

Problem Checker::Check() {
  RunUncut();
  std::vector<std::uint64_t> points = {0};
  for (std::uint64_t i = 0; i < options_.points; ++i) {
    points.push_back(random_.Below(static_cast<std::uint32_t>(last_.steps)));
  }
  std::ranges::sort(points);
  for (const EngineKind engine : {EngineKind::kNative, EngineKind::kAttention}) {
    sources_.push_back(Fresh(engine));
    sources_.back().CallStub(program_.start, program_.args, WithDigest(0));
  }
  for (const std::uint64_t step : points) {
    if (Problem problem = CheckPoint(step)) return problem;
  }
  return std::nullopt;
}

}  // namespace

std::string PointsReport::Text() const {
  std::string text = fmt::format(
      "{} points, {} clones, {} chains; largest file {} bytes, deepest "
      "call {}\n",
      points, clones, chains, largest_file, deepest);
  for (const EngineKind engine : AllEngines()) {
    const PointsOnEngine& done = engines[static_cast<std::size_t>(engine)];
    text +=
        fmt::format("{:<12} continued {:>6}, {:>6} to the end, {:>12} steps, {} left out\n",
                    EngineName(engine), done.continued, done.to_the_end, done.steps, done.left_out);
  }
  return text;
}

std::optional<std::string> CheckPoints(const SnapshotProgram& program, const PointsOptions& options,
                                       PointsReport& report) {
  return Checker(program, options, report).Check();
}

}  // namespace txvm::vm

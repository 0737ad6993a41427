// One segment, made again and compared.
// Declared in frontends/cli/run/segments.h.
#include <fmt/format.h>

#include <algorithm>
#include <span>

#include "frontends/cli/run/segment_machine.h"
#include "frontends/cli/run/segments.h"
#include "frontends/cli/run/snapshot_option.h"
#include "isa/support/file.h"
#include "isa/support/sha256.h"
#include "isa/support/shown_text.h"
#include "isa/trace.h"
#include "vm/snapshot_file.h"

namespace txvm::frontends::cli {
namespace {

constexpr std::uint64_t kStepsBetweenStops = 65'536;  // tenths of a second on the weights' engines

/// The snapshot of states[index], or in `problem` why its file is not the one that was written.
isa::Result<vm::Snapshot> ReadState(const Segments& segments, const std::string& folder,
                                    std::size_t index, std::string& problem) {
  const std::string path = StatePath(folder, index);
  const isa::Result<std::string> bytes = isa::ReadFile(path, kMaxSnapshotBytes);
  if (!bytes) {
    problem = fmt::format("{}: {}", path, bytes.error().message);
    return vm::Snapshot();
  }
  const std::span<const std::uint8_t> file(reinterpret_cast<const std::uint8_t*>(bytes->data()),
                                           bytes->size());
  if (isa::Sha256(file) != segments.states[index].sha256) {
    problem = fmt::format("{} is not the state that the manifest names: its SHA-256 differs", path);
    return vm::Snapshot();
  }
  isa::Result<vm::Snapshot> snapshot = vm::ReadSnapshot(file);
  if (!snapshot) problem = fmt::format("{}: {}", path, snapshot.error().message);
  return snapshot.value_or(vm::Snapshot());
}

std::string FirstBlock(std::string_view space, std::span<const vm::SnapshotBlock> found,
                       std::span<const vm::SnapshotBlock> expected) {
  const auto equal = [](const vm::SnapshotBlock& a, const vm::SnapshotBlock& b) {
    return a.index == b.index && *a.bytes == *b.bytes;
  };
  const auto [a, b] = std::ranges::mismatch(found, expected, equal);
  if (a == found.end() && b == expected.end()) return {};
  std::uint32_t index = a == found.end() ? b->index : a->index;
  if (a != found.end() && b != expected.end()) index = std::min(a->index, b->index);
  const std::uint64_t first = std::uint64_t{index} * vm::kSnapshotBlockBytes;
  return fmt::format("{} differs in bytes {} to {}", space, isa::Grouped(first),
                     isa::Grouped(first + vm::kSnapshotBlockBytes - 1));
}

/// What differs first; empty: nothing does.
std::string Difference(const vm::Snapshot& found, const vm::Snapshot& expected) {
  const auto number = [](std::string_view what, std::uint64_t a, std::uint64_t b) {
    return a == b ? std::string()
                  : fmt::format("{} is {} where the state says {}", what, isa::Grouped(a),
                                isa::Grouped(b));
  };
  const std::string differences[] = {
      number("whether it runs", found.running, expected.running),
      number("the number of steps", found.steps, expected.steps),
      number("the instruction", found.ip, expected.ip),
      found.stack == expected.stack ? "" : "the operand stack differs",
      found.frames == expected.frames ? "" : "the call stack differs",
      number("the number of pages", found.pages, expected.pages),
      FirstBlock("memory", found.memory, expected.memory),
      FirstBlock("the locals' space", found.locals, expected.locals),
      found.digest == expected.digest
          ? ""
          : fmt::format("the digest is {} where the state says {}", isa::DigestText(found.digest),
                        isa::DigestText(expected.digest)),
      found.host == expected.host ? "" : "what the calls of WASI came to differs",
  };
  for (const std::string& difference : differences) {
    if (!difference.empty()) return difference;
  }
  return {};
}

isa::Result<std::string> CompareState(const SegmentMachine& instance,
                                      const vm::Snapshot& expected) {
  TXVM_TRY(const std::vector<std::uint8_t> file, StateFile(instance));
  TXVM_TRY(const vm::Snapshot found, vm::ReadSnapshot(file));
  return Difference(found, expected);
}

/// How the run ended, beside what the manifest tells of it.
std::string CompareEnd(const vm::RunResult& result, const SegmentsEnd& end) {
  const bool is_open =
      end.outcome == vm::Outcome::kInterrupted || end.outcome == vm::Outcome::kOutOfFuel;
  const vm::Outcome expected = is_open ? vm::Outcome::kOutOfFuel : end.outcome;
  if (result.outcome != expected) {
    return fmt::format("the run is {} where the manifest says {}", vm::OutcomeWords(result.outcome),
                       vm::OutcomeWords(end.outcome));
  }
  if (result.results != end.results) return "the results differ";
  if (result.exit_code != end.exit_code) return "the exit code differs";
  if (result.trap && (static_cast<std::uint32_t>(result.trap->cause) != end.trap_cause ||
                      result.trap->ip != end.trap_ip)) {
    return fmt::format("it traps with '{}' at instruction {}, not as the manifest says",
                       isa::TrapText(result.trap->cause), isa::Grouped(result.trap->ip));
  }
  return {};
}

isa::Result<vm::RunResult> RunSteps(vm::Machine& machine, std::uint64_t steps,
                                    const isa::StopTest& stop) {
  vm::RunResult result;
  do {
    if (stop && stop()) return isa::Fail(isa::ErrorCode::kInterrupted, "interrupted");
    vm::RunOptions options;
    options.fuel = std::min(steps, kStepsBetweenStops);
    options.digest = true;
    steps -= options.fuel;
    result = machine.Resume(options);
  } while (steps > 0 && result.outcome == vm::Outcome::kOutOfFuel);
  return result;
}

}  // namespace

isa::Result<std::string> CheckSegment(const std::shared_ptr<const isa::Program>& program,
                                      const Segments& segments, const std::string& folder,
                                      std::size_t segment, vm::EngineKind engine,
                                      const isa::StopTest& stop) {
  std::string problem;
  TXVM_TRY(const vm::Snapshot from, ReadState(segments, folder, segment, problem));
  if (!problem.empty()) return problem;
  TXVM_TRY(const vm::Snapshot to, ReadState(segments, folder, segment + 1, problem));
  if (!problem.empty()) return problem;
  const SegmentState& before = segments.states[segment];
  const SegmentState& after = segments.states[segment + 1];
  if (!from.running || from.steps != before.step || from.digest != before.digest) {
    return fmt::format("{} is of another step than the manifest says", StatePath(folder, segment));
  }
  RunSettings settings = SettingsOf(segments);
  settings.engine = engine;
  TXVM_TRY(SegmentMachine instance, LoadSegmentMachine(program, settings));
  if (const isa::Result<void> restored = instance.machine.Restore(from); !restored) {
    return fmt::format("{}: {}", StatePath(folder, segment), restored.error().message);
  }
  if (const auto notes = RestoreWasi(instance.wasi, from, false); !notes) {
    return fmt::format("{}: {}", StatePath(folder, segment), notes.error().message);
  }
  TXVM_TRY(const vm::RunResult result, RunSteps(instance.machine, after.step - before.step, stop));
  if (result.steps != after.step) {
    return fmt::format("it ends after step {} ({})", isa::Grouped(result.steps),
                       vm::OutcomeWords(result.outcome));
  }
  const bool is_last = segment + 1 == segments.count();
  if (is_last) {
    if (std::string difference = CompareEnd(result, segments.end); !difference.empty()) {
      return difference;
    }
  } else if (result.outcome != vm::Outcome::kOutOfFuel) {
    return fmt::format("the run is {} there, before its last segment",
                       vm::OutcomeWords(result.outcome));
  }
  if (*result.digest != after.digest) {
    return fmt::format("the digest is {} where the manifest says {}",
                       isa::DigestText(*result.digest), isa::DigestText(after.digest));
  }
  return CompareState(instance, to);
}

isa::Result<std::string> CheckStart(const std::shared_ptr<const isa::Program>& program,
                                    const Segments& segments, const std::string& folder) {
  std::string problem;
  TXVM_TRY(const vm::Snapshot start, ReadState(segments, folder, 0, problem));
  if (!problem.empty()) return problem;
  RunSettings settings = SettingsOf(segments);
  settings.engine = vm::EngineKind::kNative;
  TXVM_TRY(SegmentMachine instance, LoadSegmentMachine(program, settings));
  TXVM_TRY(const vm::RunResult begun, BeginEntry(instance, settings));
  if (!begun.digest) return "the program ends before its entry begins";
  return CompareState(instance, start);
}

}  // namespace txvm::frontends::cli

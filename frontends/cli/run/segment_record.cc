// A run that leaves its segments.
// Declared in frontends/cli/run/segments.h.
#include <fmt/format.h>

#include <chrono>
#include <filesystem>
#include <span>

#include "frontends/cli/run/call_values.h"
#include "frontends/cli/run/segment_machine.h"
#include "frontends/cli/run/segments.h"
#include "frontends/cli/support/stop.h"
#include "isa/program_file.h"
#include "isa/support/file.h"
#include "isa/support/sha256.h"
#include "isa/support/shown_text.h"
#include "vm/snapshot_file.h"

namespace txvm::frontends::cli {
namespace {

using Clock = std::chrono::steady_clock;

isa::Result<void> CheckDeterministic(const RunSettings& settings) {
  std::string_view what;
  if (!settings.host.directories.empty()) what = "--dir: files are not in the segments";
  if (settings.host.real_clock) what = "--clock real";
  if (settings.host.real_random) what = "--random real";
  if (!settings.weights.empty()) what = "--weights";
  if (settings.unverified) what = "--unverified";
  if (what.empty()) return {};
  return isa::Fail(isa::ErrorCode::kUsage, fmt::format("--segments does not go with {}", what));
}

isa::Result<void> MakeFolder(const std::string& folder) {
  namespace fs = std::filesystem;
  std::error_code error;
  fs::create_directories(folder, error);
  if (!error && !fs::is_empty(folder, error) && !error) {
    return isa::Fail(isa::ErrorCode::kUsage,
                     fmt::format("--segments {}: the folder holds something already", folder));
  }
  if (!error) return {};
  return isa::Fail(isa::ErrorCode::kHost,
                   fmt::format("--segments {}: {}", folder, error.message()));
}

std::string_view AsText(std::span<const std::uint8_t> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

/// Writes states and the manifest of a run that goes on.
class Recorder {
 public:
  Recorder(std::string folder, Segments segments)
      : folder_(std::move(folder)), segments_(std::move(segments)) {}

  /// The state that the instance is in after `result`, and the manifest with it.
  isa::Result<void> Add(const SegmentMachine& instance, const vm::RunResult& result) {
    TXVM_TRY(const std::vector<std::uint8_t> file, StateFile(instance));
    TXVM_CHECK_OK(isa::ReplaceFile(StatePath(folder_, segments_.states.size()), AsText(file)));
    bytes_ += file.size();
    segments_.states.push_back({result.steps, *result.digest, isa::Sha256(file)});
    SegmentsEnd& end = segments_.end;
    end.outcome = result.outcome;
    end.results = result.results;
    end.exit_code = result.exit_code;
    if (result.trap) {
      end.trap_cause = static_cast<std::uint32_t>(result.trap->cause);
      end.trap_ip = result.trap->ip;
    }
    return WriteManifest(folder_, segments_);
  }
  std::size_t count() const { return segments_.count(); }
  std::string Note() const {
    return fmt::format("{} in {} ({}): txvm check {}", isa::Grouped(count(), "segment"), folder_,
                       isa::Grouped(bytes_, "byte"), folder_);
  }

 private:
  std::string folder_;
  Segments segments_;
  std::uint64_t bytes_ = 0;
};

}  // namespace

isa::Result<SessionResult> RecordSegments(const std::shared_ptr<const isa::Program>& program,
                                          const RunSettings& settings, const std::string& folder,
                                          std::uint64_t every) {
  TXVM_CHECK_OK(CheckDeterministic(settings));
  TXVM_TRY(SegmentMachine instance, LoadSegmentMachine(program, settings));
  TXVM_CHECK_OK(MakeFolder(folder));
  TXVM_TRY(const std::vector<std::uint8_t> file, isa::WriteProgram(*program));
  TXVM_CHECK_OK(isa::WriteFile(fmt::format("{}/{}", folder, kProgramName), AsText(file)));
  Segments segments;
  segments.engine = vm::EngineName(settings.engine);
  segments.name = settings.path;
  segments.program = vm::ProgramHash(*program);
  segments.invoke = settings.invoke;
  segments.arguments = settings.arguments;
  segments.environment = settings.host.environment;
  for (const imports::Rule& rule : settings.imports.rules) {
    segments.imports.push_back(rule.written);
  }
  segments.strict_imports = settings.imports.is_strict;
  segments.random_seed = settings.host.random_seed;
  segments.limits = settings.limits;
  segments.every = every;
  Recorder recorder(folder, std::move(segments));

  StopGuard guard(instance.machine, settings.timeout);
  SessionResult session;
  session.program = program;
  session.result_types = ResultTypesOf(instance.entry);
  const Clock::time_point start = Clock::now();
  TXVM_TRY(session.result, BeginEntry(instance, settings));
  if (!session.result.digest) {
    session.notes.emplace_back("no segments: the run stopped before the entry");
    session.ip = instance.machine.ip();
    return session;
  }
  TXVM_CHECK_OK(recorder.Add(instance, session.result));
  std::uint64_t left = settings.fuel;
  while (session.result.outcome == vm::Outcome::kOutOfFuel && left > 0) {
    if (recorder.count() == kMostSegments) {
      return isa::Fail(isa::ErrorCode::kLimit,
                       fmt::format("--every {} gives more than {} segments: {} hold what there was",
                                   every, isa::Grouped(kMostSegments), folder));
    }
    if (guard.requested() != vm::InterruptReason::kNone) {
      session.result.outcome = vm::Outcome::kInterrupted;
      session.result.interrupt = guard.requested();
      break;
    }
    vm::RunOptions options;
    options.fuel = std::min(every, left);
    options.digest = true;
    const std::uint64_t before = session.result.steps;
    session.result = instance.machine.Resume(options);
    if (left != isa::kUnlimitedFuel) left -= session.result.steps - before;
    TXVM_CHECK_OK(recorder.Add(instance, session.result));
  }
  session.seconds = std::chrono::duration<double>(Clock::now() - start).count();
  session.ip = instance.machine.ip();
  if (const auto why = instance.machine.Substitute({.digest = true}); !why.empty()) {
    session.notes.emplace_back(why);
  }
  session.notes.push_back(recorder.Note());
  return session;
}

}  // namespace txvm::frontends::cli

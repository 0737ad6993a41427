// One program, loaded and called from the command line.
#include "frontends/cli/run/session.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <ctime>
#include <optional>
#include <span>
#include <utility>

#include "frontends/c/cxx_headers.h"
#include "frontends/cli/run/call_values.h"
#include "frontends/cli/run/choices.h"
#include "frontends/cli/run/host_functions.h"
#include "frontends/cli/run/source_place.h"
#include "frontends/cli/support/stop.h"
#include "isa/support/file.h"
#include "isa/support/shown_text.h"
#include "isa/support/text.h"
#include "weights/artefact.h"

namespace txvm::frontends::cli {
namespace {

using Clock = std::chrono::steady_clock;

struct Entry {
  const isa::Export* found = nullptr;  // nullptr: program.entry
  std::vector<isa::Word> words;
};

isa::Result<Entry> PrepareEntry(const isa::Program& program, const RunSettings& settings) {
  Entry entry;
  TXVM_TRY(entry.found, ChooseEntry(program, settings));
  TXVM_TRY(entry.words, EntryWords(program, entry.found, settings));
  return entry;
}

/// Wall time and CPU time from its making on.
class Stopwatch {
 public:
  void Read(SessionResult& session) const {
    session.seconds = std::chrono::duration<double>(Clock::now() - start_).count();
    session.cpu_seconds = CpuSeconds() - cpu_start_;
  }

 private:
  static double CpuSeconds() {
    constexpr double kNanosecond = 1e-9;
    timespec time = {};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * kNanosecond;
  }

  Clock::time_point start_ = Clock::now();
  double cpu_start_ = CpuSeconds();
};

/// One machine and the run of it that is reported.
class Session {
 public:
  Session(LoadedMachine& loaded, const RunSettings& settings, const SnapshotOption& snapshot)
      : loaded_(loaded),
        machine_(loaded.machine),
        settings_(settings),
        snapshot_(snapshot),
        guard_(loaded.machine, settings.timeout) {}

  /// Runs the init stub and a library's _initialize, where there are such. Whether they halted;
  /// takes their steps off `options.fuel`.
  bool RunBefore(const Entry& entry, vm::RunOptions& options);
  isa::Result<void> RunEntry(const Entry& entry, const vm::RunOptions& options);
  isa::Result<void> Resume(std::uint64_t first_step, const vm::RunOptions& options);
  /// Notes that a run which ended before its entry began leaves no snapshot.
  void NoSnapshot() {
    session_.notes.emplace_back("no snapshot: the run stopped before the entry");
  }
  void Note(const std::vector<std::string>& notes) {
    session_.notes.insert(session_.notes.end(), notes.begin(), notes.end());
  }
  /// Notes that another engine makes the run.
  void NoteSubstitute(const vm::RunOptions& options) {
    const std::string_view why = machine_.Substitute(options);
    if (!why.empty()) session_.notes.emplace_back(why);
  }
  SessionResult Finish() {
    session_.ip = machine_.ip();
    if (session_.result.trap) {
      NameCaller(*session_.result.trap);
      NameStackOverflow(*session_.result.trap);
    }
    return std::move(session_);
  }

 private:
  void NameCaller(vm::TrapInfo& trap) const;
  void NameStackOverflow(vm::TrapInfo& trap) const;
  template <typename Begin>
  isa::Result<void> Run(const Begin& begin, const vm::RunOptions& options);
  template <typename Begin>
  isa::Result<void> RunThroughSnapshot(const Begin& begin, const vm::RunOptions& options);
  template <typename Begin>
  isa::Result<void> RunInPieces(const Begin& begin, const vm::RunOptions& options);
  bool WasStopped();
  void AddCounts(const std::optional<vm::Stats>& earlier);
  void Save();
  void ContinueAfterSnapshot(vm::RunOptions options, std::uint64_t spent);

  const LoadedMachine& loaded_;
  vm::Machine& machine_;
  const RunSettings& settings_;
  const SnapshotOption& snapshot_;
  StopGuard guard_;
  SessionResult session_;
};

// A stop that was asked for between two runs, which a machine cannot see.
vm::RunResult StoppedBefore(vm::InterruptReason reason) {
  vm::RunResult result;
  result.outcome = vm::Outcome::kInterrupted;
  result.interrupt = reason;
  return result;
}

// Code that txvm made (a division of i64, the callee of an indirect call) has no line: the trap
// then says which code of the source called it.
void Session::NameCaller(vm::TrapInfo& trap) const {
  constexpr std::size_t kMostFrames = 1'000;  // made code is a few frames deep
  const isa::Program& program = machine_.program();
  const auto has_line = [&](std::uint32_t ip) { return program.LineAt(ip) != 0; };
  if (has_line(trap.ip)) return;
  const std::vector<std::uint32_t> calls = machine_.Backtrace(kMostFrames);
  const auto call = std::ranges::find_if(calls, has_line);
  if (call == calls.end()) return;
  const isa::Function* function = program.FunctionAt(*call);
  trap.detail += fmt::format("{}called from '{}' ({})", trap.detail.empty() ? "" : ", ",
                             function == nullptr ? "" : isa::Printable(function->name),
                             SourceLine(program, *call));
}

// wasm-ld makes the stack pointer the first global, and begins with the address above the stack.
// The stack lies below all data: a pointer that passed 0 is above that address.
void Session::NameStackOverflow(vm::TrapInfo& trap) const {
  const isa::Program& program = machine_.program();
  const std::span<const isa::Word> globals = machine_.globals();
  if (trap.cause != isa::Trap::kOutOfBounds || program.globals.empty()) return;
  const bool is_c = program.source.ends_with(".c") || c::IsCxx(program.source);
  if (!is_c || globals.front() <= program.globals.front()) return;
  trap.detail += fmt::format("{}C stack overflow: {} bytes are not enough",
                             trap.detail.empty() ? "" : ", ", program.globals.front());
}

bool Session::RunBefore(const Entry& entry, vm::RunOptions& options) {
  const auto halts = [&](const auto& begin) {
    const Stopwatch watch;
    vm::RunOptions part;
    part.fuel = options.fuel;
    session_.result = begin(part);
    watch.Read(session_);
    if (options.fuel != isa::kUnlimitedFuel) options.fuel -= session_.result.steps;
    return session_.result.outcome == vm::Outcome::kHalted;
  };
  const isa::Program& program = machine_.program();
  const auto init = [&](const vm::RunOptions& part) { return machine_.RunInit(part); };
  if (program.init && !halts(init)) return false;
  const isa::Export* initializer = vm::FindInitializer(program, entry.found);
  return initializer == nullptr || halts([&](const vm::RunOptions& part) {
           const vm::InterruptReason reason = guard_.requested();
           if (reason != vm::InterruptReason::kNone) return StoppedBefore(reason);
           return machine_.CallStub(initializer->start, {}, part);
         });
}

isa::Result<void> Session::RunEntry(const Entry& entry, const vm::RunOptions& options) {
  session_.result_types = ResultTypesOf(entry.found);
  return Run(
      [&](const vm::RunOptions& run) -> isa::Result<vm::RunResult> {
        if (entry.found != nullptr) return machine_.Call(*entry.found, entry.words, run);
        return machine_.CallStub(machine_.program().entry, entry.words, run);
      },
      options);
}

isa::Result<void> Session::Resume(std::uint64_t first_step, const vm::RunOptions& options) {
  session_.first_step = first_step;
  session_.result_types = ResultTypesOf(machine_);
  return Run(
      [&](const vm::RunOptions& run) -> isa::Result<vm::RunResult> { return machine_.Resume(run); },
      options);
}

template <typename Begin>
isa::Result<void> Session::Run(const Begin& begin, const vm::RunOptions& options) {
  if (const vm::InterruptReason reason = guard_.requested(); reason != vm::InterruptReason::kNone) {
    session_.result = StoppedBefore(reason);
    return {};
  }
  const Stopwatch watch;
  if (snapshot_.at) {
    TXVM_CHECK_OK(RunThroughSnapshot(begin, options));
  } else if (snapshot_.every) {
    TXVM_CHECK_OK(RunInPieces(begin, options));
  } else {
    TXVM_TRY(session_.result, begin(options));
  }
  watch.Read(session_);
  if (machine_.memory().fell_short()) session_.notes.push_back(machine_.memory().ShortageText());
  if (!snapshot_.at && !snapshot_.every && !snapshot_.path.empty()) Save();
  return {};
}

template <typename Begin>
isa::Result<void> Session::RunThroughSnapshot(const Begin& begin, const vm::RunOptions& options) {
  const std::uint64_t at = *snapshot_.at;
  vm::RunOptions before = options;
  before.fuel = std::min(options.fuel, at - session_.first_step);
  TXVM_TRY(session_.result, begin(before));
  const vm::RunResult& result = session_.result;
  if (result.steps != at) {
    session_.notes.push_back(fmt::format("no snapshot: the run stopped after {}, before {}",
                                         isa::Grouped(result.steps, "step"), isa::Grouped(at)));
    return {};
  }
  if (!machine_.resumable()) {
    session_.notes.push_back(
        fmt::format("no snapshot: the run ended with step {}", isa::Grouped(at)));
    return {};
  }
  Save();
  ContinueAfterSnapshot(options, before.fuel);
  return {};
}

// Each snapshot is written over the last. A run that is stopped leaves the state in which it stops;
// one that ends leaves the last before its end, from which its end can be had again.
template <typename Begin>
isa::Result<void> Session::RunInPieces(const Begin& begin, const vm::RunOptions& options) {
  const std::uint64_t every = *snapshot_.every;
  std::uint64_t left = options.fuel, done = session_.first_step, written = 0;
  std::optional<vm::Stats> counted;
  for (bool has_begun = false;; has_begun = true) {
    vm::RunOptions piece = options;
    // After one that could not be written there are no more.
    piece.fuel = session_.saved ? std::min(left, every - done % every) : left;
    if (has_begun) {
      session_.result = machine_.Resume(piece);
      AddCounts(counted);
    } else {
      TXVM_TRY(session_.result, begin(piece));
    }
    counted = session_.result.stats;
    if (left != isa::kUnlimitedFuel) left -= session_.result.steps - done;
    done = session_.result.steps;
    if (!machine_.resumable()) break;
    if (session_.saved) {
      if (written != 0) session_.notes.pop_back();  // of the last
      Save();
      written += session_.saved ? 1 : 0;
    }
    if (session_.result.outcome != vm::Outcome::kOutOfFuel || left == 0 || WasStopped()) break;
  }
  if (written > 1) {
    session_.notes.back() =
        fmt::format("{}, the last: {}", isa::CountText(written, "snapshot"), session_.notes.back());
  }
  return {};
}

// Asked between two runs: whether a stop was asked for. Then the result says so.
bool Session::WasStopped() {
  const vm::InterruptReason reason = guard_.requested();
  if (reason == vm::InterruptReason::kNone) return false;
  session_.result.outcome = vm::Outcome::kInterrupted;
  session_.result.interrupt = reason;
  return true;
}

void Session::AddCounts(const std::optional<vm::Stats>& earlier) {
  if (!earlier) return;
  for (std::size_t s = 0; s < vm::kSpaceCount; ++s) {
    session_.result.stats->heads[s] += earlier->heads[s];
    session_.result.stats->keys[s] += earlier->keys[s];
  }
}

// A snapshot that cannot be written takes nothing else from the run: the error is told at its end.
void Session::Save() {
  isa::Result<std::string> note =
      SaveSnapshot(machine_, SnapshotPath(snapshot_, settings_.path), loaded_.HostState());
  if (note) {
    session_.notes.push_back(*std::move(note));
  } else {
    session_.saved = std::unexpected(std::move(note).error());
  }
}

void Session::ContinueAfterSnapshot(vm::RunOptions options, std::uint64_t spent) {
  if (options.fuel == spent || WasStopped()) return;
  if (options.fuel != isa::kUnlimitedFuel) options.fuel -= spent;
  const std::optional<vm::Stats> counted = session_.result.stats;
  session_.result = machine_.Resume(options);
  AddCounts(counted);
}

isa::Result<vm::MachineOptions> OptionsOf(const RunSettings& settings) {
  vm::MachineOptions options;
  options.engine = settings.engine;
  options.limits = settings.limits;
  options.allow_unverified = settings.unverified;
  if (!settings.weights.empty()) {
    TXVM_TRY(weights::Model model, weights::ImportModel(settings.weights));
    options.model = std::make_shared<const weights::Model>(std::move(model));
  }
  return options;
}

isa::Result<void> CheckPlace(const RunSettings& settings, const SnapshotOption& snapshot) {
  if (!snapshot.wanted()) return {};
  if (snapshot.at && snapshot.every) {
    return isa::Fail(isa::ErrorCode::kUsage,
                     "--snapshot-at and --snapshot-every exclude each other");
  }
  return CheckSnapshotPlace(SnapshotPath(snapshot, settings.path));
}

}  // namespace

std::unexpected<isa::Error> LoadError(isa::Error error, const isa::Program& program,
                                      const std::string& path) {
  if (error.code == isa::ErrorCode::kInvalid) return InProgram(std::move(error), program, path);
  return std::unexpected(std::move(error));
}

isa::Result<LoadedMachine> LoadMachine(std::shared_ptr<const isa::Program> program,
                                       const RunSettings& settings) {
  TXVM_TRY(HostSet host, HostFunctions(settings));
  TXVM_CHECK_OK(AnswerImports(*program, settings, host));
  TXVM_TRY(const vm::MachineOptions options, OptionsOf(settings));
  isa::Result<vm::Machine> machine = vm::Machine::Load(program, host.linker, options);
  if (!machine) return LoadError(std::move(machine).error(), *program, settings.path);
  LoadedMachine loaded{*std::move(machine), std::nullopt};
  if (host.uses_wasi) loaded.wasi = std::move(host.wasi);
  return loaded;
}

isa::Result<std::vector<std::string>> RestoreWasi(const std::optional<wasi::State>& wasi,
                                                  const vm::Snapshot& from, bool cuts_grown_files) {
  if (!wasi || from.host.empty()) return std::vector<std::string>();
  return wasi->Restore({reinterpret_cast<const char*>(from.host.data()), from.host.size()},
                       cuts_grown_files);
}

isa::Result<void> CheckResume(const isa::Program& program, const vm::Snapshot& from,
                              const RunSettings& settings, const vm::RunOptions& observe,
                              const SnapshotOption& snapshot) {
  if (!from.running) return {};
  if (settings.invoke || (!settings.arguments.empty() && !wasi::IsImportedBy(program))) {
    return isa::Fail(isa::ErrorCode::kUsage,
                     "the snapshot is of a run under way, which takes neither --invoke nor "
                     "arguments");
  }
  if (observe.digest && !from.has_digest) {
    return isa::Fail(isa::ErrorCode::kUsage,
                     "the snapshot was taken of a run without digest: resume it without "
                     "--trace-digest");
  }
  if (snapshot.at && *snapshot.at < from.steps) {
    return isa::Fail(isa::ErrorCode::kUsage,
                     fmt::format("--snapshot-at {} lies before step {}, where the run is resumed",
                                 isa::Grouped(*snapshot.at), isa::Grouped(from.steps)));
  }
  return {};
}

isa::Result<SessionResult> RunSession(std::shared_ptr<const isa::Program> program,
                                      const RunSettings& settings, const vm::RunOptions& observe,
                                      const SnapshotOption& snapshot) {
  TXVM_CHECK_OK(CheckPlace(settings, snapshot));
  TXVM_TRY(LoadedMachine loaded, LoadMachine(program, settings));
  const isa::Result<Entry> prepared = PrepareEntry(*program, settings);
  // A start function runs even where no export does by itself.
  const bool runs_start_alone =
      !prepared && program->init && !settings.invoke && settings.arguments.empty();
  if (!prepared && !runs_start_alone) return std::unexpected(prepared.error());
  const Entry entry = prepared.value_or(Entry());
  Session session(loaded, settings, snapshot);
  vm::RunOptions options = observe;
  options.fuel = settings.fuel;
  if (snapshot.wanted()) options.digest = true;
  if (runs_start_alone) {
    session.RunBefore(entry, options);
    if (snapshot.wanted()) session.NoSnapshot();
    session.Note({"only the start function ran: " + prepared.error().message});
    return session.Finish();
  }
  session.NoteSubstitute(options);
  if (session.RunBefore(entry, options)) {
    TXVM_CHECK_OK(session.RunEntry(entry, options));
  } else if (snapshot.wanted()) {
    session.NoSnapshot();
  }
  return session.Finish();
}

isa::Result<SessionResult> ResumeSession(std::shared_ptr<const isa::Program> program,
                                         const vm::Snapshot& from, const RunSettings& settings,
                                         const vm::RunOptions& observe,
                                         const SnapshotOption& snapshot) {
  TXVM_CHECK_OK(CheckResume(*program, from, settings, observe, snapshot));
  TXVM_CHECK_OK(CheckPlace(settings, snapshot));
  TXVM_TRY(LoadedMachine loaded, LoadMachine(program, settings));
  TXVM_CHECK_OK(loaded.machine.Restore(from));
  TXVM_TRY(const std::vector<std::string> notes,
           RestoreWasi(loaded.wasi, from, settings.cuts_grown_files));
  vm::RunOptions options = observe;
  options.fuel = settings.fuel;
  if (snapshot.wanted()) options.digest = from.has_digest || !from.running;
  Session session(loaded, settings, snapshot);
  session.Note(notes);
  session.NoteSubstitute(options);
  if (from.running) {
    TXVM_CHECK_OK(session.Resume(from.steps, options));
  } else {
    TXVM_TRY(const Entry entry, PrepareEntry(*program, settings));
    TXVM_CHECK_OK(session.RunEntry(entry, options));
  }
  return session.Finish();
}

}  // namespace txvm::frontends::cli

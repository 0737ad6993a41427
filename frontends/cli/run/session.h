// One program, loaded and called from the command line: load, run the start function and
// _initialize, run the entry, all under one fuel and one deadline.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "frontends/cli/run/run_options.h"
#include "frontends/cli/run/snapshot_option.h"
#include "frontends/wasi/wasi.h"
#include "vm/machine.h"

namespace txvm::frontends::cli {

/// How one session went. `result` is the entry's run, or the start function's or _initialize's
/// when that did not halt.
struct SessionResult {
  std::shared_ptr<const isa::Program> program;  // as it is after the run
  vm::RunResult result;
  std::vector<isa::ValueType> result_types;  // of the entry; empty: not known
  std::uint32_t ip = 0;                      // where it stopped
  double seconds = 0;                        // wall time of the run that is reported
  double cpu_seconds = 0;                    // CPU time of the process in it
  std::uint64_t first_step = 0;              // steps done before it: it was resumed
  std::vector<std::string> notes;            // what became of snapshots, one sentence each
  isa::Result<void> saved;                   // or why a snapshot could not be written
};

/// An error of Machine::Load, as InProgram gives it when the program is refused.
std::unexpected<isa::Error> LoadError(isa::Error error, const isa::Program& program,
                                      const std::string& path);

/// A machine, and the state of its WASI calls where its program uses it.
struct LoadedMachine {
  vm::Machine machine;
  std::optional<wasi::State> wasi;
  /// Snapshot::host: nothing where there is no such state.
  std::string HostState() const { return wasi ? wasi->Save() : std::string(); }
};

/// Loads the program on settings.engine with the functions of host_functions.h. Errors: those of
/// HostFunctions and Machine::Load.
isa::Result<LoadedMachine> LoadMachine(std::shared_ptr<const isa::Program> program,
                                       const RunSettings& settings);

/// Makes the state of WASI what the snapshot holds, where it holds one: wasi::State::Restore.
isa::Result<std::vector<std::string>> RestoreWasi(const std::optional<wasi::State>& wasi,
                                                  const vm::Snapshot& from, bool cuts_grown_files);

/// Loads `program` on settings.engine, runs its init stub, what FindInitializer names and then the
/// entry. `observe` says what to observe of the entry's run; its fuel is ignored. Host functions
/// are those of host_functions.h. SIGINT and settings.timeout stop it. A snapshot is written when
/// and where `snapshot` says, with the digest of the run. Errors: those of Machine::Load and Call,
/// EntryWords', CheckSnapshotPlace's.
isa::Result<SessionResult> RunSession(std::shared_ptr<const isa::Program> program,
                                      const RunSettings& settings, const vm::RunOptions& observe,
                                      const SnapshotOption& snapshot = {});

/// kUsage when the invocation under way in `from`, if there is one, is given an entry or arguments,
/// when the digest is wanted and does not cover its steps, or when the next snapshot lies before
/// it.
isa::Result<void> CheckResume(const isa::Program& program, const vm::Snapshot& from,
                              const RunSettings& settings, const vm::RunOptions& observe = {},
                              const SnapshotOption& snapshot = {});

/// Restores `from` in an instance of `program` and goes on: with the invocation that was under way
/// or, when the instance was at rest, with the entry of `settings`. Errors: those of
/// CheckResume, RunSession and Machine::Restore.
isa::Result<SessionResult> ResumeSession(std::shared_ptr<const isa::Program> program,
                                         const vm::Snapshot& from, const RunSettings& settings,
                                         const vm::RunOptions& observe,
                                         const SnapshotOption& snapshot);

}  // namespace txvm::frontends::cli

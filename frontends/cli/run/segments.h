// A run cut into segments, as a folder: the program, the state before and after each segment, and a
// manifest that says what was run, how far each state is, and how the run ended.
//
// Goals: every segment can be replayed by itself, on any engine and any machine; the states chain,
// so that all segments together are the run; a folder of a run that was killed is one of a shorter
// run. Non-goals: proof of origin (who can write the folder can write another run), compression.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "frontends/cli/run/run_options.h"
#include "frontends/cli/run/session.h"
#include "isa/program.h"
#include "isa/support/system/child_process.h"
#include "vm/outcome.h"
#include "vm/snapshot.h"

namespace txvm::frontends::cli {

inline constexpr std::string_view kManifestName = "segments.json";
inline constexpr std::string_view kProgramName = "program.txp";
inline constexpr std::uint64_t kMostSegments = 1'000'000;

/// A state between two segments, or at an end of the run.
struct SegmentState {
  std::uint64_t step = 0;    // of the entry's run
  std::uint64_t digest = 0;  // of all its steps so far
  std::string sha256;        // of the state's file, 64 lower-case hex digits
};

/// How the run ended. `outcome` is kOutOfFuel or kInterrupted where it could go on.
struct SegmentsEnd {
  vm::Outcome outcome = vm::Outcome::kInterrupted;
  std::vector<isa::Word> results;
  std::int32_t exit_code = 0;    // meaningful iff kExited
  std::uint32_t trap_cause = 0;  // isa::Trap and instruction; meaningful iff kTrapped
  std::uint32_t trap_ip = 0;
};

/// What segments.json holds. Segment i leads from states[i] to states[i + 1].
struct Segments {
  std::string engine;   // that made the states
  std::string name;     // of the program, as it was given
  std::string program;  // ProgramHash
  std::optional<std::string> invoke;
  std::vector<std::string> arguments;
  std::vector<std::string> environment;
  std::vector<std::string> imports;  // the rules of --import
  bool strict_imports = false;
  std::uint64_t random_seed = 0;
  isa::Limits limits;
  std::uint64_t every = 0;
  std::vector<SegmentState> states;  // INVARIANT: steps ascend, the first is 0
  SegmentsEnd end;

  std::size_t count() const { return states.size() - 1; }
  /// "segment 3 (steps 150,000,000 to 200,000,000)".
  std::string Describe(std::size_t segment) const;
};

/// The file of states[index] in `folder`.
std::string StatePath(const std::string& folder, std::size_t index);

/// Replaces the manifest of `folder`, all or nothing.
isa::Result<void> WriteManifest(const std::string& folder, const Segments& segments);

/// The manifest of `folder`. kIo when there is none, kCorrupt names the file and the member that is
/// missing or makes no sense.
isa::Result<Segments> ReadManifest(const std::string& folder);

/// The settings that make the run of `segments` again, with host functions that print nothing.
RunSettings SettingsOf(const Segments& segments);

/// Runs `program` as `settings` say and leaves its segments of `every` steps in `folder`, which is
/// made, or empty. A SIGINT, the fuel or a timeout ends the last segment early. Errors: those of
/// RunSession; kUsage for a program that is granted folders, a real clock or real random numbers,
/// which no replay would find again, and for a folder that holds something.
isa::Result<SessionResult> RecordSegments(const std::shared_ptr<const isa::Program>& program,
                                          const RunSettings& settings, const std::string& folder,
                                          std::uint64_t every);

/// Replays one segment on `engine`. Empty: it leads to the next state, and the last one to the end
/// that the manifest tells; else a sentence that says what differs first. Errors: kInterrupted when
/// `stop` says so, else what keeps it from running at all.
isa::Result<std::string> CheckSegment(const std::shared_ptr<const isa::Program>& program,
                                      const Segments& segments, const std::string& folder,
                                      std::size_t segment, vm::EngineKind engine,
                                      const isa::StopTest& stop);

/// Whether states[0] is where the manifest's call of the program begins. As CheckSegment.
isa::Result<std::string> CheckStart(const std::shared_ptr<const isa::Program>& program,
                                    const Segments& segments, const std::string& folder);

}  // namespace txvm::frontends::cli

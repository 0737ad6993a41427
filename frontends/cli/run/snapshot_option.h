// Snapshots on the command line: where a run sets its state aside, and files of them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "frontends/cli/support/arguments.h"
#include "vm/machine.h"
#include "vm/snapshot.h"

namespace txvm::frontends::cli {

/// When and where a session writes a snapshot of its instance.
struct SnapshotOption {
  std::optional<std::uint64_t> at;     // after this many steps of the entry's run
  std::optional<std::uint64_t> every;  // each time so many steps are done; neither: when it stops
  std::string path;                    // never "-"
  bool wanted() const { return at.has_value() || every.has_value() || !path.empty(); }
};

/// Adds --snapshot-at, --snapshot-every and --snapshot. The last refuses "-": results go to
/// standard output.
void AddSnapshotOptions(Arguments& arguments, SnapshotOption& option);

/// Where a snapshot of `program` goes: option.path, or the program's file with .txs after it.
std::string SnapshotPath(const SnapshotOption& option, const std::string& program_path);

/// Looks whether a file can appear at `path`, or be replaced, before a run takes its time. A device
/// or pipe passes as it is. kHost names the file and the reason.
isa::Result<void> CheckSnapshotPlace(const std::string& path);

/// The whole memory and both stacks at their default limits, with room for the blocks' heads.
inline constexpr std::size_t kMaxSnapshotBytes = std::size_t{5} << 30;

/// A snapshot of `machine` with `host` in it. REQUIRES: no invocation runs.
isa::Result<vm::Snapshot> TakeSnapshot(const vm::Machine& machine, std::string_view host);

/// Writes a snapshot of `machine` to a file that appears whole or not at all, and says so in one
/// sentence. `host`: Snapshot::host, the state of WASI's calls. REQUIRES: no invocation runs.
isa::Result<std::string> SaveSnapshot(const vm::Machine& machine, const std::string& path,
                                      std::string_view host);

/// The snapshot of a file.
isa::Result<vm::Snapshot> LoadSnapshot(const std::string& path);

/// "resumed at step 12 on hull, ...": what goes on, and from what.
std::string ResumeSentence(const vm::Snapshot& snapshot, const isa::Program& program,
                           vm::EngineKind engine);

}  // namespace txvm::frontends::cli

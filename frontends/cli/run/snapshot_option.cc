#include "frontends/cli/run/snapshot_option.h"

#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <span>
#include <string_view>

#include "isa/support/file.h"
#include "isa/support/number.h"
#include "isa/support/shown_text.h"
#include "isa/support/text.h"
#include "vm/snapshot_file.h"

namespace txvm::frontends::cli {
namespace {

bool HasOwnHistory(vm::EngineKind engine) {
  return engine == vm::EngineKind::kHull || engine == vm::EngineKind::kTransformer;
}

// Looks at the first bytes of a file before gigabytes of it are read.
isa::Result<void> CheckBeginning(const std::string& path) {
  std::array<char, 64> head{};
  std::error_code error;
  // A pipe can be read once only; what cannot be read, ReadFile says.
  if (path == "-" || std::filesystem::is_fifo(path, error)) return {};
  std::ifstream in(path, std::ios::binary);
  if (!in.is_open()) return {};
  in.read(head.data(), head.size());
  const auto read = static_cast<std::size_t>(in.gcount());
  if (vm::IsSnapshotFile({reinterpret_cast<const std::uint8_t*>(head.data()), read})) return {};
  return std::unexpected(isa::Error{
      isa::ErrorCode::kCorrupt, "snapshot file: it does not begin like one", {path, 0, 0}, {}});
}

}  // namespace

void AddSnapshotOptions(Arguments& arguments, SnapshotOption& option) {
  arguments.Option(
      "--snapshot-at", "STEP", "Write a snapshot after this many steps of the run, and go on",
      [&option](std::string_view text) -> isa::Result<void> {
        TXVM_TRY(option.at, isa::ParseCount("--snapshot-at", text, isa::kUnlimitedFuel));
        return {};
      });
  arguments.Option(
      "--snapshot-every", "STEPS",
      "Write a snapshot each time so many steps are done, over the last",
      [&option](std::string_view text) -> isa::Result<void> {
        TXVM_TRY(option.every, isa::ParseCount("--snapshot-every", text, isa::kUnlimitedFuel));
        if (*option.every != 0) return {};
        return isa::Fail(isa::ErrorCode::kUsage, "--snapshot-every 0 is no number of steps");
      });
  arguments.OutputFile("--snapshot", "Where to; without the two, the state in which the run stops",
                       option.path);
}

std::string SnapshotPath(const SnapshotOption& option, const std::string& program_path) {
  if (!option.path.empty()) return option.path;
  return program_path == "-" ? "snapshot.txs" : program_path + ".txs";
}

isa::Result<void> CheckSnapshotPlace(const std::string& path) {
  namespace fs = std::filesystem;
  std::error_code error;
  const fs::file_status status = fs::status(path, error);
  int reason = 0;
  if (fs::is_directory(status)) {
    reason = EISDIR;
  } else if (!fs::exists(status) || fs::is_regular_file(status)) {
    // The file is made beside its place and renamed: that takes the folder alone.
    const fs::path target = fs::exists(status) ? fs::canonical(path, error) : fs::path(path);
    const fs::path folder = target.parent_path() / ".";
    if (access(folder.c_str(), W_OK | X_OK) != 0) reason = errno;
  }
  if (reason == 0) return {};
  return std::unexpected(
      isa::Error{isa::ErrorCode::kHost,
                 fmt::format("cannot write the snapshot: {}", std::strerror(reason)),
                 {path, 0, 0},
                 {}});
}

isa::Result<vm::Snapshot> TakeSnapshot(const vm::Machine& machine, std::string_view host) {
  TXVM_TRY(vm::Snapshot snapshot, machine.TakeSnapshot());
  snapshot.host.assign(host.begin(), host.end());
  return snapshot;
}

isa::Result<std::string> SaveSnapshot(const vm::Machine& machine, const std::string& path,
                                      std::string_view host) {
  TXVM_TRY(const vm::Snapshot snapshot, TakeSnapshot(machine, host));
  const std::vector<std::uint8_t> bytes = vm::WriteSnapshot(snapshot);
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  TXVM_CHECK_OK(isa::ReplaceFile(path, text));
  return fmt::format("snapshot {} written to {} ({})",
                     snapshot.running ? fmt::format("at step {}", isa::Grouped(snapshot.steps))
                                      : std::string("of the instance at rest"),
                     path, isa::Grouped(bytes.size(), "byte"));
}

isa::Result<vm::Snapshot> LoadSnapshot(const std::string& path) {
  TXVM_CHECK_OK(CheckBeginning(path));
  TXVM_TRY(const std::string bytes, isa::ReadFile(path, kMaxSnapshotBytes));
  isa::Result<vm::Snapshot> snapshot =
      vm::ReadSnapshot({reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size()});
  if (!snapshot) snapshot.error().place.file = isa::DisplayName(path);
  return snapshot;
}

std::string ResumeSentence(const vm::Snapshot& snapshot, const isa::Program& program,
                           vm::EngineKind engine) {
  std::string text = snapshot.running
                         ? fmt::format("resumed at step {}", isa::Grouped(snapshot.steps))
                         : std::string("restored an instance at rest");
  text += fmt::format(" on {}", vm::EngineName(engine));
  if (!HasOwnHistory(engine)) return text;
  return text + fmt::format(": a new history, which begins with the {} of the snapshot",
                            isa::Grouped(vm::SnapshotTokens(snapshot, program), "token"));
}

}  // namespace txvm::frontends::cli

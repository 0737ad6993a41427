// What `txvm run` and `txvm resume` observe of a run, and how they print it.
#pragma once

#include <optional>
#include <string>

#include "frontends/cli/run/report.h"
#include "frontends/cli/run/session.h"
#include "frontends/cli/run/trace_writer.h"
#include "frontends/cli/support/arguments.h"
#include "isa/support/console.h"
#include "vm/machine.h"

namespace txvm::frontends::cli {

/// The options --stats, --json, --trace and --trace-digest.
class RunOutput {
 public:
  void AddOptions(Arguments& arguments);

  bool is_json() const { return json_; }
  /// What to observe of the run. Opens the trace file. The result refers to this object.
  isa::Result<vm::RunOptions> Observe();
  /// Prints the finished run: results or JSON to stdout, the rest to stderr. Returns its exit code;
  /// kHost, after all of that, when the trace or a snapshot could not be written.
  isa::Result<int> Print(const isa::Program& program, const RunSettings& settings,
                         const SessionResult& session, isa::Console& console);

  bool wants_digest() const { return digest_; }

 private:
  isa::Result<void> PrintRun(const RunReport& report, isa::Console& console);

  bool stats_ = false;
  bool json_ = false;
  bool digest_ = false;
  std::string trace_path_;
  std::optional<TraceWriter> writer_;
};

}  // namespace txvm::frontends::cli

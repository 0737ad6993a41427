// One program, loaded and called from the command line: load, run the start function, run the
// entry, all under one fuel and one deadline.
#pragma once

#include <memory>

#include "frontends/cli/run_options.h"
#include "vm/machine.h"

namespace txvm::frontends::cli {

/// How one session went. `result` is the entry's run, or the start function's when that did not
/// halt.
struct SessionResult {
  vm::RunResult result;
  std::uint32_t ip = 0;  // where it stopped
  double seconds = 0;    // wall time of the run that is reported
};

/// Loads `program` on settings.engine, runs its init stub and then the entry. `observe` says what
/// to observe of the entry's run; its fuel is ignored. Host functions are those of
/// host_functions.h. SIGINT and settings.timeout stop it. Errors: those of Machine::Load and Call,
/// kUsage for arguments that are no i32.
isa::Result<SessionResult> RunSession(std::shared_ptr<const isa::Program> program,
                                      const RunSettings& settings, const vm::RunOptions& observe);

}  // namespace txvm::frontends::cli

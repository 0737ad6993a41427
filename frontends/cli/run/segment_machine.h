// One instance that makes or replays segments.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "frontends/cli/run/run_options.h"
#include "frontends/wasi/wasi.h"
#include "isa/program.h"
#include "vm/machine.h"
#include "vm/snapshot.h"

namespace txvm::frontends::cli {

/// A machine, and the state of its WASI calls where its program imports WASI.
struct SegmentMachine {
  vm::Machine machine;
  std::optional<wasi::State> wasi;
  const isa::Export* entry = nullptr;  // nullptr: program.entry
};

/// Loads the program with the host functions of `settings`. Errors: those of Machine::Load.
isa::Result<SegmentMachine> LoadSegmentMachine(const std::shared_ptr<const isa::Program>& program,
                                               const RunSettings& settings);

/// Runs the init stub and _initialize, then begins the entry without a step. A result whose outcome
/// is not kOutOfFuel says that the program ended before its entry.
isa::Result<vm::RunResult> BeginEntry(SegmentMachine& instance, const RunSettings& settings);

/// The file of the state that the instance is in.
isa::Result<std::vector<std::uint8_t>> StateFile(const SegmentMachine& instance);

}  // namespace txvm::frontends::cli

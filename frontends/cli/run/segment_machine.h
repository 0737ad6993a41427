// One instance that makes or replays segments.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "frontends/cli/run/run_options.h"
#include "frontends/cli/run/session.h"
#include "isa/program.h"
#include "vm/machine.h"

namespace txvm::frontends::cli {

/// A machine and the export that its run begins with.
struct SegmentMachine : LoadedMachine {
  const isa::Export* entry = nullptr;  // nullptr: program.entry
};

/// Errors: those of LoadMachine, and kUsage for an entry that is not there.
isa::Result<SegmentMachine> LoadSegmentMachine(const std::shared_ptr<const isa::Program>& program,
                                               const RunSettings& settings);

/// Runs the init stub and _initialize, then begins the entry without a step. A result whose outcome
/// is not kOutOfFuel says that the program ended before its entry.
isa::Result<vm::RunResult> BeginEntry(SegmentMachine& instance, const RunSettings& settings);

/// The file of the state that the instance is in.
isa::Result<std::vector<std::uint8_t>> StateFile(const SegmentMachine& instance);

}  // namespace txvm::frontends::cli

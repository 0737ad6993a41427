// The network that guides `txvm tir optimize`: opening it, and `txvm train optimizer`.
#pragma once

#include <memory>
#include <string>

#include "frontends/cli/support/commands.h"
#include "isa/support/result.h"
#include "neural/triton/superopt/guide.h"

namespace txvm::frontends::cli {

/// "network": the one that comes with txvm; "learned": the one that `txvm tir learn` promoted, or
/// that one again; "none": null; else a file of `txvm train optimizer`. Errors: kIo, and those of
/// ReadNetwork and WeightsStore.
isa::Result<std::unique_ptr<triton::ScheduleGuide>> OpenGuide(const std::string& name);

/// txvm train optimizer.
int TrainOptimizerCommand(const CommandLine& line, isa::Console& console);

}  // namespace txvm::frontends::cli

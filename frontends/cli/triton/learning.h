// The guide that learns from use: `txvm tir optimize --learn`, `txvm tir learn`, `weights`,
// `stats`.
#pragma once

#include <cstdint>
#include <string>

#include "isa/support/console.h"
#include "isa/support/result.h"
#include "neural/triton/superopt/program.h"

namespace txvm::frontends::cli {

/// The folder of experience and weights: "optimizer" in isa::UserFolder. Errors: kHost.
isa::Result<std::string> OptimizerFolder();

/// Adds what an optimization found to the folder, and tells how much on standard error. With
/// `seconds` above 0 a process of its own then trains that long: it outlives this one, and writes
/// what it says to FOLDER/learn.log. Errors: kHost, kCorrupt, kIo.
isa::Result<void> KeepExperience(const triton::OptimizeReport& report, std::uint64_t seconds,
                                 isa::Console& console);

}  // namespace txvm::frontends::cli

// Which export a run begins with, and what to type where none runs by itself.
#pragma once

#include <string>

#include "frontends/cli/run/run_options.h"
#include "isa/program.h"
#include "isa/support/result.h"

namespace txvm::frontends::cli {

/// vm::ChooseEntry of settings.invoke. Where no export runs by itself, the error shows each with
/// its type and a complete command line; of many, the first ones.
isa::Result<const isa::Export*> ChooseEntry(const isa::Program& program,
                                            const RunSettings& settings);

/// "txvm f.wat --invoke add 1 2": a command line that calls `function` with example arguments, and
/// the rules of --import that were given; empty where its name or that of the file is none that a
/// shell takes as it stands.
std::string CommandLineFor(const isa::Export& function, const RunSettings& settings);

/// " --import NAME=WHAT" for each rule that was given, quoted where a shell needs it.
std::string GivenImports(const ImportOptions& imports);

}  // namespace txvm::frontends::cli

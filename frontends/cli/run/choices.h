// Which export a run begins with, and what to type where none runs by itself.
#pragma once

#include <string>
#include <string_view>

#include "frontends/cli/run/run_options.h"
#include "isa/program.h"
#include "isa/support/result.h"

namespace txvm::frontends::cli {

/// vm::ChooseEntry of settings.invoke. Where no export runs by itself, the error shows each with
/// its type and a complete command line; of many, the first ones.
isa::Result<const isa::Export*> ChooseEntry(const isa::Program& program,
                                            const RunSettings& settings);

/// "txvm view f.wat": what settings.command began with, of run, resume and no command "txvm" and
/// `otherwise`. FILE stands for a name that a shell does not take as it stands.
std::string CommandFor(const RunSettings& settings, std::string_view otherwise = {});

/// " -o run.html" where the command has such a file; empty where it has none.
std::string OutputFor(const RunSettings& settings);

/// "txvm f.wat --invoke add 1 2": CommandFor with a call of `function` with example arguments, the
/// rules of --import that were given and OutputFor; empty where its name or that of the file is
/// none that a shell takes as it stands.
std::string CommandLineFor(const isa::Export& function, const RunSettings& settings);

/// " --import NAME=WHAT" for each rule that was given, quoted where a shell needs it.
std::string GivenImports(const ImportOptions& imports);

}  // namespace txvm::frontends::cli

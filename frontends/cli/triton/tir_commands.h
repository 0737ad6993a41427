// The commands of `txvm tir`: a projection of tir_commands.def.
#pragma once

#include "frontends/cli/support/commands.h"

namespace txvm::frontends::cli {

/// Each gets the arguments after its name and returns the exit code. Nothing is thrown.
#define TXVM_TIR_COMMAND(name, Function, summary) \
  int Function(const CommandLine& line, isa::Console& console);
#include "frontends/cli/triton/tir_commands.def"
#undef TXVM_TIR_COMMAND

}  // namespace txvm::frontends::cli

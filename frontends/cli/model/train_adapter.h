// `txvm train adapter`: a pretrained language model learns to read questions.
#pragma once

#include "frontends/cli/support/commands.h"

namespace txvm::frontends::cli {

/// The line begins with "adapter".
int TrainAdapterCommand(const CommandLine& line, isa::Console& console);

}  // namespace txvm::frontends::cli

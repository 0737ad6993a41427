// txvm train questions.
#pragma once

#include "frontends/cli/support/commands.h"

namespace txvm::frontends::cli {

/// Checks the sentences that training questions are made of; the exit code is that of invalid
/// input where there is a fault.
int TrainQuestionsCommand(const CommandLine& line, isa::Console& console);

}  // namespace txvm::frontends::cli

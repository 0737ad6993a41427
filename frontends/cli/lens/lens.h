// What `txvm lens` and `txvm train classifier` share: the model they look at.
#pragma once

#include <string>

#include "frontends/cli/support/commands.h"
#include "isa/support/result.h"
#include "neural/llm/bundle.h"

namespace txvm::frontends::cli {

/// The model at a path, or the one that comes with txvm if it is empty, with an adapter unless that
/// is empty. kInvalid: no tokenizer; errors of OpenBundle, OpenAdapter and ApplyAdapter.
isa::Result<neural::llm::Bundle> OpenLensModel(const std::string& path, const std::string& adapter);

/// `txvm train classifier`. The line begins with "classifier".
int TrainClassifierCommand(const CommandLine& line, isa::Console& console);

}  // namespace txvm::frontends::cli

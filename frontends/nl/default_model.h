// The model that comes with txvm: models/ of the source tree, compiled into the program.
#pragma once

#include "isa/result.h"
#include "neural/llm/bundle.h"

namespace txvm::frontends::nl {

/// Its weights are views of the program's own bytes, converted to float32 as any checkpoint's.
/// Errors: those of BundleFromMemory, for files that were changed by hand before the build.
isa::Result<neural::llm::Bundle> OpenDefaultModel();

}  // namespace txvm::frontends::nl

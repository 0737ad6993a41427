// From a loaded program to its handle.
#pragma once

#include <memory>
#include <vector>

#include "vm/capi/handles.h"

namespace txvm::vm::capi {

/// Verifies, and wraps into a handle of the engine. Errors: Verify's.
isa::Result<txvm_program*> NewProgram(const txvm_engine& engine, isa::Program program,
                                      std::vector<NamedGlobal> globals);

}  // namespace txvm::vm::capi

// Inside of exceptions.cc: one function body without instructions on exceptions.
#pragma once

#include <cstddef>

#include "frontends/wasm/exception_calls.h"
#include "frontends/wasm/exception_values.h"
#include "frontends/wasm/module.h"

namespace txvm::frontends::wat {

/// Whether LowerExceptionBody has anything to do.
bool NeedsExceptionBody(const Function& function, const Throwers& throwers);

/// Makes branches of what the body does with exceptions, and checks what its calls throw. The types
/// of its module are `values`' already. False, with a body that means nothing, when it would have
/// more than about `most` instructions. No recursion; cost O(body + handlers * values of tags).
bool LowerExceptionBody(Function& function, const Throwers& throwers, ExceptionValues& values,
                        const Module& module, std::size_t most);

}  // namespace txvm::frontends::wat

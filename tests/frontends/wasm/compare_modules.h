// Two readers' forms of one module.
#pragma once

#include <string>

#include "frontends/wasm/module.h"

namespace txvm::tests {

/// The first difference between a module as the own reader and as WABT's path have it; empty when
/// there is none. Left out: the place of a function's last `end`, and the names that WABT gives
/// vector instructions of several kinds.
std::string Difference(const frontends::wat::Module& own, const frontends::wat::Module& wabt);

}  // namespace txvm::tests

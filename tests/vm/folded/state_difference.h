// What one machine shows that another does not.
#pragma once

#include <string>

#include "vm/machine.h"

namespace txvm::vm {

/// The first difference in steps, ip, stack, backtrace, globals and memory from the native
/// engine's; empty: none.
std::string StatesDiffer(const Machine& machine, const Machine& native);

/// The same for outcome, results and trap.
std::string ResultsDiffer(const RunResult& result, const RunResult& native);

}  // namespace txvm::vm

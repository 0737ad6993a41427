// Whether a program fits what a run may use.
#pragma once

#include "isa/limits.h"
#include "isa/program.h"
#include "isa/support/result.h"

namespace txvm::isa {

/// kLimit, naming both and the limit, when the globals and the largest frame exceed max_locals.
/// O(functions).
Result<void> CheckLocals(const Program& program, const Limits& limits);

}  // namespace txvm::isa

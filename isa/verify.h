// The validator: what it accepts, every engine runs without per-instruction checks.
#pragma once

#include <cstdint>
#include <vector>

#include "isa/program.h"

namespace txvm::isa {

/// What Verify learned about an accepted program.
struct Verified {
  std::vector<std::uint32_t> max_height;  // (functions,) operand slots a function reaches above its
                                          // caller's, params included
};

/// Checks every rule of isa.md "Validation". The error names the rule, the value, the limit, the
/// instruction index and, where known, the function and source line. Deterministic: the first fault
/// in the order tables, instruction ranges, paths. Cost O(code + functions), no recursion.
Result<Verified> Verify(const Program& program);

/// Only the rules about tables: what must hold for functions, exports and starts to be looked up.
/// Cost O(functions + exports + marks).
Result<void> VerifyTables(const Program& program);

}  // namespace txvm::isa

// The validator: what it accepts, every engine runs without per-instruction checks.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "isa/program.h"

namespace txvm::isa {

/// What Verify learned about an accepted program.
struct Verified {
  std::vector<std::uint32_t> max_height;  // (functions,) operand slots a function reaches above its
                                          // caller's, params included
};

/// kInvalid about a whole program: its source, no line.
std::unexpected<Error> Invalid(const Program& program, std::string message);

/// Checks tables, instructions and paths. The error names the rule, the value, the limit, the
/// instruction and its function; its place is source and line where known. Deterministic: the first
/// fault in the order tables, instruction ranges, paths. Cost O(code + functions), no recursion.
Result<Verified> Verify(const Program& program);

/// What the paths of an accepted program say about each instruction: what a machine state that was
/// not made by running must agree with.
struct PathFacts {
  static constexpr std::uint32_t kUnreached = 0xFFFFFFFF;
  /// (n,) operand slots above the caller's before it, params included; kUnreached: no path gets
  /// there.
  std::vector<std::uint32_t> height;
  /// (n,) only the PUSH in front of it leads to it: the top before it is that PUSH's arg.
  std::vector<bool> after_push;
};

/// The facts of a program; errors are Verify's. Cost O(code + functions).
Result<PathFacts> AnalyzePaths(const Program& program);

/// Only the rules about tables: what must hold for functions, exports and starts to be looked up.
/// Cost O(functions + exports + marks).
Result<void> VerifyTables(const Program& program);

}  // namespace txvm::isa

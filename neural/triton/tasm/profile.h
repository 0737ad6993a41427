// The six-table view of a program, as Trident's scorer has it: a static count of weights.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "isa/support/result.h"
#include "neural/triton/tasm/machine.h"
#include "neural/triton/tasm/program.h"

namespace txvm::triton {

/// Names of the six tables of Seed6, in its order.
inline constexpr std::array<std::string_view, kSeedTables> kSeedTableNames = {
    "processor", "hash", "u32", "op_stack", "ram", "jump_stack"};

/// The six-table weights of every instruction once, whatever the control flow.
Seed6 StaticSeed6(const TasmProgram& program);

/// Trident's cost profile of a text.
struct TableProfile {
  Seed6 heights{};
  /// The highest table rounded up to a power of two; 1 when all are 0.
  std::uint64_t Padded() const;
};

/// Trident's scorer: sums the weights of the first word of every line, whatever the control flow.
/// Blank lines, `//` comments and `label:` lines count nothing, unknown words one processor row.
TableProfile ProfileTasm(std::span<const std::string> lines);

/// The lines of a text, split at '\n'.
std::vector<std::string> SplitLines(std::string_view text);

}  // namespace txvm::triton

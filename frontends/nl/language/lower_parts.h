// The two lowerings that Lower chooses from.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "frontends/nl/language/lower.h"
#include "frontends/nl/language/runtime.h"
#include "frontends/nl/language/word_values.h"

namespace txvm::frontends::nl {

/// A narrow program and the tokens of the ranges that are its loops, in their order.
struct NarrowParts {
  ModuleParts parts;
  std::vector<std::uint32_t> loops;
};

/// Words on the operand stack. REQUIRES: values.narrow().
NarrowParts LowerNarrow(const Ast& ast, std::span<const Rational> numbers, const WordValues& values,
                        const LowerOptions& options);

/// Fractions in memory: every node has a place of its own. The result has result_at.
ModuleParts LowerWide(const Ast& ast, std::span<const Rational> numbers,
                      const LowerOptions& options);

}  // namespace txvm::frontends::nl

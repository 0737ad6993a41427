// The two lowerings behind Lower.
#pragma once

#include <span>

#include "frontends/nl/lower.h"
#include "frontends/nl/ranges.h"
#include "frontends/nl/runtime.h"

namespace txvm::frontends::nl {

/// Words on the operand stack. REQUIRES: ranges.narrow().
ModuleParts LowerNarrow(const Ast& ast, std::span<const Rational> numbers, const Ranges& ranges,
                        const LowerOptions& options);

/// A wide program and where its answer will be.
struct WideParts {
  ModuleParts parts;
  std::uint32_t result_at = 0;
};

/// Fractions in memory: every node has a place of its own.
WideParts LowerWide(const Ast& ast, std::span<const Rational> numbers, const LowerOptions& options);

}  // namespace txvm::frontends::nl

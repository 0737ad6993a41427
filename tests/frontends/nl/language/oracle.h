// Canonical programs evaluated with Boost.Multiprecision: an independent statement of what each
// means.
#pragma once

#include <span>
#include <string>

#include "frontends/nl/language/ast.h"
#include "frontends/nl/language/evaluate.h"
#include "frontends/nl/numbers/number.h"

namespace txvm::frontends::nl {

/// What a program's answer is.
struct Expected {
  std::string value;                         // lowest terms; empty when refused
  RefusalKind refusal = RefusalKind::kNone;  // the first, from left to right
  bool has_long_range = false;               // a run may take more than `long_range` terms
};

/// `long_range`: ranges with more terms are marked, and summed in closed form.
Expected EvaluateExactly(const Ast& ast, std::span<const Rational> numbers,
                         std::uint64_t long_range);

}  // namespace txvm::frontends::nl

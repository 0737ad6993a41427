// Products that are written without a sign: 2(3 + 4), (2 + 3)(4 + 5), (3 + 4)2.
#pragma once

#include <cstddef>
#include <vector>

#include "frontends/nl/numbers/lexer.h"

namespace txvm::frontends::nl {

/// Where in lexed.text a "*" is meant: between a number or a closing parenthesis and an opening one
/// directly after it, and between a closing one and a number directly after it. Only parentheses
/// with numbers and signs alone count: "5(five)" and "(x + 2)(x - 3)" are none. Rising; cost
/// O(text).
std::vector<std::size_t> ImpliedProducts(const Lexed& lexed);

}  // namespace txvm::frontends::nl

// Damage that knows the tokens of the text format.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "tests/support/random.h"

namespace txvm::tests {

/// A text like `seed` but for one to three faults: tokens left out, doubled, exchanged, put in or
/// taken from `other`, numbers changed, parentheses moved, letters of a token changed, the end cut
/// off. Most results have tokens that all mean something.
std::string MutateText(std::string_view seed, std::string_view other, support::Random& random);

}  // namespace txvm::tests

// Random functions of C with setjmp and longjmp, for comparison with another compiler.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "tests/support/random.h"

namespace txvm::tests {

/// What a source with RandomJumpFunction needs after the prelude of RandomFloatC: among others
/// `toss(uint64_t)`, which jumps to the innermost place, or does nothing, by its argument.
extern const std::string_view kJumpPrelude;

/// `static uint64_t NAME(double d, uint64_t n)`, which catches what its own code and `callees`
/// toss. These are expressions of type double with `double w` and `uint64_t v`. Variables that C
/// leaves undefined after a jump are not read.
std::string RandomJumpFunction(support::Random& random, std::string_view name,
                               const std::vector<std::string>& callees);

}  // namespace txvm::tests

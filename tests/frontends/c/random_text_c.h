// Random functions of C on texts, for comparison with another compiler and its library.
#pragma once

#include <string>
#include <string_view>

#include "tests/support/random.h"

namespace txvm::tests {

/// What a source with RandomTextFunction needs after the prelude of RandomFloatC.
extern const std::string_view kTextPrelude;

/// `static uint64_t NAME(double d, uint64_t n)`: the str and mem functions, snprintf, sscanf,
/// strtod, strtoll, qsort and bsearch on texts of at most 100 bytes, without undefined behaviour
/// and without what C leaves to the library, such as the size of strcmp's result.
std::string RandomTextFunction(support::Random& random, std::string_view name);

}  // namespace txvm::tests

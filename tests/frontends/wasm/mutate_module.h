// Damage that knows the binary format: sizes stay right where that lets more of a module be read.
#pragma once

#include <cstdint>
#include <vector>

#include "tests/support/random.h"

namespace txvm::tests {

/// A module like `seed` but for one to four faults: bytes changed, added or taken away, numbers
/// written longer, sections moved, doubled or left out, code of other functions, the end cut off.
/// In most cases the sizes of sections and bodies are made to fit.
std::vector<std::uint8_t> MutateModule(const std::vector<std::uint8_t>& seed,
                                       support::Random& random);

}  // namespace txvm::tests

// What every function of neural/triton/corpus computes, in C++.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "neural/triton/tir/world.h"

namespace txvm::triton {

/// The output of the function that a corpus file names in its `// reference:` line, e.g. "rotr 7",
/// on an input. nullopt for a name that is not known.
std::optional<std::vector<std::uint64_t>> CorpusReference(std::string_view reference,
                                                          const TirInputs& inputs);

}  // namespace txvm::triton

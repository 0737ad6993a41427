// Search for an input on which two subjects differ: random, boundary and solved inputs, run
// concretely. Internal to equivalence.
#pragma once

#include <optional>
#include <vector>

#include "neural/triton/prove/equivalence.h"
#include "neural/triton/prove/terms.h"
#include "neural/triton/prove/world.h"

namespace txvm::triton {

/// A condition that an input shall meet, or break.
struct Wish {
  Condition condition;
  bool met = true;
};

/// What proof attempts learned that helps to find a counterexample.
struct SearchHints {
  std::vector<std::vector<Wish>> wishes;       // each a way to make the subjects differ
  std::array<std::size_t, 3> least_streams{};  // words of input, secret, digests the sides take
  std::array<std::size_t, 3> most_streams{};
  std::size_t least_depth = 0;  // words above 16 that keep both sides from being too shallow
  std::size_t most_depth = 0;
};

struct SearchResult {
  std::optional<Counterexample> counterexample;
  std::uint64_t trials = 0;
};

/// Runs both subjects on up to options.trials inputs within options.milliseconds; a difference is
/// confirmed with the TASM machine before it counts.
SearchResult FindCounterexample(const Subject& first, const Subject& second, TermTable& table,
                                const SearchHints& hints, const VerifyOptions& options);

}  // namespace txvm::triton

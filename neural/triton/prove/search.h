// Search for an input on which two subjects differ: random, boundary and solved inputs, run
// concretely. Internal to prove.
#pragma once

#include <optional>
#include <vector>

#include "neural/triton/prove/equivalence.h"
#include "neural/triton/prove/terms.h"
#include "neural/triton/prove/world.h"

namespace txvm::triton {

/// A condition that an input should meet or, where `met` is false, break.
struct Wish {
  Condition condition;
  bool met = true;
};

/// What a proof that failed learned: where to look for a counterexample.
struct SearchHints {
  std::vector<std::vector<Wish>> wishes;  // each a way to make the subjects differ
  std::array<std::size_t, 3>
      least_streams{};  // words of input, secret and digests that the sides take
  std::array<std::size_t, 3> most_streams{};
  std::size_t least_depth = 0;  // words above 16 that keep both sides from being too shallow
  std::size_t most_depth = 0;
};

/// A counterexample, if the search found one, and the number of inputs that it ran.
struct SearchResult {
  std::optional<Counterexample> counterexample;
  std::uint64_t trials = 0;
};

/// Runs both subjects on up to options.trials inputs within options.milliseconds; a difference is
/// confirmed with the TASM machine before it counts.
SearchResult FindCounterexample(const Subject& first, const Subject& second, TermTable& table,
                                const SearchHints& hints, const VerifyOptions& options);

}  // namespace txvm::triton

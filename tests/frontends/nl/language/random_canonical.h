// Random canonical programs, made by the grammar itself: every construct, from one seed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "frontends/nl/language/grammar.h"
#include "frontends/nl/numbers/number.h"
#include "isa/support/random.h"

namespace txvm::frontends::nl {

using Rng = isa::Random;

/// A token of a set, words and signs weighted against slots and literals. REQUIRES: allowed.any().
Token Pick(const TokenSet& allowed, Rng& rng);

/// A whole program, kEnd included.
std::vector<Token> RandomTokens(const GrammarOptions& options, Rng& rng);

/// Numbers for its slots: mostly small, some fractions, negatives, and some near 32 and 256 bits.
std::vector<Rational> RandomNumbers(std::size_t count, Rng& rng);

}  // namespace txvm::frontends::nl

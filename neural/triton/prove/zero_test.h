// Tests of a term for 0 in a canonical form. Internal to prove.
#pragma once

#include <optional>

#include "neural/triton/prove/terms.h"

namespace txvm::triton {

/// A term is not 0 exactly when (key is not 0) != negated; a constant answers by itself.
struct ZeroTest {
  std::optional<bool> constant;  // whether it is not 0
  Term key = 0;                  // monic
  bool negated = false;
};

/// The test of a term. Squares and inverses are left out, c + k * b for a word b that is 0 or 1
/// becomes a test of b.
ZeroTest NormalizeTest(TermTable& table, Term term);

/// 1 where the term is 0, else 0. Products of atoms become a term of their factors.
Term IsZeroTerm(TermTable& table, Term term);

}  // namespace txvm::triton

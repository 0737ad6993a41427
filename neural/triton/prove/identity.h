// Polynomial identity testing: terms as values at random points of the cubic extension field.
// Internal to equivalence.
#pragma once

#include <array>
#include <cstdint>
#include <unordered_map>

#include "neural/triton/prove/compare.h"
#include "neural/triton/prove/terms.h"
#include "vm/tensor/goldilocks_ext.h"

namespace txvm::triton {

/// Evaluates terms at two points of F_p^3. Inputs have values drawn from the seed; other atoms have
/// values drawn from the values of their arguments, so that equal arguments give equal atoms;
/// products that were too large to write out are multiplied.
class Fingerprints {
 public:
  using Print = std::array<vm::goldilocks::Cubic, 2>;

  Fingerprints(const TermTable& table, std::uint64_t seed) : table_(table), seed_(seed) {}

  Print Of(Term term);
  /// The print of the term up to a factor of the base field.
  Print MonicOf(Term term);
  /// Largest total degree in atoms of the terms seen.
  double degree() const { return degree_; }

 private:
  struct Value {
    Print print;
    double degree = 0;
  };
  const Value& ValueOf(Term term);
  Value ValueOfAtom(Atom atom);

  const TermTable& table_;
  std::uint64_t seed_;
  double degree_ = 0;
  std::unordered_map<Term, Value> values_;
};

/// Whether two runs of one path agree at the points. `error_bits` becomes the least b so that runs
/// that differ as polynomials agree with probability at most 2^-b: two points, degree d, n
/// comparisons give 2 (log2 p^3 - log2 d) - log2 n. Atoms count as independent unknowns, their
/// hashed values as random.
struct IdentityResult {
  bool same = false;
  double error_bits = 0;
};
IdentityResult TestIdentity(const SideRun& a, const SideRun& b, const Compared& compared,
                            const TermTable& table, std::uint64_t seed);

}  // namespace txvm::triton

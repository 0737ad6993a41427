// Polynomial identity testing: terms as values at random points of the cubic extension field.
// Internal to prove.
#pragma once

#include <array>
#include <cstdint>
#include <unordered_map>

#include "neural/triton/prove/compare.h"
#include "neural/triton/prove/terms.h"
#include "vm/tensor/goldilocks_ext.h"

namespace txvm::triton {

/// Evaluates terms at two points of F_p^3. The values of inputs are drawn from the seed. Those of
/// other atoms are drawn from the values of their arguments, so that equal arguments give equal
/// atoms. Products that were too large to write out are multiplied.
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

/// The result of a test. Runs that differ as polynomials agree with a
/// probability of at most 2^-error_bits. Two points, degree d and n comparisons give
/// 2 (log2 p^3 - log2 d) - log2 n bits. Atoms count as independent unknowns, their hashed values as
/// random.
struct IdentityResult {
  bool same = false;
  double error_bits = 0;
};

/// Whether two runs of one path agree at two points that `seed` chooses.
IdentityResult TestIdentity(const SideRun& a, const SideRun& b, const Compared& compared,
                            const TermTable& table, std::uint64_t seed);

}  // namespace txvm::triton

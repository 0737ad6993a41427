// Terms of symbolic execution: sparse polynomials over the Goldilocks field in atoms, hash-consed,
// so that two words that are equal as polynomials have the same id.
//
// NOTATION  atom = an unknown (an input) or an operation the field cannot express (inverse, and,
// hash).
//           monomial = a product of atom powers.  Term = the id of a polynomial.
// FACTS     (1) equal ids => equal values for every assignment of the inputs under which all
//               operations are defined.  The converse does not hold: atoms may be related.
//           (2) a u32 split is hi = SplitHi(t), lo = t - 2^32 hi; a remainder is n - d *
//           Quotient(n, d).
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "vm/tensor/goldilocks.h"

namespace txvm::triton {

/// Ids in a TermTable. Term 0 is the constant 0.
using Term = std::uint32_t;
using Atom = std::uint32_t;

/// What an atom is. Arguments are terms; `index` tells words of one result apart.
enum class AtomKind : std::uint8_t {
  kStack,       // index: word of the initial stack, 0 = top
  kInput,       // index: position in the public input
  kSecret,      // index: position in the secret input
  kDigest,      // index: 5 * position in the secret digests + word
  kOwnDigest,   // index: 5 * side + word of the program's own digest
  kMemory,      // (memory, address): a word of a memory that cannot be told apart further
  kInverse,     // (t), t != 0
  kIsZero,      // (t): 1 if t = 0, else 0
  kLess,        // (a, b)
  kAnd,         // (a, b), a <= b as ids
  kPopCount,    // (a)
  kLog2,        // (a)
  kPower,       // (base, exponent)
  kSplitHigh,   // (t)
  kQuotient,    // (n, d)
  kHash,        // (10 words), index: word of the digest
  kMerkle,      // (index, node, sibling), index: word of the parent
  kExtInverse,  // (3 words), index: coefficient
  kSponge,    // (sponge, 10 words): the state after an absorb; () index 0: after sponge_init, index
              // 1: initial
  kSqueezed,  // (sponge): the state after a squeeze
  kSqueeze,   // (sponge), index: word
  kProduct,   // (a, b): a product with too many monomials or too high a power to write out
};

/// An atom: its kind, and the kind's index and arguments.
struct AtomInfo {
  AtomKind kind;
  std::uint32_t index;
  std::vector<Term> arguments;
  bool operator==(const AtomInfo&) const = default;
};

/// coefficient * monomial; monomial 0 is the constant 1.
struct Summand {
  std::uint32_t monomial;
  std::uint64_t coefficient;  // not 0
  bool operator==(const Summand&) const = default;
};

/// A store of terms. Not thread-safe. Grows only; drop it after a verification.
class TermTable {
 public:
  TermTable();

  Term Const(std::uint64_t value);
  Term Add(Term a, Term b) { return Combine(a, b, 1); }
  Term Sub(Term a, Term b) { return Combine(a, b, vm::goldilocks::kPrime - 1); }
  Term Scale(Term a, std::uint64_t factor);
  Term Mul(Term a, Term b);
  /// 1/a for a that is not 0.
  Term Inverse(Term a);
  Term FromAtom(AtomKind kind, std::vector<Term> arguments, std::uint32_t index = 0);

  std::optional<std::uint64_t> AsConst(Term a) const;
  /// The atom when the term is 1 * atom.
  std::optional<Atom> AsAtom(Term a) const;
  const std::vector<Summand>& Summands(Term a) const { return terms_[a]; }
  const AtomInfo& Info(Atom atom) const { return atoms_[atom]; }
  /// All atoms, in the order they were made.
  const std::vector<AtomInfo>& atoms() const { return atoms_; }
  /// (atom, exponent) pairs of a monomial, atoms ascending.
  const std::vector<std::pair<Atom, std::uint32_t>>& Factors(std::uint32_t monomial) const {
    return monomials_[monomial];
  }
  /// The multiple of the term whose first coefficient is 1; 0 stays 0.
  Term Monic(Term a);
  /// True when the term is below 2^32 whenever it is defined.
  bool IsU32(Term a);
  /// The same for bounds of the atoms alone, which hold whatever their arguments are.
  bool IsSmall(Term a) const { return IsInRange(a); }
  /// a / b where that leaves no rest; nullopt where it does, or takes more than a few summands.
  /// REQUIRES b != 0.
  std::optional<Term> Divide(Term a, Term b);
  /// A term whose square is a multiple of a by a constant; nullopt where there is none, or it has
  /// more than a few summands.
  std::optional<Term> SquareRoot(Term a);
  /// True when some atom in the term, at any depth, is the inverse of something.
  bool HasInverse(Term a) const;
  /// True when the term is `atom`, or holds it at any depth.
  bool Contains(Term a, Atom atom) const;
  std::size_t size() const { return terms_.size(); }
  /// What a verification has cost so far, in units of memory and time: a summand kept is 4.
  std::uint64_t work() const { return work_; }
  /// The deepest nesting of atoms in atoms: how deep a recursive walk over terms goes. A store over
  /// another store counts no deeper.
  std::uint32_t depth() const { return depth_; }
  /// Adds work done outside of the table to work().
  void Charge(std::uint64_t work) { work_ += work; }

 private:
  using Monomial = std::vector<std::pair<Atom, std::uint32_t>>;
  template <class T>
  struct VectorHash {
    std::size_t operator()(const std::vector<T>& values) const;
  };
  struct AtomHash {
    std::size_t operator()(const AtomInfo& atom) const;
  };

  std::size_t Lead(Term a) const;
  bool IsBelow(std::uint32_t a, std::uint32_t b) const;
  std::optional<std::uint32_t> DivideMonomials(std::uint32_t a, std::uint32_t b);
  Term Rewrite(Term a);
  std::optional<Term> RewriteSummand(const Summand& summand);
  template <class Found>
  bool AnyAtom(Term a, const Found& found) const;
  Term Intern(std::vector<Summand> summands);
  std::uint32_t InternMonomial(Monomial monomial);
  std::uint32_t MulMonomials(std::uint32_t a, std::uint32_t b);
  Atom InternAtom(AtomInfo info);
  std::uint32_t DepthOf(const AtomInfo& atom) const;
  Term AtomTerm(Atom atom, std::uint32_t exponent = 1);
  std::uint32_t LargestExponent(Term a) const;
  Term Power(Term a, std::uint32_t exponent);
  Term Combine(Term a, Term b, std::uint64_t factor);
  std::optional<std::uint64_t> Most(Atom atom) const;
  bool IsInRange(Term a) const;
  bool MatchesPattern(Term a, Atom atom);
  bool IsBitField(Term a);

  std::uint64_t work_ = 0;
  std::uint32_t depth_ = 0;
  std::uint32_t rewrites_ = 0;  // nesting of Rewrite
  bool has_rewritten_ = false;  // some atom is one that Rewrite looks for
  std::vector<std::vector<Summand>> terms_;
  std::vector<std::uint32_t> term_depths_, monomial_depths_, atom_depths_;  // of the deepest atom
  std::unordered_map<std::vector<Summand>, Term, VectorHash<Summand>> term_ids_;
  std::vector<Monomial> monomials_;
  std::unordered_map<Monomial, std::uint32_t, VectorHash<std::pair<Atom, std::uint32_t>>>
      monomial_ids_;
  std::vector<AtomInfo> atoms_;
  std::unordered_map<AtomInfo, Atom, AtomHash> atom_ids_;
};

}  // namespace txvm::triton

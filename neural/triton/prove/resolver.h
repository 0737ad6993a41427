// Terms under facts: what is known to be 0 or not makes words equal that differ as terms.
// Internal to prove.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <unordered_map>
#include <utility>
#include <vector>

#include "neural/triton/prove/terms.h"
#include "neural/triton/prove/world.h"

namespace txvm::triton {

/// Rewrites terms by facts. Every rewrite keeps the value of a term where the facts hold and the
/// operations in it are defined. Facts and terms without inverses keep it wherever the facts hold:
/// read as total functions, the operations on u32 words take what is left of them mod 2^32.
/// REQUIRES: the table outlives it.
class Resolver {
 public:
  /// `total`: facts that hold an inverse at any depth are not used.
  Resolver(TermTable& table, bool total) : table_(table), total_(total) {}

  /// Adds that a term is 0 or not.
  void Assume(Term term, bool non_zero);
  /// Adds a condition as a fact.
  void Assume(const Condition& condition);
  /// Draws conclusions. False when the facts contradict each other.
  bool Settle();

  /// The term as the facts make it. Equal results mean equal words.
  Term Of(Term term);
  /// Whether the term is known not to be 0, or known to be 0.
  std::optional<bool> IsNonZero(Term term);
  /// Whether the facts imply the condition.
  bool Implies(const Condition& condition);
  /// Stores as the facts make them, in a canonical order.
  std::vector<std::pair<Term, Term>> StoresOf(const std::vector<std::pair<Term, Term>>& stores);
  /// Terms whose being 0 would decide something inside of `term`: each monic and open.
  void Candidates(Term term, std::set<Term>& open);
  /// The same for the order of stores.
  void Candidates(const std::vector<std::pair<Term, Term>>& stores, std::set<Term>& open);

 private:
  using Stores = std::vector<std::pair<Term, Term>>;

  Term OfAtom(Atom atom);
  Term Rebuild(const AtomInfo& info);
  Term Fresh(AtomKind kind, std::vector<Term> arguments, std::uint32_t index);
  Term Load(Stores stores, Term address);
  void Store(Stores& stores, Term address, Term value);
  Stores Unfold(Term memory);
  Term Fold(const Stores& stores);
  bool Substitute(Term zero);
  Term Divided(Term zero);
  void Open(Term term, std::set<Term>& open);

  TermTable& table_;
  bool total_;
  std::vector<std::pair<Term, bool>> facts_;
  std::map<Atom, Term> values_;    // of atoms that a fact gives
  std::map<Term, bool> known_;     // of monic terms
  std::set<Term> u32_;             // terms that are below 2^32
  std::vector<Condition> others_;  // conditions that are no facts about 0
  std::unordered_map<Term, Term> memo_;
};

}  // namespace txvm::triton

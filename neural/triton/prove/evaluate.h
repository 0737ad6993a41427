// Values of terms under an assignment of the inputs, and small equations solved for an input.
// Internal to search.cc.
#pragma once

#include <cstdint>
#include <set>
#include <unordered_map>
#include <vector>

#include "neural/triton/field/random_words.h"
#include "neural/triton/prove/search.h"
#include "neural/triton/prove/terms.h"

namespace txvm::triton {

/// An input without a value gets one from `rng`, with a bias to `pool`. Undefined operations have
/// some value: the result is a guess, which a run then judges.
class TermEvaluator {
 public:
  TermEvaluator(TermTable& table, TirRng& rng, const std::vector<std::uint64_t>& pool)
      : table_(table), rng_(rng), pool_(pool) {}

  std::uint64_t Evaluate(Term term);
  /// The value of an input atom.
  std::uint64_t Input(AtomKind kind, std::uint32_t index);
  /// Changes inputs until the wish holds, if it can.
  void Fulfil(const Wish& wish);
  /// A random value, as an input without one gets it.
  std::uint64_t Random();
  /// Initial RAM that the evaluated terms read.
  const std::unordered_map<std::uint64_t, std::uint64_t>& ram() const { return ram_; }

 private:
  std::uint64_t Value(Atom atom);
  std::uint64_t Compute(const AtomInfo& info);
  std::uint64_t Memory(Term memory, std::uint64_t address);
  bool Solve(Term term, std::uint64_t target);
  void Inputs(Term term, std::set<Atom>& inputs, std::set<Term>& seen) const;
  void Assign(Atom atom, std::uint64_t value);
  bool Holds(const Condition& condition);

  TermTable& table_;
  TirRng& rng_;
  const std::vector<std::uint64_t>& pool_;
  std::unordered_map<Atom, std::uint64_t> assigned_;
  std::unordered_map<Atom, std::uint64_t> computed_;
  std::unordered_map<std::uint64_t, std::uint64_t> ram_;
  std::set<Atom> fixed_;  // inputs that a wish already set
};

}  // namespace txvm::triton

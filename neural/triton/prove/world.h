// The symbolic domain of the stack machine: terms, and everything a run does besides its stack.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "neural/triton/field/stack_step.h"
#include "neural/triton/prove/terms.h"

namespace txvm::triton {

/// A condition without which a run crashes.
struct Condition {
  enum class Kind : std::uint8_t {
    kU32,          // (a) a < 2^32
    kZero,         // (a) a = 0
    kNonZero,      // (a) a != 0
    kExtNonZero,   // (a, b, c) not all 0
    kSpongeReady,  // sponge_init came before
  };
  Kind kind;
  std::array<Term, 3> terms{};
  auto operator<=>(const Condition&) const = default;
};

/// Decisions of one path: which terms are known to be 0 or not, and a script for the others.
class PathOracle {
 public:
  /// Forgets what the last path learned; the next path takes the other way at the last decision
  /// that has one. False when all paths are done.
  bool NextPath();

  /// Whether `term` is not 0 on this path. Decides it when it is open. REQUIRES a monic, not
  /// constant term.
  bool IsNonZero(Term term);
  /// The same where it is known already; decides nothing.
  std::optional<bool> Known(Term term) const;
  const std::map<Term, bool>& facts() const { return known_; }
  std::size_t decisions() const { return script_.size(); }
  /// True when a path asked for another decision than the path that it follows: then some paths
  /// may be missing. Never expected.
  bool broken() const { return broken_; }
  /// Adds a fact that holds on this path. REQUIRES as IsNonZero, and that it is not known.
  void Assume(Term term, bool non_zero) { known_[term] = non_zero; }

 private:
  std::map<Term, bool> known_;
  std::vector<bool> script_;  // false first
  std::vector<Term> asked_;   // by entry of the script
  std::size_t next_ = 0;
  bool broken_ = false;
};

/// The domain of proving: values are terms. REQUIRES: table and oracle outlive it.
class SymbolicWorld {
 public:
  using Value = Term;

  /// Of TermTable::work. A run that needs more is not decided.
  static constexpr std::uint64_t kMostWork = 10'000'000;
  /// Of the nesting of atoms in terms: terms are evaluated by recursion.
  static constexpr std::uint32_t kMostDepth = 2'000;

  /// `fragment`: the sponge may have been initialised before.
  SymbolicWorld(TermTable& table, PathOracle& oracle, bool fragment)
      : table_(table), oracle_(oracle), fragment_(fragment) {}

  Value Const(std::uint64_t value) { return table_.Const(value); }
  /// These fail with kOutOfMemory when the table has done kMostWork: the run is then not decided.
  Value Add(Value a, Value b) { return HasWorkLeft() ? table_.Add(a, b) : a; }
  Value Sub(Value a, Value b) { return HasWorkLeft() ? table_.Sub(a, b) : a; }
  Value Mul(Value a, Value b) { return HasWorkLeft() ? table_.Mul(a, b) : a; }
  Value Neg(Value a) { return Sub(0, a); }
  Value Invert(Value a);
  Value IsEqual(Value a, Value b);
  Value LessThan(Value a, Value b);
  Value BitAnd(Value a, Value b);
  Value PopCount(Value a);
  Value Log2(Value a);
  Value Power(Value base, Value exponent);
  std::pair<Value, Value> DivMod(Value n, Value d);
  std::pair<Value, Value> Split(Value a);
  std::array<Value, 3> ExtInvert(const std::array<Value, 3>& x);
  std::array<Value, 5> HashTen(const std::array<Value, 10>& words);
  std::pair<Value, std::array<Value, 5>> MerkleParent(Value index, const std::array<Value, 5>& node,
                                                      const std::array<Value, 5>& sibling);
  void RequireEqual(Value a, Value b, Fault fault);
  bool Choose(Value condition);

  Value Load(Value address);
  void Store(Value address, Value value);
  Value Read() { return table_.FromAtom(AtomKind::kInput, {}, inputs_++); }
  Value Divine() { return table_.FromAtom(AtomKind::kSecret, {}, secrets_++); }
  std::array<Value, 5> Digest();
  void Write(Value value) { output_.push_back(value); }
  void SpongeInit() { sponge_ = table_.FromAtom(AtomKind::kSponge, {}, 0); }
  void SpongeAbsorb(const std::array<Value, 10>& words);
  std::array<Value, 10> SpongeSqueeze();

  void Fail(Fault fault) {
    if (fault_ == Fault::kNone) fault_ = fault;
  }
  bool failed() const { return fault_ != Fault::kNone; }
  Fault fault() const { return fault_; }
  /// True when the run hit a limit of this domain, which says nothing about the program.
  bool undecided() const { return fault_ == Fault::kOutOfMemory; }

  TermTable& table() { return table_; }
  const std::vector<Value>& output() const { return output_; }
  /// Words taken from the input, the secret input and the secret digests.
  std::array<std::uint32_t, 3> Consumed() const { return {inputs_, secrets_, digests_}; }
  /// Stores that are still visible, in canonical order.
  const std::vector<std::pair<Value, Value>>& stores() const { return stores_; }
  /// The sponge after the run; nullopt when it was not touched.
  std::optional<Value> sponge() const { return sponge_; }
  /// True when the run crashes for every input of its path.
  bool Crashes() const;
  /// The conditions without which the run crashes, less those that the path implies.
  std::set<Condition> Conditions() const;

 private:
  bool HasWorkLeft() {
    const bool left = table_.work() <= kMostWork && table_.depth() <= kMostDepth;
    if (!left) Fail(Fault::kOutOfMemory);
    return left;
  }
  void RequireU32(Value a);
  void RequireNonZero(Value a, Fault fault);
  void RequireZero(Value a, Fault fault);
  bool SpongeReady();
  Value BelowConstant(Value a, std::uint64_t bound);
  Value Quotient(Value n, std::uint64_t power);
  Value Masked(Value a, std::uint64_t mask);
  bool AreDistinct(Value a, Value b);
  Value MemoryOf(std::size_t stores);

  TermTable& table_;
  PathOracle& oracle_;
  bool fragment_;
  std::uint32_t inputs_ = 0;
  std::uint32_t secrets_ = 0;
  std::uint32_t digests_ = 0;
  std::vector<Value> output_;
  std::vector<std::pair<Value, Value>> stores_;  // address, value
  std::optional<Value> sponge_;
  std::set<Condition> conditions_;
  Fault fault_ = Fault::kNone;
};

}  // namespace txvm::triton

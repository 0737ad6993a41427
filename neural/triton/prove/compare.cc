#include "neural/triton/prove/compare.h"

#include <algorithm>
#include <set>
#include <utility>

#include "neural/triton/prove/resolver.h"
#include "neural/triton/prove/zero_test.h"

namespace txvm::triton {
namespace {

// Whether two words are equal on a path: as terms, or because their difference is known to be 0.
class Equality {
 public:
  Equality(TermTable& table, const PathOracle& oracle, std::set<Condition> conditions)
      : table_(table), oracle_(oracle), conditions_(std::move(conditions)) {}

  bool Same(Term a, Term b) {
    if (a == b) return true;
    const Term difference = table_.Monic(table_.Sub(a, b));
    const auto known = oracle_.Known(difference);
    if (known) return !*known;
    return conditions_.contains({Condition::Kind::kZero, {difference}});
  }

  bool Same(const std::vector<Term>& a, const std::vector<Term>& b) {
    if (a.size() != b.size()) return false;
    for (std::size_t i = 0; i < a.size(); ++i) {
      if (!Same(a[i], b[i])) return false;
    }
    return true;
  }

 private:
  TermTable& table_;
  const PathOracle& oracle_;
  std::set<Condition> conditions_;
};

const char* StateDifference(const SideRun& a, const SideRun& b, Equality& equality) {
  if (!equality.Same(a.stack, b.stack)) return "they leave different stacks";
  if (a.world.stores() != b.world.stores()) return "they leave different RAM";
  if (a.world.sponge() != b.world.sponge()) return "they leave different sponge states";
  return nullptr;
}

// Whether the conditions of `run` fail on every input of the path.
bool AlwaysCrashes(const SideRun& run, Resolver facts) {
  if (run.world.Crashes()) return true;
  for (const Condition& condition : run.world.Conditions()) facts.Assume(condition);
  return !facts.Settle();
}

// The conditions of `these` that the facts and all of `those` do not imply. What a run computes
// after a condition fails is not defined. So `facts` must be total.
std::vector<Condition> NotImplied(const std::set<Condition>& these,
                                  const std::set<Condition>& those, Resolver facts) {
  for (const Condition& condition : those) facts.Assume(condition);
  std::vector<Condition> left;
  if (!facts.Settle()) return left;  // the other side always crashes, which is looked at before
  for (const Condition& condition : these) {
    if (!those.contains(condition) && !facts.Implies(condition)) left.push_back(condition);
  }
  return left;
}

Comparison Differs(const char* what, const std::set<Term>& open) {
  return {what, open.empty() ? std::nullopt : std::optional(*open.begin())};
}

// Words of both sides, under facts.
bool SameWords(const std::vector<Term>& a, const std::vector<Term>& b, Resolver& facts,
               std::set<Term>& open) {
  if (a.size() != b.size()) return false;
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (a[i] == b[i] || facts.Of(a[i]) == facts.Of(b[i])) continue;
    facts.Candidates(a[i], open);
    facts.Candidates(b[i], open);
    return false;
  }
  return true;
}

Comparison StateUnderFacts(const SideRun& a, const SideRun& b, Resolver& facts) {
  std::set<Term> open;
  if (!SameWords(a.stack, b.stack, facts, open)) {
    return Differs("they leave different stacks", open);
  }
  if (a.world.stores() != b.world.stores() &&
      facts.StoresOf(a.world.stores()) != facts.StoresOf(b.world.stores())) {
    facts.Candidates(a.world.stores(), open);
    facts.Candidates(b.world.stores(), open);
    return Differs("they leave different RAM", open);
  }
  if (a.world.sponge().has_value() != b.world.sponge().has_value()) {
    return {"they leave different sponge states", std::nullopt};
  }
  if (a.world.sponge() && !SameWords({*a.world.sponge()}, {*b.world.sponge()}, facts, open)) {
    return Differs("they leave different sponge states", open);
  }
  return {};
}

}  // namespace

Comparison CompareUnderFacts(const SideRun& a, const SideRun& b, const Compared& compared,
                             TermTable& table, const PathOracle& oracle) {
  Resolver total(table, true);
  for (const auto& [term, non_zero] : oracle.facts()) total.Assume(term, non_zero);
  if (!total.Settle()) return {};  // no input takes this path
  const std::set<Condition> first = a.world.Conditions();
  const std::set<Condition> second = b.world.Conditions();
  const bool first_crashes = AlwaysCrashes(a, total);
  const bool second_crashes = AlwaysCrashes(b, total);
  std::set<Term> open;
  if (first_crashes != second_crashes) {
    for (const Condition& condition : first_crashes ? second : first) {
      total.Candidates(condition.terms[0], open);
    }
    return Differs("one side always crashes on a path", open);
  }
  if (first_crashes) return {};
  std::vector<Condition> left = NotImplied(first, second, total);
  const std::vector<Condition> more = NotImplied(second, first, total);
  left.insert(left.end(), more.begin(), more.end());
  if (!left.empty()) {
    for (const Condition& condition : left) {
      if (condition.kind == Condition::Kind::kSpongeReady) continue;
      total.Candidates(condition.terms[0], open);
      if (condition.kind == Condition::Kind::kU32) continue;
      if (!total.IsNonZero(condition.terms[0])) {
        open.insert(NormalizeTest(table, total.Of(condition.terms[0])).key);
      }
    }
    return Differs("they crash under different conditions", open);
  }
  // From here on only inputs count on which neither crashes.
  Resolver facts(table, false);
  for (const auto& [term, non_zero] : oracle.facts()) facts.Assume(term, non_zero);
  for (const Condition& condition : first) facts.Assume(condition);
  for (const Condition& condition : second) facts.Assume(condition);
  if (!facts.Settle()) return {};
  if (!SameWords(a.world.output(), b.world.output(), facts, open)) {
    return Differs("they write different output", open);
  }
  if (a.world.Consumed() != b.world.Consumed()) {
    return {"they read different amounts of input", std::nullopt};
  }
  if (compared.state) {
    const Comparison state = StateUnderFacts(a, b, facts);
    if (state.difference != nullptr) return state;
  }
  if (DepthsFit(a.dip, b.dip, compared)) return {};
  return {"they need different stack lengths", std::nullopt};
}

const char* DifferenceWithSplits(const SideRun& a, const SideRun& b, const Compared& compared,
                                 TermTable& table, PathOracle& oracle) {
  for (std::size_t split = 0;; ++split) {
    if (Difference(a, b, compared, table, oracle) == nullptr) return nullptr;
    const Comparison comparison = CompareUnderFacts(a, b, compared, table, oracle);
    if (comparison.difference == nullptr) return nullptr;
    if (!comparison.split || split == kMostSplits || oracle.Known(*comparison.split)) {
      return comparison.difference;
    }
    oracle.IsNonZero(*comparison.split);
  }
}

bool DepthsFit(std::size_t first, std::size_t second, const Compared& compared) {
  const std::size_t known = compared.known_depth;
  switch (compared.depth) {
    case DepthRule::kIgnored:
      return true;
    case DepthRule::kEqual:
      return std::max(first, known) == std::max(second, known);
    case DepthRule::kFirstFits:
      return first <= std::max(second, known);
    case DepthRule::kSecondFits:
      return second <= std::max(first, known);
  }
  return false;
}

DepthRule DepthRuleFor(bool first_is_tir, bool second_is_tir) {
  if (first_is_tir) return second_is_tir ? DepthRule::kIgnored : DepthRule::kSecondFits;
  return second_is_tir ? DepthRule::kFirstFits : DepthRule::kEqual;
}

const char* Difference(const SideRun& a, const SideRun& b, const Compared& compared,
                       TermTable& table, const PathOracle& oracle) {
  const bool first_crashes = a.world.Crashes();
  if (first_crashes != b.world.Crashes()) return "one side always crashes on a path";
  if (first_crashes) return nullptr;
  std::set<Condition> conditions = a.world.Conditions();
  if (conditions != b.world.Conditions()) return "they crash under different conditions";
  Equality equality(table, oracle, std::move(conditions));
  if (!equality.Same(a.world.output(), b.world.output())) return "they write different output";
  if (a.world.Consumed() != b.world.Consumed()) return "they read different amounts of input";
  if (compared.state) {
    if (const char* difference = StateDifference(a, b, equality)) return difference;
  }
  return DepthsFit(a.dip, b.dip, compared) ? nullptr : "they need different stack lengths";
}

}  // namespace txvm::triton

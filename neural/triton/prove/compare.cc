#include "neural/triton/prove/compare.h"

#include <algorithm>
#include <set>
#include <utility>

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

}  // namespace

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

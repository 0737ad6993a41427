#include "neural/triton/prove/zero_test.h"

#include <vector>

namespace txvm::triton {
namespace {

namespace gl = vm::goldilocks;

bool IsBool(AtomKind kind) { return kind == AtomKind::kIsZero || kind == AtomKind::kLess; }

// Each factor of a product of atoms once, without those that are never 0.
Term Radical(TermTable& table, std::uint32_t monomial) {
  Term product = table.Const(1);
  const auto factors = table.Factors(monomial);
  for (const auto& [atom, exponent] : factors) {
    const AtomInfo info = table.Info(atom);
    if (info.kind == AtomKind::kInverse) continue;
    product = table.Mul(product, table.FromAtom(info.kind, info.arguments, info.index));
  }
  return product;
}

}  // namespace

ZeroTest NormalizeTest(TermTable& table, Term term) {
  if (const auto value = table.AsConst(term)) return {*value != 0, 0, false};
  const std::vector<Summand> summands = table.Summands(term);
  // c + k * b for a b that is 0 or 1.
  const bool has_constant = summands[0].monomial == 0;
  if (summands.size() == (has_constant ? 2u : 1u)) {
    const Summand& last = summands.back();
    const auto factors = table.Factors(last.monomial);
    const AtomInfo info = table.Info(factors[0].first);
    if (factors.size() == 1 && factors[0].second == 1 && IsBool(info.kind)) {
      const std::uint64_t constant = has_constant ? summands[0].coefficient : 0;
      const bool zero_at_one = gl::Add(constant, last.coefficient) == 0;
      if (constant != 0 && !zero_at_one) return {true, 0, false};
      // Not 0 exactly when b = 1, or exactly when b = 0.
      const bool when_one = constant == 0;
      if (info.kind == AtomKind::kIsZero) {
        return {std::nullopt, table.Monic(info.arguments[0]), when_one};
      }
      return {std::nullopt, table.FromAtom(info.kind, info.arguments), !when_one};
    }
  }
  if (summands.size() == 1) {
    const Term radical = Radical(table, summands[0].monomial);
    if (table.AsConst(radical)) return {true, 0, false};
    if (table.AsAtom(radical)) {
      return radical == table.Monic(term) ? ZeroTest{std::nullopt, radical, false}
                                          : NormalizeTest(table, radical);
    }
    return {std::nullopt, table.Monic(radical), false};
  }
  if (const auto root = table.SquareRoot(term)) return NormalizeTest(table, *root);
  return {std::nullopt, table.Monic(term), false};
}

Term IsZeroTerm(TermTable& table, Term term) {
  const ZeroTest test = NormalizeTest(table, term);
  if (test.constant) return table.Const(*test.constant ? 0 : 1);
  const std::optional<Atom> atom = table.AsAtom(test.key);
  if (atom && table.Info(*atom).kind == AtomKind::kLess) {
    // not 0 <=> (less = 1) != negated
    return test.negated ? test.key : table.Sub(table.Const(1), test.key);
  }
  const std::vector<Summand> summands = table.Summands(test.key);
  Term is_zero = 0;
  if (summands.size() == 1 && !atom) {
    // 1 - (x != 0) * (y != 0)
    Term none = table.Const(1);
    const auto factors = table.Factors(summands[0].monomial);
    for (const auto& [factor, exponent] : factors) {
      const AtomInfo info = table.Info(factor);
      const Term zero = IsZeroTerm(table, table.FromAtom(info.kind, info.arguments, info.index));
      none = table.Mul(none, table.Sub(table.Const(1), zero));
    }
    is_zero = table.Sub(table.Const(1), none);
  } else {
    is_zero = table.FromAtom(AtomKind::kIsZero, {test.key});
  }
  return test.negated ? table.Sub(table.Const(1), is_zero) : is_zero;
}

}  // namespace txvm::triton

#include "neural/triton/prove/identity.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <tuple>
#include <vector>

#include "neural/triton/field/memory.h"

namespace txvm::triton {
namespace {

namespace gl = vm::goldilocks;
using Print = Fingerprints::Print;

constexpr double kFieldBits = 191.99;  // log2 of p^3, rounded down

gl::Cubic Draw(std::uint64_t seed) {
  gl::Cubic drawn;
  for (gl::Element& element : drawn.c) {
    seed = MixBits(seed + 0x9E37'79B9'7F4A'7C15);
    element = gl::Canonical(seed);
  }
  return drawn;
}

Print Scaled(Print print) {
  gl::Element leading = 0;
  for (const gl::Cubic& point : print) {
    for (const gl::Element element : point.c) {
      if (leading == 0) leading = element;
    }
  }
  if (leading == 0) return print;
  for (gl::Cubic& point : print) point = gl::Scale(point, gl::Inverse(leading));
  return print;
}

// Arguments of a test for 0 count up to a factor of the field.
bool IgnoresFactor(AtomKind kind) {
  return kind == AtomKind::kIsZero || kind == AtomKind::kInverse;
}

using ConditionPrint = std::tuple<Condition::Kind, std::vector<std::uint64_t>>;

std::set<ConditionPrint> PrintsOf(const std::set<Condition>& conditions, Fingerprints& prints) {
  std::set<ConditionPrint> result;
  for (const Condition& condition : conditions) {
    std::vector<std::uint64_t> words;
    const bool monic =
        condition.kind == Condition::Kind::kZero || condition.kind == Condition::Kind::kNonZero;
    for (const Term term : condition.terms) {
      for (const gl::Cubic& point : monic ? prints.MonicOf(term) : prints.Of(term)) {
        words.insert(words.end(), point.c.begin(), point.c.end());
      }
    }
    result.emplace(condition.kind, std::move(words));
  }
  return result;
}

bool Same(const std::vector<Term>& a, const std::vector<Term>& b, Fingerprints& prints) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [&](Term x, Term y) { return x == y || prints.Of(x) == prints.Of(y); });
}

std::vector<Term> StoresOf(const SideRun& run) {
  std::vector<Term> terms;
  for (const auto& [address, value] : run.world.stores()) {
    terms.push_back(address);
    terms.push_back(value);
  }
  if (run.world.sponge()) terms.push_back(*run.world.sponge());
  return terms;
}

}  // namespace

Fingerprints::Value Fingerprints::ValueOfAtom(Atom atom) {
  const AtomInfo& info = table_.Info(atom);
  Value value;
  if (info.kind == AtomKind::kProduct) {
    const Value a = ValueOf(info.arguments[0]);
    const Value b = ValueOf(info.arguments[1]);
    for (std::size_t i = 0; i < value.print.size(); ++i) {
      value.print[i] = gl::Mul(a.print[i], b.print[i]);
    }
    value.degree = a.degree + b.degree;
    return value;
  }
  std::uint64_t mixed = seed_ ^ (static_cast<std::uint64_t>(info.kind) << 32 | info.index);
  for (const Term argument : info.arguments) {
    const Print print = IgnoresFactor(info.kind) ? MonicOf(argument) : Of(argument);
    for (const gl::Cubic& point : print) {
      for (const gl::Element element : point.c) mixed = MixBits(mixed ^ element) + 1;
    }
  }
  for (gl::Cubic& point : value.print) point = Draw(mixed = MixBits(mixed + 1));
  value.degree = 1;
  return value;
}

const Fingerprints::Value& Fingerprints::ValueOf(Term term) {
  if (const auto found = values_.find(term); found != values_.end()) return found->second;
  Value sum;
  for (const Summand& summand : table_.Summands(term)) {
    Value product;
    for (gl::Cubic& point : product.print) point.c[0] = summand.coefficient;
    for (const auto& [atom, exponent] : table_.Factors(summand.monomial)) {
      const Value value = ValueOfAtom(atom);
      for (std::size_t point = 0; point < sum.print.size(); ++point) {
        product.print[point] = gl::Mul(product.print[point], gl::Pow(value.print[point], exponent));
      }
      product.degree += value.degree * exponent;
    }
    for (std::size_t point = 0; point < sum.print.size(); ++point) {
      sum.print[point] = gl::Add(sum.print[point], product.print[point]);
    }
    sum.degree = std::max(sum.degree, product.degree);
  }
  degree_ = std::max(degree_, sum.degree);
  return values_.emplace(term, sum).first->second;
}

Fingerprints::Print Fingerprints::Of(Term term) { return ValueOf(term).print; }

Fingerprints::Print Fingerprints::MonicOf(Term term) { return Scaled(Of(term)); }

IdentityResult TestIdentity(const SideRun& a, const SideRun& b, const Compared& compared,
                            const TermTable& table, std::uint64_t seed) {
  IdentityResult result;
  if (a.world.Crashes() || b.world.Crashes()) return result;
  if (a.world.Consumed() != b.world.Consumed() || !DepthsFit(a.dip, b.dip, compared)) return result;
  Fingerprints prints(table, seed);
  const std::set<Condition> first = a.world.Conditions();
  if (PrintsOf(first, prints) != PrintsOf(b.world.Conditions(), prints)) return result;
  result.same = Same(a.world.output(), b.world.output(), prints) &&
                (!compared.state ||
                 (Same(a.stack, b.stack, prints) && Same(StoresOf(a), StoresOf(b), prints)));
  const double comparisons =
      static_cast<double>(a.world.output().size() + a.stack.size() + first.size() + 1);
  result.error_bits =
      2 * (kFieldBits - std::log2(std::max(prints.degree(), 1.0))) - std::log2(comparisons);
  if (result.error_bits < 1) result.same = false;  // degrees without bound say nothing
  return result;
}

}  // namespace txvm::triton

#include "neural/triton/prove/resolver.h"

#include <algorithm>

#include "neural/triton/prove/zero_test.h"

namespace txvm::triton {
namespace {

constexpr std::uint64_t kU32End = std::uint64_t{1} << 32;
constexpr std::size_t kMostFacts = 64;   // more are not looked at
constexpr std::size_t kMostRounds = 8;   // of conclusions
constexpr std::size_t kMostStores = 32;  // logs that are longer stay as they are

}  // namespace

void Resolver::Assume(Term term, bool non_zero) {
  if (facts_.size() >= kMostFacts || (total_ && table_.HasInverse(term))) return;
  facts_.emplace_back(term, non_zero);
  memo_.clear();
}

void Resolver::Assume(const Condition& condition) {
  switch (condition.kind) {
    case Condition::Kind::kZero:
    case Condition::Kind::kNonZero:
      return Assume(condition.terms[0], condition.kind == Condition::Kind::kNonZero);
    case Condition::Kind::kU32:
      if (!total_ || !table_.HasInverse(condition.terms[0])) u32_.insert(condition.terms[0]);
      return;
    case Condition::Kind::kExtNonZero:
    case Condition::Kind::kSpongeReady:
      others_.push_back(condition);
      return;
  }
}

// What is left of a term that is 0 after factors that are not.
Term Resolver::Divided(Term zero) {
  for (const auto& [factor, non_zero] : known_) {
    if (!non_zero) continue;
    while (!table_.AsConst(zero)) {
      const auto quotient = table_.Divide(zero, factor);
      if (!quotient) break;
      zero = *quotient;
    }
  }
  return zero;
}

// Gives an atom of a term that is 0 the value that the others leave. False when none is linear.
bool Resolver::Substitute(Term zero) {
  const std::vector<Summand> summands = table_.Summands(zero);
  std::map<Atom, std::uint64_t, std::greater<>> linear;  // the youngest first
  for (const Summand& summand : summands) {
    const auto& factors = table_.Factors(summand.monomial);
    if (factors.size() == 1 && factors[0].second == 1) {
      linear[factors[0].first] = summand.coefficient;
    }
  }
  for (const Summand& summand : summands) {
    const auto& factors = table_.Factors(summand.monomial);
    if (factors.size() == 1 && factors[0].second == 1) continue;
    for (const auto& [atom, exponent] : factors) linear.erase(atom);
  }
  for (const auto& [atom, coefficient] : linear) {
    const AtomInfo info = table_.Info(atom);
    const Term self = table_.FromAtom(info.kind, info.arguments, info.index);
    const Term rest = table_.Sub(zero, table_.Scale(self, coefficient));
    if (table_.Contains(rest, atom)) continue;
    const std::uint64_t factor = vm::goldilocks::Neg(vm::goldilocks::Inverse(coefficient));
    const Term value = table_.Scale(rest, factor);
    values_[atom] = value;
    memo_.clear();
    return true;
  }
  return false;
}

bool Resolver::Settle() {
  for (std::size_t round = 0; round < kMostRounds; ++round) {
    const std::size_t known = known_.size() + values_.size();
    for (std::size_t i = 0; i < facts_.size(); ++i) {
      const bool non_zero = facts_[i].second;
      const Term term = Of(facts_[i].first);
      const ZeroTest test = NormalizeTest(table_, term);
      if (test.constant) {
        if (*test.constant != non_zero) return false;
        continue;
      }
      const bool key_non_zero = non_zero != test.negated;
      Term key = test.key;
      if (!key_non_zero) {
        key = Divided(key);
        if (const auto value = table_.AsConst(key)) {
          if (*value != 0) return false;
          continue;
        }
        key = table_.Monic(key);
      }
      const auto [at, fresh] = known_.emplace(key, key_non_zero);
      if (at->second != key_non_zero) return false;
      if (fresh) memo_.clear();
      const auto atom = table_.AsAtom(key);
      if (key_non_zero) {
        const bool is_less = atom && table_.Info(*atom).kind == AtomKind::kLess;
        if (is_less) values_.emplace(*atom, table_.Const(1));
        if (is_less) memo_.clear();
        const std::vector<Summand> summands = table_.Summands(key);
        if (summands.size() != 1) continue;
        const auto factors = table_.Factors(summands[0].monomial);
        for (const auto& [factor, exponent] : factors) {
          const AtomInfo info = table_.Info(factor);
          const Term self = table_.FromAtom(info.kind, info.arguments, info.index);
          const auto [other, added] = known_.emplace(self, true);
          if (!other->second) return false;
          if (added) memo_.clear();
        }
      } else {
        Substitute(key);
      }
    }
    if (known_.size() + values_.size() == known) return true;
  }
  return true;
}

Term Resolver::Of(Term term) {
  if (const auto found = memo_.find(term); found != memo_.end()) return found->second;
  const std::vector<Summand> summands = table_.Summands(term);
  Term sum = 0;
  for (const Summand& summand : summands) {
    Term product = table_.Const(summand.coefficient);
    const auto factors = table_.Factors(summand.monomial);
    for (const auto& [atom, exponent] : factors) {
      const Term factor = OfAtom(atom);
      const AtomInfo info = table_.Info(atom);
      const bool same = factor == table_.FromAtom(info.kind, info.arguments, info.index);
      constexpr std::uint32_t kMostPower = 64;
      if (exponent > kMostPower && !same) {
        product = term;  // left as it is
        memo_[term] = term;
        return term;
      }
      for (std::uint32_t i = 0; i < exponent; ++i) product = table_.Mul(product, factor);
    }
    sum = table_.Add(sum, product);
  }
  memo_[term] = sum;
  return sum;
}

Term Resolver::OfAtom(Atom atom) {
  if (const auto found = values_.find(atom); found != values_.end()) {
    const Term value = found->second;
    return Of(value);
  }
  const AtomInfo info = table_.Info(atom);
  const Term self = table_.FromAtom(info.kind, info.arguments, info.index);
  if (info.arguments.empty()) return self;
  if (const auto found = memo_.find(self); found != memo_.end()) return found->second;
  const Term rebuilt = Rebuild(info);
  memo_[self] = rebuilt;
  return rebuilt;
}

Term Resolver::Fresh(AtomKind kind, std::vector<Term> arguments, std::uint32_t index) {
  const Term term = table_.FromAtom(kind, std::move(arguments), index);
  const auto atom = table_.AsAtom(term);
  const auto found = values_.find(*atom);
  if (found == values_.end()) return term;
  const Term value = found->second;
  return value;
}

Term Resolver::Rebuild(const AtomInfo& info) {
  if (info.kind == AtomKind::kMemory) {
    if (info.index == 0) return Load(Unfold(info.arguments[0]), Of(info.arguments[1]));
    return Fold(Unfold(table_.FromAtom(info.kind, info.arguments, info.index)));
  }
  std::vector<Term> x;
  std::vector<std::optional<std::uint64_t>> value;
  for (const Term argument : info.arguments) {
    x.push_back(Of(argument));
    value.push_back(table_.AsConst(x.back()));
  }
  switch (info.kind) {
    case AtomKind::kIsZero:
      if (const auto known = IsNonZero(x[0])) return table_.Const(*known ? 0 : 1);
      return IsZeroTerm(table_, x[0]);
    case AtomKind::kLess:
      if (x[0] == x[1]) return 0;
      if (value[0] && value[1]) return table_.Const(*value[0] < *value[1] ? 1 : 0);
      break;
    case AtomKind::kInverse:
      if (x[0] != 0) return table_.Inverse(x[0]);
      break;
    case AtomKind::kAnd:
      if (value[0] && value[1]) return table_.Const(*value[0] & *value[1] & (kU32End - 1));
      if (x[0] == 0 || x[1] == 0) return 0;
      std::sort(x.begin(), x.end());
      break;
    case AtomKind::kQuotient:
      if (value[0] && value[1] && *value[1] != 0 && *value[0] < kU32End) {
        return table_.Const(*value[0] / *value[1]);
      }
      break;
    case AtomKind::kSplitHigh:
      if (value[0]) return table_.Const(*value[0] >> 32);
      break;
    case AtomKind::kProduct:
      return table_.Mul(x[0], x[1]);
    case AtomKind::kStack:
    case AtomKind::kInput:
    case AtomKind::kSecret:
    case AtomKind::kDigest:
    case AtomKind::kOwnDigest:
    case AtomKind::kMemory:
    case AtomKind::kPopCount:
    case AtomKind::kLog2:
    case AtomKind::kPower:
    case AtomKind::kHash:
    case AtomKind::kMerkle:
    case AtomKind::kExtInverse:
    case AtomKind::kSponge:
    case AtomKind::kSqueezed:
    case AtomKind::kSqueeze:
      break;
  }
  return Fresh(info.kind, std::move(x), info.index);
}

std::optional<bool> Resolver::IsNonZero(Term term) {
  const ZeroTest test = NormalizeTest(table_, Of(term));
  if (test.constant) return test.constant;
  if (const auto found = known_.find(test.key); found != known_.end()) {
    return found->second != test.negated;
  }
  // A product of factors that are not 0.
  const Term rest = Divided(test.key);
  if (rest != test.key) {
    if (table_.AsConst(rest)) return !test.negated;
    if (const auto found = known_.find(table_.Monic(rest)); found != known_.end()) {
      return found->second != test.negated;
    }
  }
  return std::nullopt;
}

bool Resolver::Implies(const Condition& condition) {
  const Term term = condition.terms[0];
  if (condition.kind != Condition::Kind::kSpongeReady && total_ && table_.HasInverse(term)) {
    return false;
  }
  switch (condition.kind) {
    case Condition::Kind::kZero:
      return IsNonZero(term) == false;
    case Condition::Kind::kNonZero:
      return IsNonZero(term) == true;
    case Condition::Kind::kU32: {
      const Term word = Of(term);
      if (const auto value = table_.AsConst(word)) return *value < kU32End;
      if (table_.IsSmall(word)) return true;
      const auto words = u32_;
      return std::ranges::any_of(words, [&](Term other) { return Of(other) == word; });
    }
    case Condition::Kind::kExtNonZero:
    case Condition::Kind::kSpongeReady:
      return std::ranges::any_of(others_, [&](const Condition& other) {
        if (other.kind != condition.kind) return false;
        if (condition.kind == Condition::Kind::kSpongeReady) return true;
        for (std::size_t i = 0; i < condition.terms.size(); ++i) {
          if (Of(other.terms[i]) != Of(condition.terms[i])) return false;
        }
        return true;
      });
  }
  return false;
}

Resolver::Stores Resolver::Unfold(Term memory) {
  Stores stores;
  while (memory != 0) {
    const AtomInfo info = table_.Info(*table_.AsAtom(memory));
    stores.emplace_back(info.arguments[1], info.arguments[2]);
    memory = info.arguments[0];
  }
  std::ranges::reverse(stores);
  return StoresOf(stores);
}

Term Resolver::Fold(const Stores& stores) {
  Term memory = 0;
  for (const auto& [address, value] : stores) {
    memory = table_.FromAtom(AtomKind::kMemory, {memory, address, value}, 1);
  }
  return memory;
}

// REQUIRES resolved stores and address.
Term Resolver::Load(Stores stores, Term address) {
  while (!stores.empty()) {
    const auto [stored, value] = stores.back();
    const auto differ = IsNonZero(table_.Sub(stored, address));
    if (differ == false) return value;
    if (!differ) break;
    stores.pop_back();
  }
  return Fresh(AtomKind::kMemory, {Fold(stores), address}, 0);
}

void Resolver::Store(Stores& stores, Term address, Term value) {
  if (Load(stores, address) == value) return;
  for (std::size_t i = stores.size(); i-- > 0;) {
    const auto differ = IsNonZero(table_.Sub(stores[i].first, address));
    if (differ == false) {
      address = std::min(address, stores[i].first);
      stores.erase(stores.begin() + static_cast<std::ptrdiff_t>(i));
      if (Load(stores, address) == value) return;
      break;
    }
    if (!differ) break;
  }
  std::size_t at = stores.size();
  while (at > 0 && stores[at - 1].first > address &&
         IsNonZero(table_.Sub(stores[at - 1].first, address)) == true) {
    --at;
  }
  stores.insert(stores.begin() + static_cast<std::ptrdiff_t>(at), {address, value});
}

Resolver::Stores Resolver::StoresOf(const Stores& stores) {
  if (stores.size() > kMostStores) return stores;
  Stores log;
  for (const auto& [address, value] : stores) Store(log, Of(address), Of(value));
  return log;
}

void Resolver::Open(Term term, std::set<Term>& open) {
  const ZeroTest test = NormalizeTest(table_, term);
  if (!test.constant && !IsNonZero(test.key)) open.insert(test.key);
}

void Resolver::Candidates(Term term, std::set<Term>& open) {
  std::set<Term> seen;
  std::vector<Term> work = {Of(term)};
  constexpr std::size_t kMostSeen = 200;
  while (!work.empty() && seen.size() < kMostSeen) {
    const Term here = work.back();
    work.pop_back();
    if (!seen.insert(here).second) continue;
    const std::vector<Summand> summands = table_.Summands(here);
    for (const Summand& summand : summands) {
      const auto factors = table_.Factors(summand.monomial);
      for (const auto& [atom, exponent] : factors) {
        const AtomInfo info = table_.Info(atom);
        if (info.kind == AtomKind::kIsZero) Open(info.arguments[0], open);
        if (info.kind == AtomKind::kLess) {
          Open(table_.FromAtom(info.kind, info.arguments), open);
        }
        if (info.kind == AtomKind::kMemory && info.index == 0) {
          for (const auto& [address, value] : Unfold(info.arguments[0])) {
            Open(table_.Sub(address, Of(info.arguments[1])), open);
          }
        }
        work.insert(work.end(), info.arguments.begin(), info.arguments.end());
      }
    }
  }
}

void Resolver::Candidates(const Stores& stores, std::set<Term>& open) {
  if (stores.size() > kMostStores) return;
  for (std::size_t i = 0; i < stores.size(); ++i) {
    Candidates(stores[i].first, open);
    Candidates(stores[i].second, open);
    for (std::size_t j = 0; j < i; ++j) {
      Open(table_.Sub(stores[i].first, stores[j].first), open);
    }
  }
}

}  // namespace txvm::triton

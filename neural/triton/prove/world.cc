#include "neural/triton/prove/world.h"

#include <algorithm>
#include <bit>

#include "neural/triton/prove/zero_test.h"
#include "neural/triton/tir/world.h"

namespace txvm::triton {
namespace {

namespace gl = vm::goldilocks;

constexpr std::uint64_t kTwo32 = std::uint64_t{1} << 32;
constexpr std::uint64_t kMostWrittenPower = 32;  // larger powers stay atoms

}  // namespace

bool PathOracle::NextPath() {
  known_.clear();
  next_ = 0;
  while (!script_.empty() && script_.back()) script_.pop_back();
  asked_.resize(script_.size());
  if (script_.empty()) return false;
  script_.back() = true;
  return true;
}

std::optional<bool> PathOracle::Known(Term term) const {
  const auto found = known_.find(term);
  if (found == known_.end()) return std::nullopt;
  return found->second;
}

bool PathOracle::IsNonZero(Term term) {
  if (const auto known = Known(term)) return *known;
  // 0 first: most loops end on it, so short paths come before long ones.
  if (next_ == script_.size()) {
    script_.push_back(false);
    asked_.push_back(term);
  }
  broken_ = broken_ || asked_[next_] != term;
  const bool answer = script_[next_++];
  known_[term] = answer;
  return answer;
}

void SymbolicWorld::RequireU32(Value a) {
  if (const auto value = table_.AsConst(a)) {
    if (*value >= kTwo32) Fail(Fault::kNotU32);
    return;
  }
  if (!table_.IsU32(a)) conditions_.insert({Condition::Kind::kU32, {a}});
}

void SymbolicWorld::RequireNonZero(Value a, Fault fault) {
  const ZeroTest test = NormalizeTest(table_, a);
  if (test.constant) return *test.constant ? void() : Fail(fault);
  if (test.negated) {
    conditions_.insert({Condition::Kind::kZero, {test.key}});
    return;
  }
  // A product of atoms is not 0 when none of them is.
  const std::vector<Summand> summands = table_.Summands(test.key);
  if (summands.size() == 1) {
    for (const auto& [atom, exponent] : table_.Factors(summands[0].monomial)) {
      const AtomInfo info = table_.Info(atom);
      if (info.kind == AtomKind::kInverse) continue;
      const Value factor = table_.FromAtom(info.kind, info.arguments, info.index);
      if (info.kind == AtomKind::kIsZero) {
        conditions_.insert({Condition::Kind::kZero, {table_.Monic(info.arguments[0])}});
      } else {
        conditions_.insert({Condition::Kind::kNonZero, {factor}});
      }
    }
    return;
  }
  conditions_.insert({Condition::Kind::kNonZero, {test.key}});
}

void SymbolicWorld::RequireZero(Value a, Fault fault) {
  const ZeroTest test = NormalizeTest(table_, a);
  if (test.constant) return *test.constant ? Fail(fault) : void();
  const Condition::Kind kind = test.negated ? Condition::Kind::kNonZero : Condition::Kind::kZero;
  conditions_.insert({kind, {test.key}});
}

void SymbolicWorld::RequireEqual(Value a, Value b, Fault fault) {
  RequireZero(table_.Sub(a, b), fault);
}

bool SymbolicWorld::Choose(Value condition) {
  const ZeroTest test = NormalizeTest(table_, condition);
  if (test.constant) return *test.constant;
  // A condition of the run answers without a decision.
  if (conditions_.contains({Condition::Kind::kZero, {test.key}})) return test.negated;
  if (conditions_.contains({Condition::Kind::kNonZero, {test.key}})) return !test.negated;
  // A product of atoms is decided factor by factor.
  const std::vector<Summand> summands = table_.Summands(test.key);
  if (summands.size() == 1 && !table_.AsAtom(test.key)) {
    const auto factors = table_.Factors(summands[0].monomial);
    for (const auto& [atom, exponent] : factors) {
      const AtomInfo info = table_.Info(atom);
      if (!Choose(table_.FromAtom(info.kind, info.arguments, info.index))) return test.negated;
    }
    return !test.negated;
  }
  return oracle_.IsNonZero(test.key) != test.negated;
}

bool SymbolicWorld::Crashes() const {
  if (failed()) return true;
  for (const Condition& condition : conditions_) {
    const auto known = oracle_.Known(condition.terms[0]);
    if (condition.kind == Condition::Kind::kZero) {
      if (known && *known) return true;
      if (conditions_.contains({Condition::Kind::kNonZero, condition.terms})) return true;
    }
    if (condition.kind == Condition::Kind::kNonZero && known && !*known) return true;
  }
  return false;
}

std::set<Condition> SymbolicWorld::Conditions() const {
  std::set<Condition> left;
  for (const Condition& condition : conditions_) {
    const auto known = oracle_.Known(condition.terms[0]);
    const bool implied = known && ((condition.kind == Condition::Kind::kZero && !*known) ||
                                   (condition.kind == Condition::Kind::kNonZero && *known));
    if (!implied) left.insert(condition);
  }
  return left;
}

Term SymbolicWorld::Invert(Value a) {
  RequireNonZero(a, Fault::kInverseOfZero);
  return failed() ? a : table_.Inverse(a);
}

Term SymbolicWorld::IsEqual(Value a, Value b) { return IsZeroTerm(table_, table_.Sub(a, b)); }

// Comparisons with a constant become those of the other word with a bound above it.
Term SymbolicWorld::LessThan(Value a, Value b) {
  RequireU32(a);
  RequireU32(b);
  if (failed()) return 0;
  const auto x = table_.AsConst(a);
  const auto y = table_.AsConst(b);
  if (x && y) return Const(*x < *y ? 1 : 0);
  if (a == b || (y && *y == 0)) return 0;
  if (x && *x == kTwo32 - 1) return 0;
  if (x) return Sub(Const(1), BelowConstant(b, *x + 1));
  if (y) return BelowConstant(a, *y);
  return table_.FromAtom(AtomKind::kLess, {a, b});
}

// a < bound for a u32 a: of a power of two whether the quotient by it is 0.
Term SymbolicWorld::BelowConstant(Value a, std::uint64_t bound) {
  if (std::has_single_bit(bound)) return IsZeroTerm(table_, Quotient(a, bound));
  return table_.FromAtom(AtomKind::kLess, {a, Const(bound)});
}

// n / 2^k for a u32 n; a quotient of a quotient is one quotient.
Term SymbolicWorld::Quotient(Value n, std::uint64_t power) {
  if (power == 1) return n;
  if (power >= kTwo32) return 0;
  if (const auto value = table_.AsConst(n)) return Const(*value / power);
  // n = t * 2^k for a u32 t: t * 2^k < 2^63, so that nothing wraps.
  if (const Value shifted = table_.Scale(n, gl::Inverse(power)); table_.IsU32(shifted)) {
    return shifted;
  }
  if (const auto atom = table_.AsAtom(n)) {
    const AtomInfo info = table_.Info(*atom);
    const auto inner =
        info.kind == AtomKind::kQuotient ? table_.AsConst(info.arguments[1]) : std::nullopt;
    if (inner && std::has_single_bit(*inner)) return Quotient(info.arguments[0], *inner * power);
  }
  // The quotient of a remainder of a greater power: (n mod 2^j) / 2^k.
  const std::vector<Summand> summands = table_.Summands(n);
  for (const Summand& summand : summands) {
    const auto factors = table_.Factors(summand.monomial);
    if (factors.size() != 1 || factors[0].second != 1) continue;
    const AtomInfo info = table_.Info(factors[0].first);
    if (info.kind != AtomKind::kQuotient) continue;
    const auto inner = table_.AsConst(info.arguments[1]);
    if (!inner || !std::has_single_bit(*inner) || *inner <= power) continue;
    const Value whole = info.arguments[0];
    const Value high = table_.FromAtom(AtomKind::kQuotient, info.arguments);
    if (table_.Sub(whole, table_.Scale(high, *inner)) != n) continue;
    return Sub(Quotient(whole, power), table_.Scale(high, *inner / power));
  }
  return table_.FromAtom(AtomKind::kQuotient, {n, Const(power)});
}

// A mask of adjacent bits takes quotients by powers of two apart.
Term SymbolicWorld::Masked(Value a, std::uint64_t mask) {
  const std::uint64_t low = mask & (~mask + 1);
  const std::uint64_t above = mask + low;
  if (!std::has_single_bit(above)) {
    const Value other = Const(mask);
    return table_.FromAtom(AtomKind::kAnd, {std::min(a, other), std::max(a, other)});
  }
  return Sub(table_.Scale(Quotient(a, low), low), table_.Scale(Quotient(a, above), above));
}

Term SymbolicWorld::BitAnd(Value a, Value b) {
  RequireU32(a);
  RequireU32(b);
  if (failed()) return 0;
  const auto x = table_.AsConst(a);
  const auto y = table_.AsConst(b);
  if (x && y) return Const(*x & *y);
  if (a == b) return a;
  if ((x && *x == 0) || (y && *y == 0)) return 0;
  if (x && *x == kTwo32 - 1) return b;
  if (y && *y == kTwo32 - 1) return a;
  if (x) return Masked(b, *x);
  if (y) return Masked(a, *y);
  return table_.FromAtom(AtomKind::kAnd, {std::min(a, b), std::max(a, b)});
}

Term SymbolicWorld::PopCount(Value a) {
  RequireU32(a);
  if (failed()) return 0;
  if (const auto value = table_.AsConst(a)) {
    return Const(static_cast<std::uint64_t>(std::popcount(*value)));
  }
  return table_.FromAtom(AtomKind::kPopCount, {a});
}

Term SymbolicWorld::Log2(Value a) {
  RequireU32(a);
  RequireNonZero(a, Fault::kLogOfZero);
  if (failed()) return 0;
  if (const auto value = table_.AsConst(a)) {
    return Const(static_cast<std::uint64_t>(std::bit_width(*value) - 1));
  }
  return table_.FromAtom(AtomKind::kLog2, {a});
}

Term SymbolicWorld::Power(Value base, Value exponent) {
  RequireU32(exponent);
  if (failed()) return 0;
  const auto e = table_.AsConst(exponent);
  const auto b = table_.AsConst(base);
  if (e && b) return Const(gl::Pow(*b, *e));
  if (!e || *e > kMostWrittenPower) return table_.FromAtom(AtomKind::kPower, {base, exponent});
  Value product = Const(1);
  for (std::uint64_t i = 0; i < *e; ++i) product = Mul(product, base);
  return product;
}

std::pair<Term, Term> SymbolicWorld::DivMod(Value n, Value d) {
  RequireU32(n);
  RequireU32(d);
  RequireNonZero(d, Fault::kDivisionByZero);
  if (failed()) return {0, 0};
  const auto x = table_.AsConst(n);
  const auto y = table_.AsConst(d);
  if (x && y) return {Const(*x / *y), Const(*x % *y)};
  if (y && *y == 1) return {n, 0};
  const Value quotient =
      y && std::has_single_bit(*y) ? Quotient(n, *y) : table_.FromAtom(AtomKind::kQuotient, {n, d});
  return {quotient, Sub(n, Mul(d, quotient))};
}

std::pair<Term, Term> SymbolicWorld::Split(Value a) {
  if (const auto value = table_.AsConst(a)) return {Const(*value >> 32), Const(*value % kTwo32)};
  if (table_.IsU32(a)) return {0, a};
  const Value high = table_.FromAtom(AtomKind::kSplitHigh, {a});
  return {high, Sub(a, table_.Scale(high, kTwo32))};
}

std::array<Term, 3> SymbolicWorld::ExtInvert(const std::array<Value, 3>& x) {
  if (x[1] == 0 && x[2] == 0) return {Invert(x[0]), 0, 0};
  const bool known = std::any_of(x.begin(), x.end(), [&](Value word) {
    const auto value = table_.AsConst(word);
    return value && *value != 0;
  });
  if (!known) conditions_.insert({Condition::Kind::kExtNonZero, x});
  std::array<Value, 3> inverse;
  for (std::uint32_t i = 0; i < inverse.size(); ++i) {
    inverse[i] = table_.FromAtom(AtomKind::kExtInverse, {x.begin(), x.end()}, i);
  }
  return inverse;
}

std::array<Term, 5> SymbolicWorld::HashTen(const std::array<Value, 10>& words) {
  std::array<std::uint64_t, 10> values{};
  bool constant = true;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const auto value = table_.AsConst(words[i]);
    constant &= value.has_value();
    values[i] = value.value_or(0);
  }
  std::array<Value, 5> digest;
  const auto concrete = constant ? Tip5Hash10(values) : txvm::triton::Digest{};
  for (std::uint32_t i = 0; i < digest.size(); ++i) {
    digest[i] = constant ? Const(concrete[i])
                         : table_.FromAtom(AtomKind::kHash, {words.begin(), words.end()}, i);
  }
  return digest;
}

std::pair<Term, std::array<Term, 5>> SymbolicWorld::MerkleParent(
    Value index, const std::array<Value, 5>& node, const std::array<Value, 5>& sibling) {
  RequireU32(index);
  std::vector<Value> arguments = {index};
  arguments.insert(arguments.end(), node.begin(), node.end());
  arguments.insert(arguments.end(), sibling.begin(), sibling.end());
  std::array<Value, 5> parent;
  for (std::uint32_t i = 0; i < parent.size(); ++i) {
    parent[i] = table_.FromAtom(AtomKind::kMerkle, arguments, i);
  }
  if (failed()) return {0, parent};
  if (const auto value = table_.AsConst(index)) return {Const(*value / 2), parent};
  return {Quotient(index, 2), parent};
}

bool SymbolicWorld::AreDistinct(Value a, Value b) {
  const auto difference = table_.AsConst(table_.Sub(a, b));
  return difference && *difference != 0;
}

// The first `stores` stores over the initial memory, as one term.
Term SymbolicWorld::MemoryOf(std::size_t stores) {
  Value memory = 0;
  if (!HasWorkLeft()) return memory;
  table_.Charge(stores);
  for (std::size_t i = 0; i < stores; ++i) {
    memory = table_.FromAtom(AtomKind::kMemory, {memory, stores_[i].first, stores_[i].second}, 1);
  }
  return memory;
}

Term SymbolicWorld::Load(Value address) {
  std::size_t visible = stores_.size();
  for (; visible > 0; --visible) {
    const auto& [stored, value] = stores_[visible - 1];
    if (stored == address) return value;
    if (!AreDistinct(stored, address)) break;
  }
  return table_.FromAtom(AtomKind::kMemory, {MemoryOf(visible), address}, 0);
}

void SymbolicWorld::Store(Value address, Value value) {
  if (Load(address) == value) return;
  // An older store to the same address is dropped when nothing in between may read it.
  for (std::size_t i = stores_.size(); i-- > 0;) {
    if (stores_[i].first == address) {
      stores_.erase(stores_.begin() + static_cast<std::ptrdiff_t>(i));
      if (Load(address) == value) return;
      break;
    }
    if (!AreDistinct(stores_[i].first, address)) break;
  }
  // Stores to different addresses commute: the smaller address id goes first.
  std::size_t at = stores_.size();
  while (at > 0 && stores_[at - 1].first > address && AreDistinct(stores_[at - 1].first, address)) {
    --at;
  }
  stores_.insert(stores_.begin() + static_cast<std::ptrdiff_t>(at), {address, value});
}

std::array<Term, 5> SymbolicWorld::Digest() {
  std::array<Value, 5> words;
  for (std::uint32_t i = 0; i < words.size(); ++i) {
    words[i] = table_.FromAtom(AtomKind::kDigest, {}, 5 * digests_ + i);
  }
  ++digests_;
  return words;
}

bool SymbolicWorld::SpongeReady() {
  if (sponge_) return true;
  if (!fragment_) {
    Fail(Fault::kSpongeUninit);
    return false;
  }
  conditions_.insert({Condition::Kind::kSpongeReady, {}});
  sponge_ = table_.FromAtom(AtomKind::kSponge, {}, 1);
  return true;
}

void SymbolicWorld::SpongeAbsorb(const std::array<Value, 10>& words) {
  if (!SpongeReady()) return;
  std::vector<Value> arguments = {*sponge_};
  arguments.insert(arguments.end(), words.begin(), words.end());
  sponge_ = table_.FromAtom(AtomKind::kSponge, std::move(arguments), 2);
}

std::array<Term, 10> SymbolicWorld::SpongeSqueeze() {
  std::array<Value, 10> words{};
  if (!SpongeReady()) return words;
  for (std::uint32_t i = 0; i < words.size(); ++i) {
    words[i] = table_.FromAtom(AtomKind::kSqueeze, {*sponge_}, i);
  }
  sponge_ = table_.FromAtom(AtomKind::kSqueezed, {*sponge_});
  return words;
}

}  // namespace txvm::triton

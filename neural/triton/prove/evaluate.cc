#include "neural/triton/prove/evaluate.h"

#include <bit>

#include "neural/triton/field/memory.h"
#include "neural/triton/field/tip5.h"
#include "vm/tensor/goldilocks_ext.h"

namespace txvm::triton {
namespace {

namespace gl = vm::goldilocks;
constexpr std::uint64_t kTwo32 = std::uint64_t{1} << 32;
constexpr std::uint64_t kWordMask = kTwo32 - 1;

bool IsInput(const AtomInfo& info) {
  return info.kind == AtomKind::kStack || info.kind == AtomKind::kInput ||
         info.kind == AtomKind::kSecret || info.kind == AtomKind::kDigest ||
         (info.kind == AtomKind::kMemory && info.index == 0 && info.arguments[0] == 0);
}

}  // namespace

std::uint64_t TermEvaluator::Random() {
  if (!pool_.empty() && rng_.OneIn(3)) return pool_[rng_.Below(pool_.size())];
  return rng_.Element();
}

std::uint64_t TermEvaluator::Evaluate(Term term) {
  std::uint64_t sum = 0;
  const std::vector<Summand> summands = table_.Summands(term);
  for (const Summand& summand : summands) {
    std::uint64_t product = summand.coefficient;
    const auto factors = table_.Factors(summand.monomial);
    for (const auto& [atom, exponent] : factors) {
      product = gl::Mul(product, gl::Pow(Value(atom), exponent));
    }
    sum = gl::Add(sum, product);
  }
  return sum;
}

std::uint64_t TermEvaluator::Input(AtomKind kind, std::uint32_t index) {
  return Evaluate(table_.FromAtom(kind, {}, index));
}

void TermEvaluator::Assign(Atom atom, std::uint64_t value) {
  assigned_[atom] = value;
  computed_.clear();
  const AtomInfo info = table_.Info(atom);
  if (info.kind == AtomKind::kMemory) ram_[Evaluate(info.arguments[1])] = value;
}

std::uint64_t TermEvaluator::Value(Atom atom) {
  if (const auto found = computed_.find(atom); found != computed_.end()) return found->second;
  const AtomInfo info = table_.Info(atom);
  std::uint64_t value = 0;
  if (info.kind == AtomKind::kMemory && info.index == 0) {
    value = Memory(info.arguments[0], Evaluate(info.arguments[1]));
  } else if (IsInput(info)) {
    const auto found = assigned_.find(atom);
    value = found != assigned_.end() ? found->second : (assigned_[atom] = Random());
  } else {
    value = Compute(info);
  }
  computed_[atom] = value;
  return value;
}

std::uint64_t TermEvaluator::Memory(Term memory, std::uint64_t address) {
  while (memory != 0) {
    const AtomInfo store = table_.Info(*table_.AsAtom(memory));
    if (Evaluate(store.arguments[1]) == address) return Evaluate(store.arguments[2]);
    memory = store.arguments[0];
  }
  const auto found = ram_.find(address);
  return found != ram_.end() ? found->second : (ram_[address] = Random());
}

std::uint64_t TermEvaluator::Compute(const AtomInfo& info) {
  std::vector<std::uint64_t> x;
  for (const Term argument : info.arguments) x.push_back(Evaluate(argument));
  switch (info.kind) {
    case AtomKind::kInverse:
      return gl::Inverse(x[0]);
    case AtomKind::kIsZero:
      return x[0] == 0 ? 1 : 0;
    case AtomKind::kLess:
      return x[0] < x[1] ? 1 : 0;
    case AtomKind::kAnd:
      return x[0] & x[1] & kWordMask;
    case AtomKind::kPopCount:
      return static_cast<std::uint64_t>(std::popcount(x[0] & kWordMask));
    case AtomKind::kLog2:
      return x[0] == 0 ? 0 : static_cast<std::uint64_t>(std::bit_width(x[0])) - 1;
    case AtomKind::kPower:
      return gl::Pow(x[0], x[1] & kWordMask);
    case AtomKind::kSplitHigh:
      return x[0] >> 32;
    case AtomKind::kQuotient:
      return x[1] == 0 ? 0 : x[0] / x[1];
    case AtomKind::kHash: {
      std::array<std::uint64_t, 10> words{};
      for (std::size_t i = 0; i < words.size(); ++i) words[i] = x[i];
      return Tip5Hash10(words)[info.index];
    }
    case AtomKind::kMerkle: {
      const Digest node = {x[1], x[2], x[3], x[4], x[5]};
      const Digest sibling = {x[6], x[7], x[8], x[9], x[10]};
      return ((x[0] & 1) != 0 ? Tip5HashPair(sibling, node)
                              : Tip5HashPair(node, sibling))[info.index];
    }
    case AtomKind::kExtInverse:
      return gl::Inverse(gl::Cubic{{x[0], x[1], x[2]}}).c[info.index];
    case AtomKind::kProduct:
      return gl::Mul(x[0], x[1]);
    case AtomKind::kStack:
    case AtomKind::kInput:
    case AtomKind::kSecret:
    case AtomKind::kDigest:
    case AtomKind::kOwnDigest:
    case AtomKind::kMemory:
    case AtomKind::kSponge:
    case AtomKind::kSqueezed:
    case AtomKind::kSqueeze:
      break;
  }
  // Sponge states and other whole objects: any value that depends on all of the parts.
  std::uint64_t mixed = static_cast<std::uint64_t>(info.kind) * 31 + info.index;
  for (const std::uint64_t word : x) mixed = MixBits(mixed ^ word);
  return gl::Canonical(mixed);
}

void TermEvaluator::Inputs(Term term, std::set<Atom>& inputs, std::set<Term>& seen) const {
  if (!seen.insert(term).second) return;
  for (const Summand& summand : table_.Summands(term)) {
    for (const auto& [atom, exponent] : table_.Factors(summand.monomial)) {
      const AtomInfo& info = table_.Info(atom);
      if (IsInput(info)) inputs.insert(atom);
      for (const Term argument : info.arguments) Inputs(argument, inputs, seen);
    }
  }
}

// Treats the term as linear in each input in turn. A term that is not linear fails the final check.
bool TermEvaluator::Solve(Term term, std::uint64_t target) {
  if (Evaluate(term) == target) return true;
  std::set<Atom> inputs;
  std::set<Term> seen;
  Inputs(term, inputs, seen);
  std::vector<Atom> order(inputs.begin(), inputs.end());
  for (std::size_t i = order.size(); i > 1; --i) std::swap(order[i - 1], order[rng_.Below(i)]);
  for (const bool use_fixed : {false, true}) {
    for (const Atom atom : order) {
      if (fixed_.contains(atom) != use_fixed) continue;
      const std::uint64_t old = Value(atom);
      Assign(atom, 0);
      const std::uint64_t at_zero = Evaluate(term);
      Assign(atom, 1);
      const std::uint64_t slope = gl::Sub(Evaluate(term), at_zero);
      if (slope != 0) {
        Assign(atom, gl::Mul(gl::Sub(target, at_zero), gl::Inverse(slope)));
        if (Evaluate(term) == target) {
          fixed_.insert(atom);
          return true;
        }
      }
      Assign(atom, old);
    }
  }
  return false;
}

bool TermEvaluator::Holds(const Condition& condition) {
  const auto& [a, b, c] = condition.terms;
  switch (condition.kind) {
    case Condition::Kind::kU32:
      return Evaluate(a) < kTwo32;
    case Condition::Kind::kZero:
      return Evaluate(a) == 0;
    case Condition::Kind::kNonZero:
      return Evaluate(a) != 0;
    case Condition::Kind::kExtNonZero:
      return (Evaluate(a) | Evaluate(b) | Evaluate(c)) != 0;
    case Condition::Kind::kSpongeReady:
      return true;
  }
  return true;
}

void TermEvaluator::Fulfil(const Wish& wish) {
  const Condition& condition = wish.condition;
  if (Holds(condition) == wish.met) return;
  const Term term = condition.terms[0];
  const bool zero = (condition.kind == Condition::Kind::kZero) == wish.met;
  const auto atom = table_.AsAtom(term);
  const bool is_less = atom && table_.Info(*atom).kind == AtomKind::kLess;
  switch (condition.kind) {
    case Condition::Kind::kU32:
      Solve(term, wish.met ? rng_.Word() : kTwo32 + rng_.Next() % (gl::kPrime - kTwo32));
      return;
    case Condition::Kind::kZero:
    case Condition::Kind::kNonZero:
      if (is_less) {
        const AtomInfo info = table_.Info(*atom);
        const std::uint64_t low = rng_.Below(kWordMask);
        const std::uint64_t high = low + 1 + rng_.Below(kWordMask - low);
        Solve(info.arguments[0], zero ? high : low);
        Solve(info.arguments[1], zero ? low : high);
        return;
      }
      Solve(term, zero ? 0 : rng_.OneIn(2) ? 1 : Random());
      return;
    case Condition::Kind::kExtNonZero:
      for (const Term word : condition.terms) Solve(word, wish.met ? Random() : 0);
      return;
    case Condition::Kind::kSpongeReady:
      return;
  }
}

}  // namespace txvm::triton

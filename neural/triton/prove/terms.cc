#include "neural/triton/prove/terms.h"

#include <algorithm>
#include <set>
#include <utility>

#include "neural/triton/field/memory.h"

namespace txvm::triton {
namespace {

namespace gl = vm::goldilocks;

// A product with more monomials stays a product: equal factors are still recognised.
constexpr std::size_t kMostSummands = 1500;
constexpr std::uint64_t kProductWork = 8;  // a product of monomials, in units of a sum
constexpr std::uint64_t kSumWork = 4;      // a summand that is kept: these fill memory
constexpr std::uint64_t kCutWork = 1000;   // a product left as an atom: chains of them are deep
constexpr std::uint32_t kMostExponent = 4096;
constexpr std::size_t kMostRewritten = 16;  // summands of p in p * (1/p) = 1
constexpr std::uint64_t kTwo32 = std::uint64_t{1} << 32;

std::size_t Mix(std::size_t seed, std::uint64_t value) {
  return static_cast<std::size_t>(MixBits(seed * 0x9E37'79B9'7F4A'7C15 + value));
}

std::uint64_t Key(const Summand& summand) {
  return summand.coefficient * 0xD6E8'FEB8'6659'FD93 + summand.monomial;
}
std::uint64_t Key(const std::pair<Atom, std::uint32_t>& factor) {
  return static_cast<std::uint64_t>(factor.first) << 32 | factor.second;
}

}  // namespace

template <class T>
std::size_t TermTable::VectorHash<T>::operator()(const std::vector<T>& values) const {
  std::size_t hash = values.size();
  for (const T& value : values) hash = Mix(hash, Key(value));
  return hash;
}

std::size_t TermTable::AtomHash::operator()(const AtomInfo& atom) const {
  std::size_t hash = Mix(static_cast<std::size_t>(atom.kind), atom.index);
  for (const Term argument : atom.arguments) hash = Mix(hash, argument);
  return hash;
}

TermTable::TermTable() {
  InternMonomial({});
  Intern({});  // term 0 is the constant 0
}

Term TermTable::Intern(std::vector<Summand> summands) {
  const auto found = term_ids_.find(summands);
  if (found != term_ids_.end()) return found->second;
  const auto id = static_cast<Term>(terms_.size());
  std::uint32_t depth = 0;
  for (const Summand& part : summands) depth = std::max(depth, monomial_depths_[part.monomial]);
  term_depths_.push_back(depth);
  terms_.push_back(summands);
  term_ids_.emplace(std::move(summands), id);
  return id;
}

std::uint32_t TermTable::InternMonomial(Monomial monomial) {
  const auto found = monomial_ids_.find(monomial);
  if (found != monomial_ids_.end()) return found->second;
  const auto id = static_cast<std::uint32_t>(monomials_.size());
  std::uint32_t depth = 0;
  for (const auto& [atom, exponent] : monomial) depth = std::max(depth, atom_depths_[atom]);
  work_ += monomial.size();
  monomial_depths_.push_back(depth);
  monomials_.push_back(monomial);
  monomial_ids_.emplace(std::move(monomial), id);
  return id;
}

std::uint32_t TermTable::DepthOf(const AtomInfo& atom) const {
  std::uint32_t depth = 0;
  for (std::size_t i = 0; i < atom.arguments.size(); ++i) {
    // Logs of stores are walked in a loop.
    const bool same = atom.kind == AtomKind::kMemory && i == 0;
    depth = std::max(depth, term_depths_[atom.arguments[i]] + (same ? 0 : 1));
  }
  return depth;
}

Atom TermTable::InternAtom(AtomInfo info) {
  const auto found = atom_ids_.find(info);
  if (found != atom_ids_.end()) return found->second;
  const auto id = static_cast<Atom>(atoms_.size());
  atom_depths_.push_back(DepthOf(info));
  depth_ = std::max(depth_, atom_depths_.back());
  has_rewritten_ |= info.kind == AtomKind::kInverse || info.kind == AtomKind::kIsZero;
  atoms_.push_back(info);
  atom_ids_.emplace(std::move(info), id);
  return id;
}

Term TermTable::AtomTerm(Atom atom, std::uint32_t exponent) {
  return Intern({{InternMonomial({{atom, exponent}}), 1}});
}

Term TermTable::Const(std::uint64_t value) { return value == 0 ? Term{0} : Intern({{0, value}}); }

Term TermTable::FromAtom(AtomKind kind, std::vector<Term> arguments, std::uint32_t index) {
  return AtomTerm(InternAtom({kind, index, std::move(arguments)}));
}

// a + factor * b
Term TermTable::Combine(Term a, Term b, std::uint64_t factor) {
  if (b == 0) return a;
  const std::vector<Summand>& left = terms_[a];
  const std::vector<Summand>& right = terms_[b];
  work_ += kSumWork * (left.size() + right.size());
  std::vector<Summand> sum;
  sum.reserve(left.size() + right.size());
  std::size_t i = 0, j = 0;
  while (i < left.size() || j < right.size()) {
    const bool take_left =
        j == right.size() || (i < left.size() && left[i].monomial < right[j].monomial);
    if (take_left) {
      sum.push_back(left[i++]);
      continue;
    }
    const std::uint64_t scaled = gl::Mul(right[j].coefficient, factor);
    if (i == left.size() || right[j].monomial < left[i].monomial) {
      sum.push_back({right[j++].monomial, scaled});
      continue;
    }
    const std::uint64_t total = gl::Add(left[i++].coefficient, scaled);
    if (total != 0) sum.push_back({right[j].monomial, total});
    ++j;
  }
  return Intern(std::move(sum));
}

Term TermTable::Scale(Term a, std::uint64_t factor) {
  if (factor == 0) return 0;
  std::vector<Summand> summands = terms_[a];
  work_ += kSumWork * summands.size();
  for (Summand& summand : summands) summand.coefficient = gl::Mul(summand.coefficient, factor);
  return Intern(std::move(summands));
}

std::uint32_t TermTable::MulMonomials(std::uint32_t a, std::uint32_t b) {
  if (a == 0) return b;
  if (b == 0) return a;
  Monomial product = monomials_[a];
  for (const auto& [atom, exponent] : monomials_[b]) {
    const auto at = std::lower_bound(product.begin(), product.end(), std::pair{atom, 0u});
    if (at != product.end() && at->first == atom) {
      at->second += exponent;
    } else {
      product.insert(at, {atom, exponent});
    }
  }
  // x * (1/x) = 1: wherever 1/x stands, x != 0 is a condition of the program.
  for (std::size_t i = 0; i < product.size(); ++i) {
    const AtomInfo& info = atoms_[product[i].first];
    if (info.kind != AtomKind::kInverse || product[i].second == 0) continue;
    const auto inner = AsAtom(info.arguments[0]);
    if (!inner) continue;
    for (auto& [atom, exponent] : product) {
      if (atom != *inner) continue;
      const std::uint32_t common = std::min(exponent, product[i].second);
      exponent -= common;
      product[i].second -= common;
    }
  }
  // 0 and 1 are their own squares.
  for (auto& [atom, exponent] : product) {
    const AtomKind kind = atoms_[atom].kind;
    const bool is_bool = kind == AtomKind::kIsZero || kind == AtomKind::kLess;
    if (is_bool && exponent > 1) exponent = 1;
  }
  std::erase_if(product, [](const auto& factor) { return factor.second == 0; });
  return InternMonomial(std::move(product));
}

std::uint32_t TermTable::LargestExponent(Term a) const {
  std::uint32_t largest = 0;
  for (const Summand& summand : terms_[a]) {
    for (const auto& [atom, exponent] : monomials_[summand.monomial]) {
      largest = std::max(largest, exponent);
    }
  }
  return largest;
}

Term TermTable::Power(Term a, std::uint32_t exponent) {
  Term power = Const(1);
  for (; exponent != 0; exponent >>= 1) {
    if ((exponent & 1) != 0) power = Mul(power, a);
    if (exponent > 1) a = Mul(a, a);
  }
  return power;
}

Term TermTable::Mul(Term a, Term b) {
  if (const auto value = AsConst(a)) return Scale(b, *value);
  if (const auto value = AsConst(b)) return Scale(a, *value);
  if (a > b) std::swap(a, b);
  // Exponents are kept small: as numbers of 32 bits they would come back to 0.
  if (terms_[a].size() * terms_[b].size() > kMostSummands ||
      LargestExponent(a) + LargestExponent(b) > kMostExponent) {
    work_ += kCutWork;
    return FromAtom(AtomKind::kProduct, {a, b});
  }
  const std::vector<Summand> left = terms_[a];
  const std::vector<Summand> right = terms_[b];
  work_ += left.size() * right.size() * kProductWork;
  std::vector<Summand> all;
  all.reserve(left.size() * right.size());
  for (const Summand& x : left) {
    for (const Summand& y : right) {
      all.push_back({MulMonomials(x.monomial, y.monomial), gl::Mul(x.coefficient, y.coefficient)});
    }
  }
  std::sort(all.begin(), all.end(),
            [](const Summand& x, const Summand& y) { return x.monomial < y.monomial; });
  std::vector<Summand> product;
  for (const Summand& summand : all) {
    if (!product.empty() && product.back().monomial == summand.monomial) {
      product.back().coefficient = gl::Add(product.back().coefficient, summand.coefficient);
    } else {
      product.push_back(summand);
    }
    if (product.back().coefficient == 0) product.pop_back();
  }
  const Term result = Intern(std::move(product));
  return has_rewritten_ ? Rewrite(result) : result;
}

// Monomials in lexicographic order, the youngest atom first.
bool TermTable::IsBelow(std::uint32_t a, std::uint32_t b) const {
  const Monomial& x = monomials_[a];
  const Monomial& y = monomials_[b];
  return std::lexicographical_compare(x.rbegin(), x.rend(), y.rbegin(), y.rend());
}

// The summand of the highest monomial. REQUIRES a != 0.
std::size_t TermTable::Lead(Term a) const {
  std::size_t lead = 0;
  for (std::size_t i = 1; i < terms_[a].size(); ++i) {
    if (IsBelow(terms_[a][lead].monomial, terms_[a][i].monomial)) lead = i;
  }
  return lead;
}

std::optional<std::uint32_t> TermTable::DivideMonomials(std::uint32_t a, std::uint32_t b) {
  Monomial quotient = monomials_[a];
  for (const auto& [atom, exponent] : monomials_[b]) {
    const auto at = std::lower_bound(quotient.begin(), quotient.end(), std::pair{atom, 0u});
    if (at == quotient.end() || at->first != atom || at->second < exponent) return std::nullopt;
    at->second -= exponent;
  }
  std::erase_if(quotient, [](const auto& factor) { return factor.second == 0; });
  return InternMonomial(std::move(quotient));
}

std::optional<Term> TermTable::Divide(Term a, Term b) {
  constexpr std::size_t kMostSteps = 64;
  const Summand divisor = terms_[b][Lead(b)];
  const std::uint64_t inverse = gl::Inverse(divisor.coefficient);
  Term quotient = 0;
  for (std::size_t step = 0; a != 0; ++step) {
    if (step == kMostSteps || terms_[a].size() > kMostSteps) return std::nullopt;
    const Summand lead = terms_[a][Lead(a)];
    const auto monomial = DivideMonomials(lead.monomial, divisor.monomial);
    if (!monomial) return std::nullopt;
    const Term part = Intern({{*monomial, gl::Mul(lead.coefficient, inverse)}});
    quotient = Add(quotient, part);
    const Term rest = Sub(a, Mul(part, b));
    if (rest != 0 && !IsBelow(terms_[rest][Lead(rest)].monomial, lead.monomial)) {
      return std::nullopt;
    }
    a = rest;
  }
  return quotient;
}

std::optional<Term> TermTable::SquareRoot(Term a) {
  constexpr std::size_t kMostSummands = 16;
  if (a == 0 || terms_[a].size() > kMostSummands) return std::nullopt;
  const Summand lead = terms_[a][Lead(a)];
  Monomial half = monomials_[lead.monomial];
  if (half.empty()) return std::nullopt;
  for (auto& [atom, exponent] : half) {
    if (exponent % 2 != 0) return std::nullopt;
    exponent /= 2;
  }
  const Term square = Scale(a, gl::Inverse(lead.coefficient));
  const Term first = Intern({{InternMonomial(std::move(half)), 1}});
  Term root = first;
  std::uint32_t before = lead.monomial;
  for (std::size_t step = 0; step < kMostSummands; ++step) {
    const Term rest = Sub(square, Mul(root, root));
    if (rest == 0) return root;
    const Summand next = terms_[rest][Lead(rest)];
    if (!IsBelow(next.monomial, before)) return std::nullopt;
    before = next.monomial;
    const auto part = DivideMonomials(next.monomial, terms_[first][0].monomial);
    if (!part) return std::nullopt;
    root = Add(root, Intern({{*part, gl::Mul(next.coefficient, gl::Inverse(2))}}));
  }
  return std::nullopt;
}

// p * (1/p) = 1 and p * (p = 0) = 0 for a sum p: the highest monomial of p beside such an atom
// becomes the other summands. REQUIRES of 1/p that p is not 0, a condition of the program.
std::optional<Term> TermTable::RewriteSummand(const Summand& summand) {
  // Copies, and by index: new terms move the tables.
  for (std::size_t i = 0; i < monomials_[summand.monomial].size(); ++i) {
    const Atom atom = monomials_[summand.monomial][i].first;
    const AtomKind kind = atoms_[atom].kind;
    if (kind != AtomKind::kInverse && kind != AtomKind::kIsZero) continue;
    const Term inner = atoms_[atom].arguments[0];
    if (inner == 0 || terms_[inner].size() > kMostRewritten) continue;
    const Summand lead = terms_[inner][Lead(inner)];
    const auto rest = DivideMonomials(summand.monomial, lead.monomial);
    const std::uint32_t self = InternMonomial({{atom, 1}});
    const auto others = rest ? DivideMonomials(*rest, self) : std::nullopt;
    if (!others) continue;
    const std::uint64_t factor = gl::Mul(summand.coefficient, gl::Inverse(lead.coefficient));
    const Term lower = Sub(inner, Intern({{lead.monomial, lead.coefficient}}));
    Term sum = Scale(Mul(Mul(Intern({{*others, 1}}), lower), AtomTerm(atom)), gl::Neg(factor));
    if (kind == AtomKind::kInverse) sum = Add(sum, Intern({{*others, factor}}));
    return sum;
  }
  return std::nullopt;
}

Term TermTable::Rewrite(Term a) {
  constexpr std::uint32_t kMostNested = 32;
  if (rewrites_ >= kMostNested) return a;
  ++rewrites_;
  const std::vector<Summand> summands = terms_[a];
  std::optional<Term> sum;
  for (std::size_t i = 0; i < summands.size(); ++i) {
    const std::optional<Term> other = RewriteSummand(summands[i]);
    if (!other && !sum) continue;
    if (!sum) {
      sum = Intern(std::vector<Summand>(summands.begin(),
                                        summands.begin() + static_cast<std::ptrdiff_t>(i)));
    }
    sum = Add(*sum, other ? *other : Intern({summands[i]}));
  }
  --rewrites_;
  return sum.value_or(a);
}

template <class Found>
bool TermTable::AnyAtom(Term a, const Found& found) const {
  std::vector<Term> work = {a};
  std::set<Term> seen;
  while (!work.empty()) {
    const Term term = work.back();
    work.pop_back();
    if (!seen.insert(term).second) continue;
    for (const Summand& summand : terms_[term]) {
      for (const auto& [atom, exponent] : monomials_[summand.monomial]) {
        if (found(atom)) return true;
        work.insert(work.end(), atoms_[atom].arguments.begin(), atoms_[atom].arguments.end());
      }
    }
  }
  return false;
}

bool TermTable::HasInverse(Term a) const {
  return AnyAtom(a, [this](Atom atom) {
    const AtomKind kind = atoms_[atom].kind;
    return kind == AtomKind::kInverse || kind == AtomKind::kExtInverse;
  });
}

bool TermTable::Contains(Term a, Atom atom) const {
  return AnyAtom(a, [atom](Atom other) { return other == atom; });
}

Term TermTable::Inverse(Term a) {
  if (const auto value = AsConst(a)) return Const(gl::Inverse(*value));
  const std::uint64_t leading = terms_[a][0].coefficient;
  const Term monic = Monic(a);
  const std::uint64_t scale = gl::Inverse(leading);
  if (terms_[monic].size() != 1) {
    return Scale(FromAtom(AtomKind::kInverse, {monic}), scale);
  }
  // The inverse of a product of atoms is the product of their inverses.
  const Monomial factors = monomials_[terms_[monic][0].monomial];
  Term product = Const(scale);
  for (const auto& [atom, exponent] : factors) {
    const AtomInfo info = atoms_[atom];
    const Term inverse = info.kind == AtomKind::kInverse
                             ? info.arguments[0]
                             : FromAtom(AtomKind::kInverse, {AtomTerm(atom)});
    product = Mul(product, Power(inverse, exponent));
  }
  return product;
}

std::optional<std::uint64_t> TermTable::AsConst(Term a) const {
  const std::vector<Summand>& summands = terms_[a];
  if (summands.empty()) return 0;
  if (summands.size() == 1 && summands[0].monomial == 0) return summands[0].coefficient;
  return std::nullopt;
}

std::optional<Atom> TermTable::AsAtom(Term a) const {
  const std::vector<Summand>& summands = terms_[a];
  if (summands.size() != 1 || summands[0].coefficient != 1) return std::nullopt;
  const Monomial& factors = monomials_[summands[0].monomial];
  if (factors.size() != 1 || factors[0].second != 1) return std::nullopt;
  return factors[0].first;
}

Term TermTable::Monic(Term a) {
  if (a == 0 || terms_[a][0].coefficient == 1) return a;
  return Scale(a, gl::Inverse(terms_[a][0].coefficient));
}

// The largest value of an atom, when it is small by its nature.
std::optional<std::uint64_t> TermTable::Most(Atom atom) const {
  constexpr std::uint64_t kLargest = kTwo32 - 1;
  const AtomInfo& info = atoms_[atom];
  switch (info.kind) {
    case AtomKind::kIsZero:
    case AtomKind::kLess:
      return 1;
    case AtomKind::kPopCount:
      return 32;
    case AtomKind::kLog2:
      return 31;
    case AtomKind::kAnd:
      for (const Term argument : info.arguments) {
        if (const auto value = AsConst(argument)) return std::min(*value, kLargest);
      }
      return kLargest;
    case AtomKind::kQuotient: {
      const auto divisor = AsConst(info.arguments[1]);
      return divisor && *divisor != 0 ? kLargest / *divisor : kLargest;
    }
    case AtomKind::kSplitHigh:
      return kLargest;
    case AtomKind::kStack:
    case AtomKind::kInput:
    case AtomKind::kSecret:
    case AtomKind::kDigest:
    case AtomKind::kOwnDigest:
    case AtomKind::kMemory:
    case AtomKind::kInverse:
    case AtomKind::kPower:
    case AtomKind::kHash:
    case AtomKind::kMerkle:
    case AtomKind::kExtInverse:
    case AtomKind::kSponge:
    case AtomKind::kSqueezed:
    case AtomKind::kSqueeze:
    case AtomKind::kProduct:
      break;
  }
  return std::nullopt;
}

// Bounds as integers: every coefficient read as the nearest integer to 0, every atom 0..Most.
bool TermTable::IsInRange(Term a) const {
  constexpr gl::Int128 kFar = gl::Int128{1} << 100;
  gl::Int128 low = 0, high = 0;
  for (const Summand& summand : terms_[a]) {
    gl::Int128 most = 1;
    for (const auto& [atom, exponent] : monomials_[summand.monomial]) {
      const auto bound = Most(atom);
      if (!bound || exponent > 2) return false;
      for (std::uint32_t i = 0; i < exponent; ++i) {
        most *= static_cast<gl::Int128>(*bound);
        if (most > kFar / static_cast<gl::Int128>(kTwo32)) return false;
      }
    }
    const gl::Int128 coefficient = gl::ToSigned(summand.coefficient);
    if (coefficient > static_cast<gl::Int128>(kTwo32) ||
        coefficient < -static_cast<gl::Int128>(kTwo32)) {
      return false;
    }
    const bool is_constant = summand.monomial == 0;
    if (is_constant || coefficient < 0) low += coefficient * most;
    if (is_constant || coefficient > 0) high += coefficient * most;
  }
  return low >= 0 && high < static_cast<gl::Int128>(kTwo32);
}

// Sums around one atom that are u32: the low half of a split, a remainder, or, xor, and-not.
bool TermTable::MatchesPattern(Term a, Atom atom) {
  const AtomInfo info = atoms_[atom];
  const Term self = AtomTerm(atom);
  if (info.kind == AtomKind::kSplitHigh) {
    return Add(a, Scale(self, kTwo32)) == info.arguments[0];
  }
  if (info.kind == AtomKind::kQuotient) {
    return Add(a, Mul(info.arguments[1], self)) == info.arguments[0];
  }
  if (info.kind != AtomKind::kAnd) return false;
  const Term x = info.arguments[0];
  const Term y = info.arguments[1];
  const Term once = Add(a, self);
  return once == x || once == y || once == Add(x, y) || Add(once, self) == Add(x, y);
}

// c * (n / x) - c * (y / x) * (n / y) for powers x < y of two: some adjacent bits of n.
bool TermTable::IsBitField(Term a) {
  const std::vector<Summand> summands = terms_[a];
  if (summands.size() != 2) return false;
  for (const bool swapped : {false, true}) {
    const Summand& more = summands[swapped ? 1 : 0];
    const Summand& less = summands[swapped ? 0 : 1];
    const auto first = AsAtom(Intern({{more.monomial, 1}}));
    const auto second = AsAtom(Intern({{less.monomial, 1}}));
    if (!first || !second) continue;
    const AtomInfo& high = atoms_[*first];
    const AtomInfo& low = atoms_[*second];
    if (high.kind != AtomKind::kQuotient || low.kind != AtomKind::kQuotient) continue;
    const auto x = AsConst(high.arguments[1]);
    const auto y = AsConst(low.arguments[1]);
    if (!x || !y || *x == 0 || *y % *x != 0 || high.arguments[0] != low.arguments[0]) continue;
    if (more.coefficient <= *x && gl::Neg(less.coefficient) == more.coefficient * (*y / *x)) {
      return true;
    }
  }
  return false;
}

bool TermTable::IsU32(Term a) {
  if (const auto value = AsConst(a)) return *value < kTwo32;
  if (IsInRange(a) || IsBitField(a)) return true;
  const std::vector<Summand> summands = terms_[a];
  for (const Summand& summand : summands) {
    const Monomial factors = monomials_[summand.monomial];
    for (const auto& [atom, exponent] : factors) {
      if (MatchesPattern(a, atom)) return true;
    }
  }
  return false;
}

}  // namespace txvm::triton

#include "frontends/nl/ranges.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <limits>
#include <numeric>
#include <utility>

namespace txvm::frontends::nl {
namespace {

using Known = std::optional<Interval>;

constexpr std::int64_t kLeast = std::numeric_limits<std::int32_t>::min();
constexpr std::int64_t kMost = std::numeric_limits<std::int32_t>::max();
constexpr std::int64_t kMostFactorial = 12, kMostFibonacci = 46;  // the last ones below 2^31
constexpr std::int64_t kMostTerms = 65'536;                       // 1 + ... + 65,536 exceeds an i32

Known Fit(std::int64_t low, std::int64_t high) {
  if (low < kLeast || high > kMost) return std::nullopt;
  return Interval{low, high};
}
Known Single(std::int64_t value) { return Fit(value, value); }

/// The hull of f at the corners of two intervals; right where f is monotone in each operand.
template <typename Function>
Known Corners(const Interval& a, const Interval& b, Function f) {
  const std::array<std::int64_t, 4> values = {f(a.low, b.low), f(a.low, b.high), f(a.high, b.low),
                                              f(a.high, b.high)};
  const auto [low, high] = std::ranges::minmax(values);
  return Fit(low, high);
}

bool ExcludesZero(const Interval& a) { return a.low > 0 || a.high < 0; }

Known Divide(const Interval& a, const Interval& b) {
  if (!a.is_single() || !b.is_single() || b.low == 0 || a.low % b.low != 0) return std::nullopt;
  return Single(a.low / b.low);
}

Known Remainder(const Interval& a, const Interval& b) {
  if (!ExcludesZero(b)) return std::nullopt;
  if (a.is_single() && b.is_single()) return Single(a.low % b.low);
  const std::int64_t most = std::max(std::abs(b.low), std::abs(b.high)) - 1;
  return Interval{std::max(std::min<std::int64_t>(a.low, 0), -most),
                  std::min(std::max<std::int64_t>(a.high, 0), most)};
}

/// base^exponent, or nothing when it leaves i32. exponent >= 0.
std::optional<std::int64_t> SmallPower(std::int64_t base, std::int64_t exponent) {
  if (base == 0 || base == 1 || base == -1) {
    if (exponent == 0) return 1;
    return exponent % 2 == 0 ? base * base : base;
  }
  std::int64_t power = 1;
  for (std::int64_t i = 0; i < exponent; ++i) {
    power *= base;
    if (!Single(power)) return std::nullopt;
  }
  return power;
}

Known Power(const Interval& base, const Interval& exponent) {
  if (exponent.low < 0) return std::nullopt;
  const std::int64_t larger = std::max(std::abs(base.low), std::abs(base.high));
  if (base.is_single() && exponent.is_single()) {
    const auto value = SmallPower(base.low, exponent.low);
    return value ? Single(*value) : std::nullopt;
  }
  const auto most = SmallPower(larger, exponent.high);
  if (!most) return std::nullopt;
  const std::int64_t high = std::max<std::int64_t>(*most, 1);
  return Fit(base.low < 0 ? -high : 0, high);
}

Known Compare(NodeKind kind, const Interval& a, const Interval& b) {
  if (!a.is_single() || !b.is_single()) return Interval{0, 1};
  const std::int64_t x = a.low, y = b.low;
  const bool less = x < y, equal = x == y;
  switch (kind) {
    case NodeKind::kEqual:
      return Single(equal);
    case NodeKind::kNotEqual:
      return Single(!equal);
    case NodeKind::kLess:
      return Single(less);
    case NodeKind::kLessEqual:
      return Single(less || equal);
    case NodeKind::kGreater:
      return Single(!less && !equal);
    default:
      return Single(!less);
  }
}

std::int64_t SumOf(std::int64_t first, std::int64_t last) {
  return first > last ? 0 : (first + last) * (last - first + 1) / 2;
}

/// Every partial sum of first..last lies between the sum of its negative terms and that of its
/// positive ones.
Known SumRange(const Interval& first, const Interval& last) {
  if (first.high > last.low || last.high == kMost) return std::nullopt;
  if (last.high - first.low >= kMostTerms &&
      (last.high >= kMostTerms || first.low <= -kMostTerms)) {
    return std::nullopt;
  }
  const Known partial = Fit(SumOf(first.low, std::min<std::int64_t>(last.high, -1)),
                            SumOf(std::max<std::int64_t>(first.low, 1), last.high));
  if (!partial || !first.is_single() || !last.is_single()) return partial;
  return Single(SumOf(first.low, last.low));
}

Known ProductRange(const Interval& first, const Interval& last) {
  if (!first.is_single() || !last.is_single() || last.high == kMost) return std::nullopt;
  if (first.low > last.low || last.low - first.low >= kMostTerms) return std::nullopt;
  std::int64_t product = 1;
  for (std::int64_t i = first.low; i <= last.low && product != 0; ++i) {
    product *= i;
    if (!Single(product)) return std::nullopt;
  }
  return Single(product);
}

/// A count that may have 2^31 terms or more is left to the wide lowering, which refuses it.
Known CountRange(const Interval& first, const Interval& last) {
  const std::int64_t most = std::max(last.high - first.low, first.high - last.low);
  if (most >= kMost) return std::nullopt;
  return last;
}

std::int64_t Factorial(std::int64_t n) {
  std::int64_t product = 1;
  for (; n > 1; --n) product *= n;
  return product;
}

std::int64_t Fibonacci(std::int64_t n) {
  std::int64_t x = 0, y = 1;
  for (; n > 0; --n) x = std::exchange(y, x + y);
  return x;
}

using Intervals = std::vector<Interval>;

/// Folds a list, whose every partial result must be an i32.
template <typename Function>
Known Fold(Interval start, const Intervals& elements, Function f) {
  Known result = start;
  for (const Interval& element : elements) {
    if (!result) return std::nullopt;
    result = f(*result, element);
  }
  return result;
}

Known Add(const Interval& a, const Interval& b) { return Fit(a.low + b.low, a.high + b.high); }
Known Multiply(const Interval& a, const Interval& b) {
  return Corners(a, b, [](std::int64_t x, std::int64_t y) { return x * y; });
}
Known Larger(const Interval& a, const Interval& b) {
  return Interval{std::max(a.low, b.low), std::max(a.high, b.high)};
}
Known Smaller(const Interval& a, const Interval& b) {
  return Interval{std::min(a.low, b.low), std::min(a.high, b.high)};
}
Known Absolute(const Interval& a) {
  const std::int64_t most = std::max(std::abs(a.low), std::abs(a.high));
  return Fit(ExcludesZero(a) ? std::min(std::abs(a.low), std::abs(a.high)) : 0, most);
}
Known Gcd(const Interval& a, const Interval& b) {
  const Known x = Absolute(a), y = Absolute(b);
  if (!x || !y) return std::nullopt;
  if (x->is_single() && y->is_single()) return Single(std::gcd(x->low, y->low));
  return Interval{0, std::max(x->high, y->high)};
}

Known OfList(NodeKind kind, const Intervals& e) {
  const auto count = static_cast<std::int64_t>(e.size());
  switch (kind) {
    case NodeKind::kSumList:
      return Fold({0, 0}, e, Add);
    case NodeKind::kProductList:
      return Fold({1, 1}, e, Multiply);
    case NodeKind::kCountList:
      return Single(count);
    case NodeKind::kMaxList:
      return e.empty() ? std::nullopt : Fold(e[0], e, Larger);
    case NodeKind::kMinList:
      return e.empty() ? std::nullopt : Fold(e[0], e, Smaller);
    case NodeKind::kGcdList:
      return Fold({0, 0}, e, Gcd);
    default: {  // kMeanList
      const Known sum = Fold({0, 0}, e, Add);
      return sum && !e.empty() ? Divide(*sum, {count, count}) : std::nullopt;
    }
  }
}

Known OfOne(NodeKind kind, const Interval& a) {
  switch (kind) {
    case NodeKind::kNegate:
      return Fit(-a.high, -a.low);
    case NodeKind::kAbs:
      return Absolute(a);
    case NodeKind::kFactorial:
      if (a.low < 0 || a.high > kMostFactorial) return std::nullopt;
      return Interval{Factorial(a.low), Factorial(a.high)};
    case NodeKind::kFibonacci:
      if (a.low < 0 || a.high > kMostFibonacci) return std::nullopt;
      return Interval{Fibonacci(a.low), Fibonacci(a.high)};
    default:  // floor and ceil of an integer
      return a;
  }
}

Known OfTwo(NodeKind kind, const Interval& a, const Interval& b) {
  switch (kind) {
    case NodeKind::kAdd:
      return Add(a, b);
    case NodeKind::kSubtract:
      return Fit(a.low - b.high, a.high - b.low);
    case NodeKind::kMultiply:
      return Multiply(a, b);
    case NodeKind::kDivide:
      return Divide(a, b);
    case NodeKind::kQuotient:
      if (!ExcludesZero(b)) return std::nullopt;
      return Corners(a, b, [](std::int64_t x, std::int64_t y) { return x / y; });
    case NodeKind::kRemainder:
      return Remainder(a, b);
    case NodeKind::kPower:
      return Power(a, b);
    case NodeKind::kSumRange:
      return SumRange(a, b);
    case NodeKind::kProductRange:
      return ProductRange(a, b);
    case NodeKind::kCountRange:
      return CountRange(a, b);
    default:
      return Compare(kind, a, b);
  }
}

Known OfChoice(const Interval& condition, const Interval& yes, const Interval& no) {
  if (condition.is_single()) return condition.low != 0 ? yes : no;
  if (ExcludesZero(condition)) return yes;
  return Interval{std::min(yes.low, no.low), std::max(yes.high, no.high)};
}

Known OfNumber(const Rational& number) {
  const auto value = ToInt64(number);
  return value ? Single(*value) : std::nullopt;
}

class Analyzer {
 public:
  Analyzer(const Ast& ast, std::span<const Rational> numbers) : ast_(ast), numbers_(numbers) {}

  Ranges Run() && {
    for (std::uint32_t i = 0; i < ast_.nodes.size(); ++i) {
      out_.of.push_back(Of(ast_.nodes[i]));
      if (!out_.of.back() && !out_.obstacle) out_.obstacle = i;
    }
    return std::move(out_);
  }

 private:
  Known Of(const Node& node) const {
    if (node.kind == NodeKind::kSlot) return OfNumber(numbers_[node.value]);
    if (node.kind == NodeKind::kLiteral) return Single(node.value);
    if (node.kind == NodeKind::kTemp) return out_.of[ast_.temps[node.value]];
    Intervals args;
    for (const std::uint32_t arg : node.args) {
      if (!out_.of[arg]) return std::nullopt;
      args.push_back(*out_.of[arg]);
    }
    if (Info(node.kind).form == NodeForm::kList) return OfList(node.kind, args);
    if (node.kind == NodeKind::kChoice) return OfChoice(args[0], args[1], args[2]);
    return args.size() == 1 ? OfOne(node.kind, args[0]) : OfTwo(node.kind, args[0], args[1]);
  }

  const Ast& ast_;
  std::span<const Rational> numbers_;
  Ranges out_;
};

/// Marks the nodes below `root` that every run reaches.
void MarkReached(const Ast& ast, std::uint32_t root, std::vector<bool>& reached) {
  reached[root] = true;
  const Node& node = ast.nodes[root];
  const std::size_t always = node.kind == NodeKind::kChoice ? 1 : node.args.size();
  for (std::size_t i = 0; i < always; ++i) MarkReached(ast, node.args[i], reached);
}

}  // namespace

Ranges Analyze(const Ast& ast, std::span<const Rational> numbers) {
  return Analyzer(ast, numbers).Run();
}

std::optional<LongRange> FindLongRange(const Ast& ast, const Ranges& ranges, std::uint64_t limit) {
  std::vector<bool> reached(ast.nodes.size());
  for (const std::uint32_t root : ast.temps) MarkReached(ast, root, reached);
  MarkReached(ast, ast.result, reached);
  for (std::uint32_t i = 0; i < ast.nodes.size(); ++i) {
    const Node& node = ast.nodes[i];
    if (!reached[i] || Info(node.kind).form != NodeForm::kRange) continue;
    if (node.kind == NodeKind::kProductRange) continue;  // ends early at 0 or beyond 256 bits
    const Known first = ranges.of[node.args[0]], last = ranges.of[node.args[1]];
    if (!first || !last) continue;
    const std::int64_t up = last->low - first->high, down = first->low - last->high;
    const std::int64_t steps = node.kind == NodeKind::kCountRange ? std::max(up, down) : up;
    if (steps >= 0 && static_cast<std::uint64_t>(steps) >= limit) {
      return LongRange{i, static_cast<std::uint64_t>(steps) + 1};
    }
  }
  return std::nullopt;
}

}  // namespace txvm::frontends::nl

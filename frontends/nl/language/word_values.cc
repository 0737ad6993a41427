#include "frontends/nl/language/word_values.h"

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <numeric>
#include <utility>

namespace txvm::frontends::nl {
namespace {

using Known = std::optional<std::int32_t>;
// Words as operands: sums, differences and products of two do not leave it.
using Value = std::int64_t;
using Values = std::vector<Value>;

constexpr Value kLeast = std::numeric_limits<std::int32_t>::min();
constexpr Value kMost = std::numeric_limits<std::int32_t>::max();
constexpr Value kMostFactorial = 12, kMostFibonacci = 46;  // the last ones below 2^31
// A longer product that is an i32 has a 0. It is left to the wide code, which ends there.
constexpr Value kMostFactors = 65'536;

Known Fit(Value value) {
  if (value < kLeast || value > kMost) return std::nullopt;
  return static_cast<std::int32_t>(value);
}

Known Divide(Value a, Value b) {
  if (b == 0 || a % b != 0) return std::nullopt;
  return Fit(a / b);
}

Known Power(Value base, Value exponent) {
  if (exponent < 0) return std::nullopt;
  if (exponent == 0) return 1;
  if (base == 0 || base == 1 || base == -1) return Fit(exponent % 2 == 0 ? base * base : base);
  Value power = 1;
  for (Value i = 0; i < exponent; ++i) {
    power *= base;
    if (!Fit(power)) return std::nullopt;
  }
  return Fit(power);
}

Known Compare(NodeKind kind, Value a, Value b) {
  switch (kind) {
    case NodeKind::kEqual:
      return a == b;
    case NodeKind::kNotEqual:
      return a != b;
    case NodeKind::kLess:
      return a < b;
    case NodeKind::kLessEqual:
      return a <= b;
    case NodeKind::kGreater:
      return a > b;
    default:  // kGreaterEqual
      return a >= b;
  }
}

/// first + ... + last, 0 if there are none. Below 2^63 for words.
Value SumOf(Value first, Value last) {
  return first > last ? 0 : (first + last) * (last - first + 1) / 2;
}

/// Every partial sum lies between the sum of the negative terms and that of the positive ones.
Known SumRange(Value first, Value last) {
  if (first > last || last == kMost) return std::nullopt;  // the loop's counter ends at last + 1
  const bool is_narrow =
      Fit(SumOf(first, std::min<Value>(last, -1))) && Fit(SumOf(std::max<Value>(first, 1), last));
  return is_narrow ? Fit(SumOf(first, last)) : std::nullopt;
}

Known ProductRange(Value first, Value last) {
  if (first > last || last == kMost || last - first >= kMostFactors) return std::nullopt;
  Value product = 1;
  for (Value i = first; i <= last && product != 0; ++i) {
    product *= i;
    if (!Fit(product)) return std::nullopt;
  }
  return Fit(product);
}

/// A count that has 2^31 terms or more is left to the wide lowering, which refuses it.
Known CountRange(Value first, Value last) {
  return std::abs(last - first) >= kMost ? std::nullopt : Fit(last);
}

Value Factorial(Value n) {
  Value product = 1;
  for (; n > 1; --n) product *= n;
  return product;
}

Value Fibonacci(Value n) {
  Value x = 0, y = 1;
  for (; n > 0; --n) x = std::exchange(y, x + y);
  return x;
}

/// Folds a list, whose every partial result must be an i32.
template <typename Function>
Known Fold(Value start, const Values& elements, Function f) {
  Known result = Fit(start);
  for (const Value element : elements) {
    if (!result) return std::nullopt;
    result = f(*result, element);
  }
  return result;
}

Known Add(Value a, Value b) { return Fit(a + b); }
Known Multiply(Value a, Value b) { return Fit(a * b); }
Known Larger(Value a, Value b) { return Fit(std::max(a, b)); }
Known Smaller(Value a, Value b) { return Fit(std::min(a, b)); }
/// The narrow code takes the magnitudes first: that of -2^31 is no i32.
Known Gcd(Value a, Value b) {
  return Fit(std::abs(a)) && Fit(std::abs(b)) ? Fit(std::gcd(a, b)) : std::nullopt;
}

Known OfList(NodeKind kind, const Values& e) {
  const auto count = static_cast<Value>(e.size());
  switch (kind) {
    case NodeKind::kSumList:
      return Fold(0, e, Add);
    case NodeKind::kProductList:
      return Fold(1, e, Multiply);
    case NodeKind::kCountList:
      return Fit(count);
    case NodeKind::kMaxList:
      return e.empty() ? std::nullopt : Fold(e[0], e, Larger);
    case NodeKind::kMinList:
      return e.empty() ? std::nullopt : Fold(e[0], e, Smaller);
    case NodeKind::kGcdList:
      return Fold(0, e, Gcd);
    default: {  // kMeanList; of an empty one a division by 0
      const Known sum = Fold(0, e, Add);
      return sum ? Divide(*sum, count) : std::nullopt;
    }
  }
}

Known OfOne(NodeKind kind, Value a) {
  switch (kind) {
    case NodeKind::kNegate:
      return Fit(-a);
    case NodeKind::kAbs:
      return Fit(std::abs(a));
    case NodeKind::kFactorial:
      return a < 0 || a > kMostFactorial ? std::nullopt : Fit(Factorial(a));
    case NodeKind::kFibonacci:
      return a < 0 || a > kMostFibonacci ? std::nullopt : Fit(Fibonacci(a));
    default:  // floor and ceil of an integer
      return Fit(a);
  }
}

Known OfTwo(NodeKind kind, Value a, Value b) {
  switch (kind) {
    case NodeKind::kAdd:
      return Add(a, b);
    case NodeKind::kSubtract:
      return Fit(a - b);
    case NodeKind::kMultiply:
      return Multiply(a, b);
    case NodeKind::kDivide:
      return Divide(a, b);
    case NodeKind::kQuotient:
      return b == 0 ? std::nullopt : Fit(a / b);
    case NodeKind::kRemainder:
      return b == 0 ? std::nullopt : Fit(a % b);
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

Known OfNumber(const Rational& number) {
  const auto value = ToInt64(number);
  return value ? Fit(*value) : std::nullopt;
}

class Finder {
 public:
  Finder(const Ast& ast, std::span<const Rational> numbers) : ast_(ast), numbers_(numbers) {}

  WordValues Run() && {
    for (std::uint32_t i = 0; i < ast_.nodes.size(); ++i) {
      out_.of.push_back(Of(ast_.nodes[i]));
      if (!out_.of.back() && !out_.obstacle) out_.obstacle = i;
    }
    return std::move(out_);
  }

 private:
  Known Of(const Node& node) const {
    if (node.kind == NodeKind::kSlot) return OfNumber(numbers_[node.value]);
    if (node.kind == NodeKind::kLiteral) return Fit(node.value);
    if (node.kind == NodeKind::kTemp) return out_.of[ast_.temps[node.value]];
    Values args;
    for (const std::uint32_t arg : node.args) {
      if (!out_.of[arg]) return std::nullopt;
      args.push_back(*out_.of[arg]);
    }
    if (Info(node.kind).form == NodeForm::kList) return OfList(node.kind, args);
    if (node.kind == NodeKind::kChoice) return Fit(args[0] != 0 ? args[1] : args[2]);
    return args.size() == 1 ? OfOne(node.kind, args[0]) : OfTwo(node.kind, args[0], args[1]);
  }

  const Ast& ast_;
  std::span<const Rational> numbers_;
  WordValues out_;
};

/// Marks what is evaluated below and with `root`. In a narrow program every condition is known, and
/// the elements of a count are not evaluated (lower_narrow.cc).
void MarkReached(const Ast& ast, const WordValues& values, bool wide, std::uint32_t root,
                 std::vector<bool>& reached) {
  reached[root] = true;
  const Node& node = ast.nodes[root];
  const auto mark = [&](std::uint32_t arg) { MarkReached(ast, values, wide, arg, reached); };
  if (node.kind == NodeKind::kCountList && !wide) return;
  if (node.kind == NodeKind::kChoice) {
    mark(node.args[0]);
    if (!wide) mark(node.args[*values.of[node.args[0]] != 0 ? 1 : 2]);
  } else {
    std::ranges::for_each(node.args, mark);
  }
}

}  // namespace

WordValues FindWordValues(const Ast& ast, std::span<const Rational> numbers) {
  return Finder(ast, numbers).Run();
}

std::optional<std::uint32_t> FindLongRange(const Ast& ast, const WordValues& values, bool wide,
                                           std::uint64_t limit) {
  std::vector<bool> reached(ast.nodes.size());
  for (const std::uint32_t root : ast.temps) MarkReached(ast, values, wide, root, reached);
  MarkReached(ast, values, wide, ast.result, reached);
  for (std::uint32_t i = 0; i < ast.nodes.size(); ++i) {
    const Node& node = ast.nodes[i];
    if (!reached[i] || Info(node.kind).form != NodeForm::kRange) continue;
    if (node.kind == NodeKind::kProductRange) continue;
    const Known first = values.of[node.args[0]], last = values.of[node.args[1]];
    if (!first || !last) continue;
    const Value up = Value{*last} - *first;
    const Value steps = node.kind == NodeKind::kCountRange ? std::abs(up) : up;
    if (steps >= 0 && static_cast<std::uint64_t>(steps) >= limit) return i;
  }
  return std::nullopt;
}

}  // namespace txvm::frontends::nl

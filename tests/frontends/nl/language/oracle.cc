#include "tests/frontends/nl/language/oracle.h"

#include <boost/multiprecision/cpp_int.hpp>
#include <expected>
#include <vector>

namespace txvm::frontends::nl {
namespace {

using Integer = boost::multiprecision::cpp_int;
using Fraction = boost::multiprecision::cpp_rational;
using Value = std::expected<Fraction, RefusalKind>;

const Integer kTop = Integer(1) << 255;  // 2^255, the first integer that does not fit
const Integer kTooMany = (Integer(1) << 31) - 1;

std::unexpected<RefusalKind> No(RefusalKind kind) { return std::unexpected(kind); }

Value Fit(const Fraction& x) {
  if (numerator(x) >= kTop || numerator(x) < -kTop || denominator(x) >= kTop) {
    return No(RefusalKind::kTooLarge);
  }
  return x;
}

bool IsWhole(const Fraction& x) { return denominator(x) == 1; }
Fraction Truncate(const Fraction& x) { return Fraction(Integer(numerator(x) / denominator(x))); }

Fraction FromRational(const Rational& value) {
  return Fraction(Integer(ToDecimal(value.numerator)), Integer(ToDecimal(value.denominator)));
}

class Oracle {
 public:
  Oracle(const Ast& ast, std::span<const Rational> numbers, std::uint64_t long_range)
      : ast_(ast), numbers_(numbers), long_range_(long_range) {}

  Expected Run() {
    Value result = Fraction(0);
    for (const std::uint32_t root : ast_.temps) {
      result = Of(root);
      if (!result) break;
      temps_.push_back(*result);
    }
    if (result) result = Of(ast_.result);
    Expected out;
    out.has_long_range = has_long_range_;
    if (!result) {
      out.refusal = result.error();
    } else {
      out.value = numerator(*result).str();
      if (!IsWhole(*result)) out.value += "/" + denominator(*result).str();
    }
    return out;
  }

 private:
  Value Of(std::uint32_t index) {
    const Node& node = ast_.nodes[index];
    switch (node.kind) {
      case NodeKind::kSlot:
        return FromRational(numbers_[node.value]);
      case NodeKind::kLiteral:
        return Fraction(node.value);
      case NodeKind::kTemp:
        return temps_[node.value];
      case NodeKind::kChoice: {
        const Value condition = Of(node.args[0]);
        if (!condition) return condition;
        return Of(node.args[*condition != 0 ? 1 : 2]);
      }
      default:
        break;
    }
    std::vector<Fraction> args;
    for (const std::uint32_t arg : node.args) {
      const Value value = Of(arg);
      if (!value) return value;
      args.push_back(*value);
    }
    if (Info(node.kind).form == NodeForm::kList) return List(node.kind, args);
    if (Info(node.kind).form == NodeForm::kRange) return Range(node.kind, args[0], args[1]);
    return args.size() == 1 ? One(node.kind, args[0]) : Two(node.kind, args[0], args[1]);
  }

  static Value One(NodeKind kind, const Fraction& x) {
    if (kind == NodeKind::kNegate) return Fit(-x);
    if (kind == NodeKind::kAbs) return Fit(abs(x));
    const Fraction toward_zero = Truncate(x);
    if (kind == NodeKind::kFloor) return Fit(toward_zero > x ? toward_zero - 1 : toward_zero);
    if (kind == NodeKind::kCeil) return Fit(toward_zero < x ? toward_zero + 1 : toward_zero);
    if (!IsWhole(x)) return No(RefusalKind::kNoInteger);
    if (x < 0) return No(RefusalKind::kNegative);
    if (x > 1'000) return No(RefusalKind::kTooLarge);  // both are long beyond 2^255
    Integer a = kind == NodeKind::kFactorial ? 1 : 0, b = 1;
    for (Integer i = 1; i <= numerator(x); ++i) {
      if (kind == NodeKind::kFactorial) {
        a *= i;
      } else {
        const Integer next = a + b;
        a = b;
        b = next;
      }
    }
    return Fit(Fraction(a));
  }

  static Value Power(const Fraction& base, const Fraction& exponent) {
    if (!IsWhole(exponent)) return No(RefusalKind::kNoInteger);
    if (base == 0 && exponent < 0) return No(RefusalKind::kDivideZero);
    if (exponent == 0) return Fraction(1);
    if (base == 0 || base == 1) return base;
    const Integer e = abs(numerator(exponent));
    if (base == -1) return Fraction(e % 2 == 0 ? 1 : -1);
    if (e > 300) return No(RefusalKind::kTooLarge);
    Fraction power = 1;
    for (Integer i = 0; i < e; ++i) power *= base;
    return Fit(exponent < 0 ? 1 / power : power);
  }

  static Value Two(NodeKind kind, const Fraction& a, const Fraction& b) {
    const bool divides =
        kind == NodeKind::kDivide || kind == NodeKind::kQuotient || kind == NodeKind::kRemainder;
    if (divides && b == 0) return No(RefusalKind::kDivideZero);
    switch (kind) {
      case NodeKind::kAdd:
        return Fit(a + b);
      case NodeKind::kSubtract:
        return Fit(a - b);
      case NodeKind::kMultiply:
        return Fit(a * b);
      case NodeKind::kDivide:
        return Fit(a / b);
      case NodeKind::kQuotient:
        return Fit(Truncate(a / b));
      case NodeKind::kRemainder:
        return Fit(a - b * Truncate(a / b));
      case NodeKind::kPower:
        return Power(a, b);
      case NodeKind::kEqual:
        return Fraction(a == b ? 1 : 0);
      case NodeKind::kNotEqual:
        return Fraction(a != b ? 1 : 0);
      case NodeKind::kLess:
        return Fraction(a < b ? 1 : 0);
      case NodeKind::kLessEqual:
        return Fraction(a <= b ? 1 : 0);
      case NodeKind::kGreater:
        return Fraction(a > b ? 1 : 0);
      default:
        return Fraction(a >= b ? 1 : 0);
    }
  }

  Value Range(NodeKind kind, const Fraction& a, const Fraction& b) {
    if (!IsWhole(a) || !IsWhole(b)) return No(RefusalKind::kNoInteger);
    const bool is_count = kind == NodeKind::kCountRange;
    if (!is_count && a > b) return No(RefusalKind::kReversed);
    const Integer distance = abs(numerator(Fraction(b - a)));
    if (distance >= kTooMany) {
      has_long_range_ = true;  // refused before or by the run
      return No(RefusalKind::kTooLong);
    }
    if (kind != NodeKind::kProductRange && distance > long_range_) has_long_range_ = true;
    if (is_count) return b;
    if (kind == NodeKind::kSumRange) return Fit((a + b) * Fraction(distance + 1) / 2);
    Fraction product = a;
    for (Fraction i = a; i < b && product != 0;) {
      i += 1;
      const Value next = Fit(product * i);
      if (!next) return next;
      product = *next;
    }
    return product;
  }

  static Value List(NodeKind kind, const std::vector<Fraction>& list) {
    const bool needs_one =
        kind == NodeKind::kMaxList || kind == NodeKind::kMinList || kind == NodeKind::kMeanList;
    if (needs_one && list.empty()) return No(RefusalKind::kEmptyList);
    if (kind == NodeKind::kCountList) return Fraction(list.size());
    if (kind == NodeKind::kMaxList) return *std::ranges::max_element(list);
    if (kind == NodeKind::kMinList) return *std::ranges::min_element(list);
    Value result = Fraction(kind == NodeKind::kProductList ? 1 : 0);
    for (const Fraction& x : list) {
      if (kind == NodeKind::kGcdList) {
        if (!IsWhole(x)) return No(RefusalKind::kNoInteger);
        result = Fraction(Integer(gcd(numerator(*result), numerator(x))));
      } else {
        result = kind == NodeKind::kProductList ? Fit(*result * x) : Fit(*result + x);
      }
      if (!result) return result;
    }
    if (kind == NodeKind::kMeanList) return Fit(*result / Fraction(list.size()));
    return Fit(*result);
  }

  const Ast& ast_;
  std::span<const Rational> numbers_;
  Integer long_range_;
  std::vector<Fraction> temps_;
  bool has_long_range_ = false;
};

}  // namespace

Expected EvaluateExactly(const Ast& ast, std::span<const Rational> numbers,
                         std::uint64_t long_range) {
  return Oracle(ast, numbers, long_range).Run();
}

}  // namespace txvm::frontends::nl

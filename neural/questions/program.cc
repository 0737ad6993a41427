#include "neural/questions/program.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <utility>

namespace txvm::neural::questions {

namespace {

constexpr int kTen = 10;

Wide Gcd(Wide a, Wide b) {
  a = a < 0 ? -a : a;
  b = b < 0 ? -b : b;
  while (b != 0) a = std::exchange(b, a % b);
  return a;
}

std::optional<Wide> Times(Wide a, Wide b) {
  Wide out = 0;
  if (__builtin_mul_overflow(a, b, &out)) return std::nullopt;
  return out;
}

std::optional<Wide> Plus(Wide a, Wide b) {
  Wide out = 0;
  if (__builtin_add_overflow(a, b, &out)) return std::nullopt;
  return out;
}

}  // namespace

std::optional<Fraction> Reduced(Wide numerator, Wide denominator) {
  if (denominator == 0) return std::nullopt;
  const Wide common = Gcd(numerator, denominator);
  const Wide sign = denominator < 0 ? -1 : 1;
  return Fraction{sign * numerator / common, sign * denominator / common};
}

std::optional<Fraction> Add(const Fraction& a, const Fraction& b) {
  const auto left = Times(a.numerator, b.denominator);
  const auto right = Times(b.numerator, a.denominator);
  const auto below = Times(a.denominator, b.denominator);
  if (!left || !right || !below) return std::nullopt;
  const auto above = Plus(*left, *right);
  if (!above) return std::nullopt;
  return Reduced(*above, *below);
}

std::optional<Fraction> Subtract(const Fraction& a, const Fraction& b) {
  return Add(a, {-b.numerator, b.denominator});
}

std::optional<Fraction> Multiply(const Fraction& a, const Fraction& b) {
  const auto above = Times(a.numerator, b.numerator);
  const auto below = Times(a.denominator, b.denominator);
  if (!above || !below) return std::nullopt;
  return Reduced(*above, *below);
}

std::optional<Fraction> Divide(const Fraction& a, const Fraction& b) {
  if (b.numerator == 0) return std::nullopt;
  return Multiply(a, *Reduced(b.denominator, b.numerator));
}

std::optional<int> Compare(const Fraction& a, const Fraction& b) {
  const auto difference = Subtract(a, b);
  if (!difference) return std::nullopt;
  return difference->numerator < 0 ? -1 : difference->numerator > 0 ? 1 : 0;
}

Wide Floor(const Fraction& value) {
  const Wide quotient = value.numerator / value.denominator;
  return value.numerator < 0 && value.numerator % value.denominator != 0 ? quotient - 1 : quotient;
}

std::string ToText(Wide value) {
  std::string text;
  const bool negative = value < 0;
  do {
    const int digit = static_cast<int>(value % kTen);
    text.push_back(static_cast<char>('0' + (digit < 0 ? -digit : digit)));
    value /= kTen;
  } while (value != 0);
  if (negative) text.push_back('-');
  std::ranges::reverse(text);
  return text;
}

std::string ToText(const Fraction& value) {
  if (value.IsInteger()) return ToText(value.numerator);
  return ToText(value.numerator) + "/" + ToText(value.denominator);
}

namespace {

constexpr std::size_t kMaxLoop = 4096;  // longest range evaluated here, in steps

constexpr std::size_t kMostText = 400;  // letters of a program; also bounds how deep it nests

/// After the first fault, the rest of the text counts as read.
class Reader {
 public:
  explicit Reader(std::string_view text) : text_(text) {}

  isa::Result<Program> Run() {
    if (text_.size() > kMostText) {
      return isa::Fail(isa::ErrorCode::kInvalid,
                       fmt::format("the program '{}...' is longer than {} letters",
                                   text_.substr(0, kMostText / 10), kMostText));
    }
    Program program;
    while (DefinesTemporary()) {
      is_defining_ = true;
      const Expr temporary = Primary();
      is_defining_ = false;
      if (temporary.op != Op::kTemporary || temporary.value != program.temporaries.size()) {
        Fault("temporaries are T0, T1, ... in order");
      }
      temporaries_ = program.temporaries.size();
      Expect(":=");
      program.temporaries.push_back(Expression());
      Expect(";");
      temporaries_ = program.temporaries.size();
    }
    program.result = Expression();
    if (At() != '\0') Fault("nothing may follow");
    if (fault_.empty()) return program;
    return isa::Fail(isa::ErrorCode::kInvalid,
                     fmt::format("the program '{}' cannot be read at letter {}: {}", text_,
                                 fault_at_ + 1, fault_));
  }

 private:
  char At() {
    while (at_ < text_.size() && text_[at_] == ' ') ++at_;
    return at_ < text_.size() ? text_[at_] : '\0';
  }
  bool DefinesTemporary() {
    constexpr std::size_t kSpelling = 3;  // "T0 "
    return At() == 'T' && text_.substr(at_ + kSpelling).starts_with(":=");
  }
  void Fault(std::string why) {
    if (fault_.empty()) {
      fault_ = std::move(why);
      fault_at_ = std::min(at_, text_.size());
    }
    at_ = text_.size();
  }
  void Expect(std::string_view word) {
    if (!Take(word)) Fault("'" + std::string(word) + "' is expected");
  }
  bool Take(std::string_view word) {
    At();
    if (!text_.substr(at_).starts_with(word)) return false;
    const bool is_name = word[0] >= 'a' && word[0] <= 'z';
    const std::size_t end = at_ + word.size();
    if (is_name && end < text_.size() && text_[end] >= 'a' && text_[end] <= 'z') return false;
    at_ = end;
    return true;
  }
  std::string TakeAny(std::initializer_list<std::string_view> words) {
    for (const std::string_view word : words) {
      if (Take(word)) return std::string(word);
    }
    return {};
  }
  Expr Expression() {
    if (Take("if")) {
      Expr out{Op::kChoice, "if", 0, {}};
      out.args.push_back(Expression());
      Expect("then");
      out.args.push_back(Expression());
      Expect("else");
      out.args.push_back(Expression());
      return out;
    }
    Expr left = Sum();
    const std::string word = TakeAny({"==", "!=", "<=", ">=", "<", ">"});
    if (word.empty()) return left;
    return Infix(word, std::move(left), Sum());
  }
  Expr Sum() {
    Expr left = Term();
    for (std::string word; !(word = TakeAny({"+", "-"})).empty();) {
      left = Infix(word, std::move(left), Term());
    }
    return left;
  }
  Expr Term() {
    Expr left = Negative();
    for (std::string word; !(word = TakeAny({"*", "/", "div", "mod"})).empty();) {
      left = Infix(word, std::move(left), Negative());
    }
    return left;
  }
  Expr Negative() {
    if (Take("-")) return {Op::kNegate, "-", 0, {Negative()}};
    Expr left = Primary();
    if (!Take("^")) return left;
    return Infix("^", std::move(left), Negative());
  }
  Expr Bound() {
    if (Take("-")) return {Op::kNegate, "-", 0, {Primary()}};
    return Primary();
  }
  Expr Primary() {
    if (Take("(")) {
      Expr inner = Expression();
      Expect(")");
      return inner;
    }
    if (const std::string call = TakeAny({"abs", "floor", "ceil", "fact", "fib"}); !call.empty()) {
      return {Op::kCall, call, 0, {Primary()}};
    }
    if (const std::string word = TakeAny({"sum", "product", "count", "max", "min", "mean", "gcd"});
        !word.empty()) {
      return RangeOrList(word);
    }
    return Leaf();
  }
  Expr RangeOrList(const std::string& word) {
    if (!Take("[")) {
      Expr out{Op::kRange, word, 0, {}};
      out.args.push_back(Bound());
      Expect("to");
      out.args.push_back(Bound());
      return out;
    }
    Expr out{Op::kList, word, 0, {}};
    while (!Take("]")) {
      if (At() == '\0') {
        Fault("']' is expected");
        return out;
      }
      out.args.push_back(Expression());
      Take(",");
    }
    return out;
  }
  Expr Leaf() {
    const char c = At();
    ++at_;
    if (c >= 'a' && c <= 'z') return Variable(static_cast<std::size_t>(c - 'a'));
    Expr out{c == 'T' ? Op::kTemporary : Op::kLiteral, "", 0, {}};
    if (c != 'T') --at_;
    if (at_ >= text_.size() || text_[at_] < '0' || text_[at_] > '9') {
      Fault("a number, a letter or '(' is expected");
      return out;
    }
    constexpr std::uint32_t kBase = 10;
    while (at_ < text_.size() && text_[at_] >= '0' && text_[at_] <= '9') {
      out.value = out.value * kBase + static_cast<std::uint32_t>(text_[at_++] - '0');
      if (out.value > kMostLiteral) Fault("a number above a million");
    }
    if (out.op == Op::kTemporary && !is_defining_ && out.value >= temporaries_) {
      Fault("there is no such temporary before it");
    }
    return out;
  }

  static constexpr std::uint32_t kMostLiteral = 1'000'000;

  std::string_view text_;
  std::size_t at_ = 0;
  std::size_t temporaries_ = 0;  // defined so far
  bool is_defining_ = false;     // the temporary being read is the one that is defined
  std::string fault_;
  std::size_t fault_at_ = 0;
};

using Value = std::optional<Fraction>;

class Evaluator {
 public:
  explicit Evaluator(std::span<const Fraction> values) : values_(values) {}

  Value Run(const Program& program) {
    for (const Expr& expr : program.temporaries) {
      const Value value = Of(expr);
      if (!value) return value;
      temporaries_.push_back(*value);
    }
    return Of(program.result);
  }

 private:
  Value Of(const Expr& expr) {
    switch (expr.op) {
      case Op::kVariable:
        return values_[expr.value];
      case Op::kLiteral:
        return Fraction{expr.value, 1};
      case Op::kTemporary:
        return temporaries_[expr.value];
      case Op::kChoice: {
        const Value condition = Of(expr.args[0]);
        if (!condition) return condition;
        return Of(expr.args[condition->IsZero() ? 2 : 1]);
      }
      case Op::kNegate:
      case Op::kInfix:
      case Op::kCall:
      case Op::kRange:
      case Op::kList:
        break;
    }
    std::vector<Fraction> args;
    for (const Expr& arg : expr.args) {
      const Value value = Of(arg);
      if (!value) return value;
      args.push_back(*value);
    }
    if (expr.op == Op::kNegate) return Subtract({}, args[0]);
    if (expr.op == Op::kInfix) return OfInfix(expr.word, args[0], args[1]);
    if (expr.op == Op::kCall) return OfCall(expr.word, args[0]);
    if (expr.op == Op::kRange) return OfRange(expr.word, args[0], args[1]);
    return OfList(expr.word, args);
  }

  static Value OfInfix(const std::string& word, const Fraction& a, const Fraction& b) {
    if (word == "+") return Add(a, b);
    if (word == "-") return Subtract(a, b);
    if (word == "*") return Multiply(a, b);
    if (word == "/") return Divide(a, b);
    if (word == "^") return OfPower(a, b);
    if (word == "div" || word == "mod") {
      const Value quotient = Divide(a, b);
      if (!quotient) return quotient;
      const Fraction whole{quotient->numerator / quotient->denominator, 1};
      if (word == "div") return whole;
      const Value part = Multiply(whole, b);
      return part ? Subtract(a, *part) : part;
    }
    const auto order = Compare(a, b);
    if (!order) return std::nullopt;
    const bool holds = word == "=="   ? *order == 0
                       : word == "!=" ? *order != 0
                       : word == "<"  ? *order < 0
                       : word == "<=" ? *order <= 0
                       : word == ">"  ? *order > 0
                                      : *order >= 0;
    return Fraction{holds ? 1 : 0, 1};
  }
  static Value OfPower(const Fraction& base, const Fraction& exponent) {
    if (!exponent.IsInteger() || exponent.numerator < 0 || exponent.numerator > kMaxPower) {
      return std::nullopt;
    }
    Value out = Fraction{1, 1};
    for (Wide i = 0; i < exponent.numerator && out; ++i) out = Multiply(*out, base);
    return out;
  }
  static Value OfCall(const std::string& word, const Fraction& a) {
    if (word == "abs") return a.numerator < 0 ? Subtract({}, a) : Value(a);
    if (word == "floor") return Fraction{Floor(a), 1};
    if (word == "ceil") return Fraction{-Floor({-a.numerator, a.denominator}), 1};
    if (!a.IsInteger() || a.numerator < 0 || a.numerator > kMaxPower) return std::nullopt;
    Value last = Fraction{}, out = Fraction{word == "fib" ? 0 : 1, 1};
    Value next = Fraction{1, 1};
    for (Wide i = 1; i <= a.numerator && out && next; ++i) {
      if (word == "fact") {
        out = Multiply(*out, {i, 1});
      } else {
        last = out;
        out = next;
        next = Add(*last, *next);
      }
    }
    return out;
  }
  static Value OfRange(const std::string& word, const Fraction& from, const Fraction& to) {
    if (!from.IsInteger() || !to.IsInteger()) return std::nullopt;
    if (word == "count") return to;
    if (to.numerator < from.numerator) return std::nullopt;
    if (word == "sum") {
      const Value ends = Add(from, to);
      const Value count = Subtract({to.numerator + 1, 1}, from);
      const Value twice = ends && count ? Multiply(*ends, *count) : std::nullopt;
      return twice ? Divide(*twice, {2, 1}) : twice;
    }
    if (to.numerator - from.numerator > static_cast<Wide>(kMaxLoop)) return std::nullopt;
    Value out = Fraction{1, 1};
    for (Wide i = from.numerator; i <= to.numerator && out; ++i) out = Multiply(*out, {i, 1});
    return out;
  }
  static Value OfList(const std::string& word, const std::vector<Fraction>& args) {
    if (word == "count") return Fraction{static_cast<Wide>(args.size()), 1};
    if (word == "sum" || word == "product" || word == "mean") {
      Value out = Fraction{word == "product" ? 1 : 0, 1};
      for (const Fraction& arg : args) {
        if (out) out = word == "product" ? Multiply(*out, arg) : Add(*out, arg);
      }
      if (word != "mean" || !out) return out;
      return Divide(*out, {static_cast<Wide>(args.size()), 1});
    }
    if (args.empty()) return std::nullopt;
    Fraction out = args[0];
    for (const Fraction& arg : args) {
      const auto order = Compare(arg, out);
      if (!order) return std::nullopt;
      if (word == "gcd") {
        if (!arg.IsInteger()) return std::nullopt;
        Wide a = out.numerator, b = arg.numerator;
        while (b != 0) a = std::exchange(b, a % b);
        out.numerator = a < 0 ? -a : a;
      } else if (word == "max" ? *order > 0 : *order < 0) {
        out = arg;
      }
    }
    return out;
  }

  static constexpr Wide kMaxPower = 400;
  std::span<const Fraction> values_;
  std::vector<Fraction> temporaries_;
};

void Collect(const Expr& expr, std::uint64_t& bits) {
  if (expr.op == Op::kVariable) bits |= std::uint64_t{1} << expr.value;
  for (const Expr& arg : expr.args) Collect(arg, bits);
}

std::size_t CountSteps(const Expr& expr) {
  std::size_t steps = expr.args.empty() ? 0 : 1;
  for (const Expr& arg : expr.args) steps += CountSteps(arg);
  return steps;
}

}  // namespace

Expr Variable(std::size_t index) {
  return {Op::kVariable, "", static_cast<std::uint32_t>(index), {}};
}
Expr Literal(std::uint32_t value) { return {Op::kLiteral, "", value, {}}; }
Expr Infix(std::string_view word, Expr left, Expr right) {
  Expr out{Op::kInfix, std::string(word), 0, {}};
  out.args.push_back(std::move(left));
  out.args.push_back(std::move(right));
  return out;
}
Expr List(std::string_view word, std::vector<Expr> elements) {
  return {Op::kList, std::string(word), 0, std::move(elements)};
}

isa::Result<Program> ReadProgram(std::string_view text) { return Reader(text).Run(); }
Program ParseProgram(std::string_view text) {
  isa::Result<Program> program = ReadProgram(text);
  TXVM_ASSERT(program);
  return *std::move(program);
}

std::optional<Fraction> Evaluate(const Program& program, std::span<const Fraction> values) {
  return Evaluator(values).Run(program);
}

Expr Substitute(const Expr& expr, std::span<const Expr> by) {
  if (expr.op == Op::kVariable) return by[expr.value];
  Expr out = expr;
  for (Expr& arg : out.args) arg = Substitute(arg, by);
  return out;
}

std::uint64_t VariablesOf(const Program& program) {
  std::uint64_t bits = 0;
  for (const Expr& expr : program.temporaries) Collect(expr, bits);
  Collect(program.result, bits);
  return bits;
}

std::size_t Steps(const Program& program) {
  std::size_t steps = CountSteps(program.result);
  for (const Expr& expr : program.temporaries) steps += CountSteps(expr);
  return steps;
}

namespace {

// How tightly a form binds: 0 choice, 1 comparison, 2 sum, 3 term, 4 negative, 5 power, 6 primary.
constexpr int kChoice = 0, kComparison = 1, kSum = 2, kTerm = 3, kNegative = 4, kPower = 5,
              kPrimary = 6;

int LevelOf(const Expr& expr) {
  if (expr.op == Op::kChoice) return kChoice;
  if (expr.op == Op::kNegate) return kNegative;
  if (expr.op != Op::kInfix) return kPrimary;
  const std::string& word = expr.word;
  if (word == "+" || word == "-") return kSum;
  if (word == "*" || word == "/" || word == "div" || word == "mod") return kTerm;
  return word == "^" ? kPower : kComparison;
}

/// A term of a sum, or a factor of a product.
struct Term {
  Expr expr;
  bool is_taken_away = false;
};

constexpr std::size_t kNoSlot = std::numeric_limits<std::size_t>::max();

class Printer {
 public:
  Printer(std::span<const std::size_t> slots, Order order) : slots_(slots), order_(order) {}

  std::string Run(const Program& program) {
    for (std::size_t i = 0; i < program.temporaries.size(); ++i) {
      Word("T" + std::to_string(i));
      Word(":=");
      Put(Ordered(program.temporaries[i]), kChoice);
      Word(";");
    }
    Put(Ordered(program.result), kChoice);
    Word("=");
    return std::move(out_);
  }

 private:
  std::size_t FirstSlot(const Expr& expr) const {
    std::size_t first = expr.op == Op::kVariable ? slots_[expr.value] : kNoSlot;
    if (expr.op == Op::kTemporary) first = 0;
    for (const Expr& arg : expr.args) first = std::min(first, FirstSlot(arg));
    return first;
  }
  Expr Ordered(const Expr& expr) const {
    Expr out = expr;
    for (Expr& arg : out.args) arg = Ordered(arg);
    if (out.op != Op::kInfix) return out;
    const bool is_sum = out.word == "+" || (out.word == "-" && order_ == Order::kStory);
    if (!is_sum && out.word != "*") return out;
    std::vector<Term> terms;
    Flatten(out, out.word == "*" ? "*" : "+", false, terms);
    std::ranges::stable_sort(terms, {}, [this](const Term& term) { return FirstSlot(term.expr); });
    const auto first = std::ranges::find(terms, false, &Term::is_taken_away);
    if (first == terms.end()) return out;
    std::rotate(terms.begin(), first, first + 1);
    Expr sorted = std::move(terms[0].expr);
    for (std::size_t i = 1; i < terms.size(); ++i) {
      const std::string_view word = terms[i].is_taken_away ? "-" : out.word == "*" ? "*" : "+";
      sorted = Infix(word, std::move(sorted), std::move(terms[i].expr));
    }
    return sorted;
  }
  void Flatten(const Expr& expr, std::string_view word, bool is_taken_away,
               std::vector<Term>& terms) const {
    const bool is_minus = word == "+" && expr.word == "-" && order_ == Order::kStory;
    if (expr.op != Op::kInfix || (expr.word != word && !is_minus)) {
      terms.push_back({expr, is_taken_away});
      return;
    }
    Flatten(expr.args[0], word, is_taken_away, terms);
    Flatten(expr.args[1], word, is_taken_away != is_minus, terms);
  }

  void Word(const std::string& word) {
    if (!out_.empty()) out_ += ' ';
    out_ += word;
  }
  void Put(const Expr& expr, int least) {
    const bool group = LevelOf(expr) < least;
    if (group) Word("(");
    PutBare(expr);
    if (group) Word(")");
  }
  void PutBare(const Expr& expr) {
    switch (expr.op) {
      case Op::kVariable:
        return Word("N" + std::to_string(slots_[expr.value]));
      case Op::kLiteral:
        return Word(std::to_string(expr.value));
      case Op::kTemporary:
        return Word("T" + std::to_string(expr.value));
      case Op::kChoice:
        Word("if");
        Put(expr.args[0], kChoice);
        Word("then");
        Put(expr.args[1], kChoice);
        Word("else");
        return Put(expr.args[2], kChoice);
      case Op::kNegate:
        Word("-");
        return Put(expr.args[0], kNegative);
      case Op::kInfix:
        return PutInfix(expr);
      case Op::kCall:
        Word(expr.word);
        return Put(expr.args[0], kPrimary);
      case Op::kRange:
        Word(expr.word);
        PutBound(expr.args[0]);
        Word("to");
        return PutBound(expr.args[1]);
      case Op::kList:
        Word(expr.word);
        Word("[");
        for (std::size_t i = 0; i < expr.args.size(); ++i) {
          if (i > 0) Word(",");
          Put(expr.args[i], kChoice);
        }
        return Word("]");
    }
  }
  void PutBound(const Expr& expr) {
    if (expr.op != Op::kNegate) return Put(expr, kPrimary);
    Word("-");
    Put(expr.args[0], kPrimary);
  }
  void PutInfix(const Expr& expr) {
    const int level = LevelOf(expr);
    const int left = level == kComparison ? kSum : level == kPower ? kPrimary : level;
    const int right = level == kComparison ? kSum : level == kPower ? kNegative : level + 1;
    Put(expr.args[0], left);
    Word(expr.word);
    Put(expr.args[1], right);
  }

  std::span<const std::size_t> slots_;
  Order order_;
  std::string out_;
};

}  // namespace

std::string CanonicalText(const Program& program, std::span<const std::size_t> slots, Order order) {
  return Printer(slots, order).Run(program);
}

}  // namespace txvm::neural::questions

#include <algorithm>
#include <limits>
#include <utility>

#include "neural/questions/program.h"

namespace txvm::neural::questions {
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

#include <array>
#include <string>
#include <utility>

#include "neural/questions/draft.h"

// Questions about bare numbers put together of parts: comparisons, decisions, functions and values
// with a name. What is compared, how a relation is said and what is done with the outcome are drawn
// apart, and each number may be an operation instead.

namespace txvm::neural::questions {
namespace {

/// A program and the words for it.
struct Said {
  std::string program, text;
};

struct Operation {
  std::string_view sign, rule;
  unsigned weight;
};
constexpr std::array kOperations = {Operation{"+", "_add", 30}, Operation{"-", "_subtract", 30},
                                    Operation{"*", "_multiply", 28}, Operation{"/", "_divide", 8}};

struct Relation {
  std::string_view sign, rule, of_class;  // of its numbers (numbers.h)
  unsigned weight;
};
constexpr std::array kRelations = {
    Relation{">", "spoken_above", "z", 24},  Relation{"<", "spoken_below", "z", 24},
    Relation{">=", "spoken_least", "o", 14}, Relation{"<=", "spoken_most", "o", 14},
    Relation{"==", "spoken_equal", "o", 14}, Relation{"!=", "spoken_other", "o", 10}};

/// {l} and {r} of a program are its operands.
struct Function {
  std::string_view program, rule;
  std::string_view left, right;  // classes of numbers (numbers.h); "": an operand of any kind
  unsigned weight;
};
constexpr std::array kFunctions = {Function{"max [{l}, {r}]", "spoken_max", "", "", 20},
                                   Function{"min [{l}, {r}]", "spoken_min", "", "", 18},
                                   Function{"abs ({l} - {r})", "spoken_abs", "z", "z", 18},
                                   Function{"gcd [{l}, {r}]", "spoken_gcd", "m", "m", 8},
                                   Function{"{l} ^ {r}", "spoken_power", "b", "x", 22},
                                   Function{"{l} ^ 2", "spoken_square", "z", "", 8},
                                   Function{"{l} ^ 3", "spoken_cube", "t", "", 6},
                                   Function{"fact {l}", "spoken_factorial", "n", "", 9},
                                   Function{"fib {l}", "spoken_fibonacci", "f", "", 3}};

class Speaker {
 public:
  explicit Speaker(const Workshop& workshop) : workshop_(workshop), random_(workshop.random) {}

  Draft Comparison() {
    const Relation& relation = random_.PickByWeight(std::span<const Relation>(kRelations));
    const Said left = Operand(20, relation.of_class), right = Operand(20, relation.of_class);
    return Finish("spoken_ask_whether", Relate(relation, left, right),
                  left.program + " " + std::string(relation.sign) + " " + right.program);
  }

  Draft Decision() {
    const Relation& relation = random_.PickByWeight(std::span<const Relation>(kRelations));
    const Said left = Operand(15, relation.of_class), right = Operand(15, relation.of_class);
    std::string condition = Relate(relation, left, right);
    if (random_.Chance(20)) {
      condition = left.text + " " + std::string(relation.sign) + " " + right.text;
    }
    const Said yes = Operand(30), no = Operand(30);
    // "no unless the condition holds" and the like turn it round.
    const bool is_turned = random_.Chance(15);
    std::string text = Text(is_turned ? "spoken_unless" : "spoken_if");
    text = Replaced(Replaced(Replaced(text, "%y", yes.text), "%n", no.text), "%c", condition);
    draft_.marked = workshop_.expander.Expand(text);
    return Finished("if " + left.program + " " + std::string(relation.sign) + " " + right.program +
                    " then " + yes.program + " else " + no.program);
  }

  Draft OfFunction() {
    Said said = Call();
    // What follows the words of a function could belong to its last operand.
    const std::size_t draw = random_.Below(100);
    if (draw < 15) {
      said = Operate(said, Number(), "then");
    } else if (draw < 28) {
      said = Operate(Number(), said, "infix");
    }
    return Finish("ask_phrase", said.text, said.program);
  }

  Draft Named() {
    constexpr std::array<std::array<std::string_view, 2>, 12> kPairs = {
        {{"x", "y"},
         {"x", "y"},
         {"p", "q"},
         {"m", "n"},
         {"u", "v"},
         {"s", "t"},
         {"A", "B"},
         {"X", "Y"},
         {"alpha", "beta"},
         {"the first value", "the second value"},
         {"the first number", "the second number"},
         {"k", "w"}}};
    const std::array<std::string_view, 2> names =
        random_.Pick(std::span<const std::array<std::string_view, 2>>(kPairs));
    const Said first{"T0", std::string(names[0])}, second{"T1", std::string(names[1])};
    const Said one = OfNumbers();
    if (random_.Chance(15)) return Finish(one, {}, OfOne(first), names);
    const bool is_linked = random_.Chance(40);
    const Said other =
        is_linked ? random_.Chance(75) ? Operate(first, Number()) : Operate(Number(), first)
                  : OfNumbers();
    return Finish(one, other, OfBoth(first, second), names);
  }

 private:
  std::string Text(std::string_view rule) { return std::string(workshop_.PickText(rule)); }

  Said Number(std::string_view of_class = "z") {
    const std::string letter(1, static_cast<char>('a' + draft_.next_variable++));
    draft_.specification.Add(letter + ":" + std::string(of_class));
    return {letter, "{" + letter + "}"};
  }
  /// A number, or an operation in `percent` of 100 draws.
  Said Operand(unsigned percent, std::string_view of_class = "z") {
    if (!random_.Chance(percent)) return Number(of_class);
    return OfNumbers();
  }
  Said OfNumbers() {
    const Said left = Number("m");
    return Operate(left, Number("m"));
  }
  /// Said by the rule of that kind: what the operands are decides what would be ambiguous.
  Said Operate(const Said& left, const Said& right, std::string_view kind = "spoken") {
    const Operation& operation = random_.PickByWeight(std::span<const Operation>(kOperations));
    return {"(" + left.program + " " + std::string(operation.sign) + " " + right.program + ")",
            Filled(Text(std::string(kind) + std::string(operation.rule)), left, right)};
  }
  Said Call() {
    const Function& function = random_.PickByWeight(std::span<const Function>(kFunctions));
    const auto operand = [&](std::string_view of_class) {
      return of_class.empty() ? Operand(15) : Number(of_class);
    };
    const Said left = operand(function.left);
    const bool has_two = function.program.find("{r}") != std::string_view::npos;
    const Said right = has_two ? operand(function.right) : Said{};
    std::string program =
        Replaced(Replaced(function.program, "{l}", left.program), "{r}", right.program);
    return {"(" + program + ")", Filled(Text(function.rule), left, right)};
  }
  static std::string Filled(std::string text, const Said& left, const Said& right) {
    return Replaced(Replaced(text, "{l}", left.text), "{r}", right.text);
  }

  /// "5 is greater than 3"; its parts are kept.
  std::string Relate(const Relation& relation, const Said& left, const Said& right) {
    left_ = left.text;
    right_ = right.text;
    words_ = Text(relation.rule);
    return left_ + " is " + words_ + " " + right_;
  }

  Said OfOne(const Said& name) {
    constexpr std::array<std::array<std::string_view, 2>, 5> kForms = {
        {{"T0 * T0", "%x times itself"},
         {"T0 * T0", "the square of %x"},
         {"T0 * T0", "%x times %x"},
         {"T0 * T0", "%x squared"},
         {"T0 + T0 * T0", "%x plus the square of %x"}}};
    const auto& [program, text] =
        random_.Pick(std::span<const std::array<std::string_view, 2>>(kForms));
    return {std::string(program), Replaced(text, "%x", name.text)};
  }
  Said OfBoth(const Said& first, const Said& second) {
    const bool is_turned = random_.Chance(40);
    const Said& left = is_turned ? second : first;
    const Said& right = is_turned ? first : second;
    if (random_.Chance(85)) return Operate(left, right);
    const bool is_max = random_.Chance(50);
    return {std::string(is_max ? "max [" : "min [") + left.program + ", " + right.program + "]",
            Filled(Text(is_max ? "spoken_max" : "spoken_min"), left, right)};
  }

  Draft Finish(std::string_view rule, const std::string& formula, const std::string& program) {
    std::string text = Text(rule);
    for (const auto& [what, by] : {Opening{"{f}", formula}, Opening{"%l", left_},
                                   Opening{"%r", right_}, Opening{"%R", words_}}) {
      text = Replaced(text, what, by);
    }
    draft_.marked = workshop_.expander.Expand(text);
    return Finished(program);
  }
  Draft Finish(const Said& one, const Said& other, const Said& asked,
               const std::array<std::string_view, 2>& names) {
    const bool has_other = !other.program.empty();
    std::string text = Text(has_other ? "spoken_name_both" : "spoken_name_one");
    const std::string define = Text("spoken_define");
    const auto defined = [&](std::string_view name, const Said& said) {
      return Replaced(Replaced(define, "%n", name), "%e", said.text);
    };
    for (const auto& [what, by] :
         {Opening{"%x", names[0]}, Opening{"%y", names[1]}, Opening{"%e", one.text},
          Opening{"%g", other.text}, Opening{"%f", asked.text}}) {
      text = Replaced(text, what, by);
    }
    text = Replaced(text, "%1", defined(names[0], one));
    text = Replaced(text, "%2", defined(names[1], other));
    draft_.marked = workshop_.expander.Expand(text);
    return Finished("T0 := " + one.program + "; " +
                    (has_other ? "T1 := " + other.program + "; " : "") + asked.program);
  }
  Draft Finished(const std::string& program) {
    SetComposed(program, kPhrasings, draft_);
    draft_.order = Order::kFormula;
    draft_.specification.Add("frac, neg");
    return std::move(draft_);
  }

  static constexpr int kPhrasings = 300;  // following those of stories

  const Workshop& workshop_;
  Random& random_;
  std::string left_, right_, words_;
  Draft draft_;
};

}  // namespace

std::optional<Draft> DraftSpoken(const Workshop& workshop, Family family) {
  Speaker speaker(workshop);
  switch (family) {
    case Family::kComparison:
      return speaker.Comparison();
    case Family::kConditional:
      return speaker.Decision();
    case Family::kFunction:
      return speaker.OfFunction();
    case Family::kLive:
      return speaker.Named();
    default:
      return std::nullopt;
  }
}

}  // namespace txvm::neural::questions

#include "neural/questions/calls.h"

#include <algorithm>
#include <array>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "isa/support/result.h"
#include "neural/questions/letters.h"

// Formal questions put together of parts: what is to be worked out, of numbers, of operations or of
// lists, in which form (a noun, a deed, -ing, the passive, a question) and how one asks are drawn
// apart. Stories of what is compared are told by calls_scenes.cc.

namespace txvm::neural::questions {

namespace {

constexpr std::array kFunctions = {
    Call{"_gap", "abs ({l} - {r})", "z", "z", true, true, true, true, 25, 30},
    Call{"_gap", "abs ({l} - {r})", "i", "i", true, true, true, true, 0, 10},
    Call{"_size", "abs {l}", "i", "", false, true, true, true, 0, 5},
    Call{"_power", "({l} ^ {r})", "b", "x", true, true, true, false, 0, 15},
    Call{"_square", "({l} ^ 2)", "m", "", false, true, true, false, 0, 9},
    Call{"_cube", "({l} ^ 3)", "t", "", false, true, true, false, 0, 6},
    Call{"_factorial", "(fact {l})", "n", "", false, true, true, false, 0, 13}};
constexpr Call kGap = kFunctions[0];
constexpr Call kBase{"_base", "abs ({l} - {r})", "z", "z", true, false, false, false, 25, 1};

class Speaker : public Caller {
 public:
  using Caller::Caller;

  Draft OfFunction() {
    const std::size_t draw = random_.Below(100);
    if (draw < 10) return Orders();
    if (draw < 18) return Growth();
    if (draw < 25) return SizeOfOutcome();
    if (draw < 33) return OfTwo();
    const Call& call = random_.Chance(8) ? (random_.Chance(50) ? kCallMax : kCallMin)
                                         : random_.PickByWeight(std::span<const Call>(kFunctions));
    const CallSaid right = call.has_two ? Operand(call.operands, call.right) : CallSaid{};
    const CallSaid left = Operand(call.operands, call.left);
    return AskOf(call, left, right);
  }

  Draft Comparison() {
    const std::size_t draw = random_.Below(100);
    if (draw < 30) return DraftCallCompared(workshop_, Family::kComparison);
    if (draw < 38) {
      const CallRelation& relation =
          random_.PickByWeight(std::span<const CallRelation>(kCallRelations).first(kCallOrders));
      const CallSaid left = Operand(25), right = Operand(15), limit = Number("m");
      const std::string than = Text("call_than", relation.rule);
      std::string text = Filled(Text("call_apart_whether"), left, right);
      text = Replaced(Replaced(text, "%p", than), "%x", limit.text);
      return Finish(text, "abs (" + left.program + " - " + right.program + ") " +
                              std::string(relation.sign) + " " + limit.program);
    }
    const CallRelation& relation =
        random_.PickByWeight(std::span<const CallRelation>(kCallRelations));
    const CallSaid left = Operand(38, relation.of_class), right = Operand(28, relation.of_class);
    std::string text = Text("call_whether");
    for (const auto& [what, rule] :
         {Opening{"%b", "call_base"}, Opening{"%v", "call_finite"}, Opening{"%p", "call_pred"}}) {
      if (text.find(what) != std::string::npos) {
        text = Replaced(text, what, Text(rule, relation.rule));
      }
    }
    return Finish(Replaced(Replaced(text, "%l", left.text), "%r", right.text),
                  left.program + " " + std::string(relation.sign) + " " + right.program);
  }

  Draft Decision() {
    const std::size_t draw = random_.Below(100);
    if (draw < 42) return DraftCallDecision(workshop_);
    const CallSaid condition = Condition(22);
    if (draw < 52) {
      const CallSaid yes = Operand(20), other = Condition(0), middle = Operand(10), no = Number();
      return Decided(
          Replaced(Replaced(Text("call_decide_chain"), "%C", other.text), "%m", middle.text),
          condition, yes, no,
          "if " + other.program + " then " + middle.program + " else " + no.program);
    }
    if (draw < 66) {
      const CallSaid yes = Deed(), no = Deed();
      return Decided(Text("call_decide_deed"), condition, yes, no, no.program);
    }
    const CallSaid yes = Operand(30), no = Operand(30);
    return Decided(Text(random_.Chance(32) ? "call_decide_not" : "call_decide"), condition, yes, no,
                   no.program);
  }

  Draft Nested() {
    const std::size_t draw = random_.Below(100);
    if (draw < 17) return Steps();
    if (draw < 28) {
      constexpr std::array<std::array<std::string_view, 2>, 6> kUnary = {{{"call_twice", " * 2"},
                                                                          {"call_half", " / 2"},
                                                                          {"call_thrice", " * 3"},
                                                                          {"call_squared", " ^ 2"},
                                                                          {"call_twice", " * 2"},
                                                                          {"call_half", " / 2"}}};
      const CallSaid inner = Noun(random_.Chance(50) ? "m" : "s");
      const auto& [rule, program] =
          random_.Pick(std::span<const std::array<std::string_view, 2>>(kUnary));
      return AskNoun({"(" + inner.program + std::string(program) + ")", Filled(Text(rule), inner)},
                     35);
    }
    const CallOperation& operation =
        random_.PickByWeight(std::span<const CallOperation>(kCallOperations));
    const std::string_view of_class = operation.sign == "*" ? "s" : "m";
    CallSaid left, right;
    if (draw < 62) {
      left = Noun(of_class);
      right = Noun(of_class);
    } else if (draw < 80) {
      left = Noun(of_class);
      right = Number(operation.sign == "/" ? "s" : "m");
    } else if (draw < 93) {
      left = Number("l");
      right = Noun("s");
    } else {
      const CallSaid inner = Noun("s");
      left = Operate(inner, Number("s"), "call_noun");
      right = Number("s");
    }
    constexpr std::array kForms = {CallForm::kNoun, CallForm::kNoun,   CallForm::kDeed,
                                   CallForm::kDeed, CallForm::kGerund, CallForm::kPassive};
    const CallForm form = random_.Pick(std::span<const CallForm>(kForms));
    const CallSaid said = Operate(left, right, CallRulesOf(form), operation);
    if (form == CallForm::kNoun) return AskNoun(said, 0);
    return Ask(form, said);
  }

  Draft Named() {
    const std::vector<std::string> names = Fields("call_names", 2);
    const CallSaid first{"T0", names[0]}, second{"T1", names[1]};
    const CallSaid one = Defined({}), other = Defined(random_.Chance(30) ? first : CallSaid{});
    const bool is_turned = random_.Chance(42);
    const CallSaid &left = is_turned ? second : first, &right = is_turned ? first : second;
    const std::string define = "T0 := " + one.program + "; T1 := " + other.program + "; ";
    const std::size_t draw = random_.Below(100);
    if (draw < 42) {
      const CallSaid asked = OfBoth(left, right);
      std::string text = Text("call_back");
      text = Replaced(text, "%1", Define("call_defined", names[0], one));
      text = Replaced(text, "%2", Define("call_defined", names[1], other));
      text = Replaced(text, "%f", asked.text);
      return Finish(text, define + asked.program);
    }
    const bool is_front = draw < 57;
    std::string text = Text(is_front ? "call_front" : "call_joint");
    const std::string_view rule = is_front ? "call_defined" : "call_define";
    text = Replaced(text, "%2", Define(rule, names[1], other));
    text = Replaced(text, "%1", Define(rule, names[0], one));
    std::string question;
    CallSaid asked;
    const std::size_t kind = random_.Below(100);
    if (kind < 22) {
      const Call& call = kind < 12 ? kGap : kind < 17 ? kCallMax : kCallMin;
      asked = InForm(call, CallForm::kQuestion, left, right);
      question = asked.text;
    } else if (kind < 50) {
      asked = Operate(left, right, "call_do");
      question = AskText(CallForm::kDeed, asked.text);
    } else {
      asked = OfBoth(left, right);
      question = AskText(CallForm::kNoun, asked.text);
    }
    return Finish(text + (is_front ? "" : " ") + question, define + asked.program);
  }

 private:
  Draft AskOf(const Call& call, const CallSaid& left, const CallSaid& right) {
    if (call.name == "_factorial" && random_.Chance(75)) Require(left.program + " > 1");
    if (call.name == "_gap") Require("(" + left.program + ") != (" + right.program + ")");
    const std::size_t draw = random_.Below(100);
    if (call.has_question && draw < 40) {
      return Ask(CallForm::kQuestion, InForm(call, CallForm::kQuestion, left, right));
    }
    if (call.name == "_gap" && draw < 60) {
      // "The difference" alone has a direction; what is said beside it takes that away.
      const std::string base = InForm(kBase, CallForm::kNoun, left, right).text;
      const std::string program = "abs (" + left.program + " - " + right.program + ")";
      const std::string tag = Text("call_tag");
      if (random_.Chance(30)) return Finish(tag + ", " + Lowered(AskBase(base)), program);
      return Ask(CallForm::kNoun, {program, base + ", " + tag});
    }
    const bool is_deed = call.has_deeds && draw % 5 < 2;
    if (is_deed && random_.Chance(30)) return AskSteps(InForm(call, CallForm::kDeed, left, right));
    if (is_deed) return Ask(CallForm::kDeed, InForm(call, CallForm::kDeed, left, right));
    if (call.has_passive && draw % 5 < 3) {
      const CallForm form = random_.Chance(50) ? CallForm::kGerund : CallForm::kPassive;
      return Ask(form, InForm(call, form, left, right));
    }
    return AskNoun(InForm(call, CallForm::kNoun, left, right), 42);
  }
  std::string AskBase(const std::string& base) const {
    return Replaced(random_.Chance(60) ? "what is %f?" : "<call_reckon> %f.", "%f", base);
  }
  static std::string Lowered(std::string text) {
    text[0] = ToLower(text[0]);
    return text;
  }
  Draft Orders() {
    const std::vector<std::string> things = Fields("call_orders_of", 2);
    const std::size_t draw = random_.Below(100);
    const bool is_more = draw < 16, is_fewer = !is_more && draw < 34;
    const std::string_view rule = is_more    ? "call_orders_add"
                                  : is_fewer ? "call_orders_subtract"
                                             : "call_orders";
    const CallSaid left = Number(is_more ? "x" : is_fewer ? "s" : "n");
    const CallSaid right = is_more || is_fewer ? Number("x") : CallSaid{};
    if (!is_more) Require(left.program + (is_fewer ? " > " + right.program + " + 1" : " > 1"));
    std::string text = Filled(Text(rule), left, right);
    text = Replaced(Replaced(text, "%T", things[0]), "%V", things[1]);
    const std::string of = is_more    ? "(" + left.program + " + " + right.program + ")"
                           : is_fewer ? "(" + left.program + " - " + right.program + ")"
                                      : left.program;
    return Finish(text, "fact " + of);
  }

  /// What doubles, triples or is multiplied again and again.
  Draft Growth() {
    constexpr std::array<std::string_view, 5> kPeriods = {"day", "hour", "week", "year", "round"};
    const CallSaid start = Number("t"), times = Number("x");
    const std::size_t draw = random_.Below(100);
    const CallSaid factor = draw < 40 ? Number("x") : CallSaid{};
    const std::string_view rule = draw < 40   ? "call_grow_some"
                                  : draw < 78 ? "call_grow_twice"
                                              : "call_grow_thrice";
    const std::string by = draw < 40 ? factor.program : draw < 78 ? "2" : "3";
    const std::string growing = Text("call_growing");
    std::string text = Replaced(Text("call_grow"), "%X", growing);
    text = Replaced(text, "%G", Replaced(Text(rule), "{s}", factor.text));
    const std::string period(random_.Pick(std::span<const std::string_view>(kPeriods)));
    text = Filled(Replaced(Replaced(text, "%P", period), "%Q", period), start, times);
    return Finish(text, start.program + " * " + by + " ^ " + times.program);
  }

  /// The absolute value of what an operation gives.
  Draft SizeOfOutcome() {
    const bool has_signs = random_.Chance(60);
    const CallSaid left = Number(has_signs ? "i" : "m"), right = Number(has_signs ? "i" : "m");
    // No quotients, and of what has no signs only differences.
    constexpr std::size_t kWithSigns = 3, kDifference = 1;
    const CallOperation& operation =
        kCallOperations[has_signs ? random_.Below(kWithSigns) : kDifference];
    const CallSaid inner = Operate(left, right, "call_noun", operation);
    constexpr Call kSize = kFunctions[2];
    constexpr std::array kForms = {CallForm::kNoun, CallForm::kNoun, CallForm::kDeed,
                                   CallForm::kPassive};
    const CallForm form = random_.Pick(std::span<const CallForm>(kForms));
    return Ask(form, InForm(kSize, form, inner, {}));
  }

  /// Squares, cubes, powers, factorials and sizes: what is made of two of them.
  Draft OfTwo() {
    constexpr std::size_t kGaps = 2;
    const std::span<const Call> terms = std::span<const Call>(kFunctions).subspan(kGaps);
    const Call& first = random_.PickByWeight(terms);
    const Call& second = random_.Chance(55) ? first : random_.PickByWeight(terms);
    const auto noun = [&](const Call& call) {
      const CallSaid left = Number(call.left);
      return InForm(call, CallForm::kNoun, left, call.has_two ? Number(call.right) : CallSaid{});
    };
    const CallSaid left = noun(first), right = noun(second);
    // Of quotients those of factorials are asked for.
    const bool is_quotient =
        first.name == "_factorial" && second.name == first.name && random_.Chance(45);
    const CallOperation& operation = kCallOperations[is_quotient ? 3 : random_.Below(3)];
    if (is_quotient || (operation.sign == "-" && random_.Chance(75)))
      Require(left.program + " > " + right.program);
    if (random_.Chance(35)) {
      const CallSaid deed = Operate(left, right, "call_do", operation);
      return Ask(CallForm::kDeed, deed);
    }
    return Ask(CallForm::kNoun, Operate(left, right, "call_round", operation));
  }

  /// "5 is more than 3"
  CallSaid Condition(unsigned percent) {
    const CallRelation& relation =
        random_.PickByWeight(std::span<const CallRelation>(kCallRelations));
    const CallSaid left = Operand(percent, relation.of_class);
    const CallSaid right = Operand(percent, relation.of_class);
    return {left.program + " " + std::string(relation.sign) + " " + right.program,
            left.text + " " + Text("call_finite", relation.rule) + " " + right.text};
  }
  CallSaid Deed() {
    const CallSaid left = Number("m");
    return Operate(left, Number("s"), "call_do");
  }
  Draft Decided(std::string text, const CallSaid& condition, const CallSaid& yes,
                const CallSaid& no, const std::string& otherwise) {
    for (const auto& [what, by] :
         {Opening{"%c", condition.text}, Opening{"%y", yes.text}, Opening{"%n", no.text}}) {
      text = Replaced(text, what, by);
    }
    return Finish(text, "if " + condition.program + " then " + yes.program + " else " + otherwise);
  }

  /// "Take 5, add 3, and divide the result by the sum of 2 and 6."
  Draft Steps() {
    CallSaid so_far = Number("m");
    std::string text = Filled(Text("call_take"), so_far);
    const bool is_long = random_.Chance(35);
    const auto link = [&](const CallSaid& operand, std::string_view rules) {
      const CallOperation& operation =
          random_.PickByWeight(std::span<const CallOperation>(kCallOperations));
      so_far.program =
          "(" + so_far.program + " " + std::string(operation.sign) + " " + operand.program + ")";
      return Filled(Text(rules, operation.rule), {}, operand);
    };
    text = Replaced(text, "%q", link(Number("s"), "call_first"));
    if (is_long) text += ", " + link(Number("s"), "call_then");
    const CallSaid last = random_.Chance(75) ? Noun("s") : Number("s");
    const std::string joint = Text("call_last");
    text += Replaced(joint, "%q", link(last, "call_then"));
    return Ask(CallForm::kDeed, {so_far.program, text});
  }

  /// What a name stands for; said of the value before if that has a name.
  CallSaid Defined(const CallSaid& before) {
    const CallSaid left = before.program.empty() ? Number("m") : before;
    const CallSaid right = Number(random_.Chance(60) ? "s" : "m");
    return Operate(left, right, random_.Chance(50) ? "call_noun" : "call_infix");
  }
  std::string Define(std::string_view rule, const std::string& name, const CallSaid& said) const {
    return Replaced(Replaced(Text(rule), "%n", name), "%e", said.text);
  }
  CallSaid OfBoth(const CallSaid& left, const CallSaid& right) const {
    const std::size_t draw = random_.Below(100);
    if (draw < 14) return InForm(kGap, CallForm::kNoun, left, right);
    if (draw < 22) return InForm(kCallMax, CallForm::kNoun, left, right);
    if (draw < 30) return InForm(kCallMin, CallForm::kNoun, left, right);
    const std::string_view rules = random_.Chance(55) ? "call_noun" : "call_infix";
    if (draw < 42) {
      return Operate({left.program + " * 2", Filled(Text("call_twice"), left)}, right, "call_wide");
    }
    return Operate(left, right, rules);
  }
};

}  // namespace

std::optional<Draft> DraftCall(const Workshop& workshop, Family family) {
  switch (family) {
    case Family::kFunction:
      return workshop.random.Chance(24) ? DraftCallCompared(workshop, family)
                                        : Speaker(workshop).OfFunction();
    case Family::kRange:
      return DraftCallRange(workshop);
    case Family::kNumberList:
      return DraftCallList(workshop);
    case Family::kComparison:
      return Speaker(workshop).Comparison();
    case Family::kConditional:
      return Speaker(workshop).Decision();
    case Family::kExpression:
      return Speaker(workshop).Nested();
    case Family::kLive:
      return Speaker(workshop).Named();
    default:
      return std::nullopt;
  }
}

std::vector<std::string> Caller::Fields(std::string_view rule, std::size_t count) const {
  const std::string text = Text(rule);
  std::vector<std::string> fields(1);
  for (const char c : text) {
    if (c == '/') {
      fields.emplace_back();
    } else {
      fields.back() += c;
    }
  }
  TXVM_ASSERT(fields.size() == count);
  return fields;
}

CallSaid Caller::Number(std::string_view of_class, std::string_view open) {
  const std::string letter(1, static_cast<char>('a' + draft_.next_variable++));
  Require(letter + ":" + std::string(of_class));
  return {letter, std::string(open) + letter + "}"};
}
CallSaid Caller::Noun(std::string_view of_class) {
  const CallSaid left = Number(of_class), right = Number(of_class);
  return Operate(left, right, "call_noun");
}
CallSaid Caller::Operand(unsigned percent, std::string_view of_class) {
  constexpr std::size_t kMany = 6;
  if (draft_.next_variable >= kMany || !random_.Chance(percent)) return Number(of_class);
  const CallSaid left = Number("m"), right = Number("s");
  return Operate(left, right, random_.Chance(50) ? "call_noun" : "call_infix");
}
CallSaid Caller::Operate(const CallSaid& left, const CallSaid& right, std::string_view rules,
                         const CallOperation& operation) const {
  return {"(" + left.program + " " + std::string(operation.sign) + " " + right.program + ")",
          Filled(Text(rules, operation.rule), left, right)};
}
CallSaid Caller::Operate(const CallSaid& left, const CallSaid& right,
                         std::string_view rules) const {
  return Operate(left, right, rules,
                 random_.PickByWeight(std::span<const CallOperation>(kCallOperations)));
}
std::string Caller::Tag(unsigned percent) const {
  return random_.Chance(percent) ? ", " + Text("call_tag") : "";
}
Draft Caller::Finish(const std::string& text, const std::string& program) {
  constexpr int kPhrasings = 302;  // follows that of spoken_ranges.cc
  draft_.marked = workshop_.expander.Expand(text);
  SetComposed(program, kPhrasings, draft_);
  draft_.order = Order::kFormula;
  Require("frac, neg");
  return std::move(draft_);
}

std::string_view CallRulesOf(CallForm form) {
  return form == CallForm::kNoun     ? "call_wide"
         : form == CallForm::kDeed   ? "call_do"
         : form == CallForm::kGerund ? "call_ing"
                                     : "call_passive";
}

namespace {

/// An operation in parentheses, unless it has some.
CallSaid Grouped(const CallSaid& said) {
  const bool is_operation = std::ranges::count(said.text, '{') > 1;
  if (!is_operation || said.text.starts_with("(")) return said;
  return {said.program, "(" + said.text + ")"};
}

/// Whether what is put into a text would be torn apart by the signs beside it.
bool HasSigns(std::string_view text) {
  constexpr std::array<std::string_view, 2> kSigns = {" - {r}", " minus {r}"};
  return std::ranges::any_of(
      kSigns, [text](std::string_view sign) { return text.find(sign) != text.npos; });
}

}  // namespace

CallSaid Caller::InForm(const Call& call, CallForm form, const CallSaid& left,
                        const CallSaid& right) const {
  const std::string program =
      Replaced(Replaced(std::string(call.program), "{l}", left.program), "{r}", right.program);
  const bool is_question = form == CallForm::kQuestion;
  const std::string_view rules = is_question               ? "call_ask"
                                 : form == CallForm::kNoun ? "call_noun"
                                                           : CallRulesOf(form);
  std::string text = Text(rules, call.name);
  text = HasSigns(text) ? Filled(text, Grouped(left), Grouped(right)) : Filled(text, left, right);
  if (!is_question) return {program, text};
  const std::string tag = Tag(30);
  text = Replaced(text, "%T", Text("call_tag"));
  return {program, Replaced(text, "%t", tag)};
}
std::string Caller::AskText(CallForm form, const std::string& said) const {
  switch (form) {
    case CallForm::kNoun:
      return Replaced(Text("call_ask_noun"), "%f", said);
    case CallForm::kDeed:
      return Replaced(Text("call_ask_do"), "%d", said);
    case CallForm::kGerund:
      return Replaced(Text("call_ask_ing"), "%g", said);
    case CallForm::kPassive:
      return Replaced(Text("call_ask_passive"), "%p", said);
    case CallForm::kQuestion:
      break;
  }
  return said;
}
Draft Caller::AskNoun(const CallSaid& said, unsigned percent) {
  if (!random_.Chance(percent)) return Ask(CallForm::kNoun, said);
  const CallOperation& operation =
      random_.PickByWeight(std::span<const CallOperation>(kCallOperations));
  const CallSaid number = Number(operation.sign == "*" || operation.sign == "/" ? "s" : "m");
  const bool is_second = operation.sign != "/" && random_.Chance(25);
  // "9 minus the sum of 4 and 5" is clear; what has no such beginning, or a comma, comes ahead.
  const bool is_whole = said.text.starts_with("the ") && said.text.find(", ") == said.text.npos;
  if (is_second && is_whole) {
    return Ask(CallForm::kNoun, Operate(number, said, "call_infix", operation));
  }
  return Ask(CallForm::kNoun, Operate(said, number, "call_round", operation));
}
Draft Caller::AskSteps(const CallSaid& deed) {
  const CallOperation& operation =
      random_.PickByWeight(std::span<const CallOperation>(kCallOperations));
  const CallSaid number = Number(operation.sign == "*" || operation.sign == "/" ? "s" : "m");
  const std::string then = Filled(Text("call_then", operation.rule), {}, number);
  const std::string text = Replaced(Replaced(Text("call_steps"), "%d", deed.text), "%q", then);
  return Ask(CallForm::kDeed,
             {deed.program + " " + std::string(operation.sign) + " " + number.program, text});
}

namespace {

struct ListCall {
  std::string_view name, program;  // [] is the list
  bool has_things;
  unsigned weight;
};
constexpr std::array kListCalls = {ListCall{"_largest", "max []", true, 20},
                                   ListCall{"_smallest", "min []", true, 20},
                                   ListCall{"_mean", "mean []", true, 14},
                                   ListCall{"_all", "sum []", true, 12},
                                   ListCall{"_factors", "product []", false, 7},
                                   ListCall{"_length", "count []", true, 7},
                                   ListCall{"_common", "gcd []", false, 6},
                                   ListCall{"_spread", "max [] - min []", true, 9},
                                   ListCall{"_ends", "max [] + min []", false, 5},
                                   ListCall{"_times", "max [] * min []", false, 4}};

class Lister : public Caller {
 public:
  using Caller::Caller;

  Draft Range() {
    const bool is_product = random_.Chance(34);
    const std::string_view name = is_product ? "product" : "sum";
    const std::size_t draw = random_.Below(100);
    const bool is_first = draw < 12, is_down = !is_first && draw < 21;
    const bool is_story = !is_first && !is_down && random_.Chance(22);
    const std::string_view of_class = is_product ? "o" : random_.Chance(80) ? "k" : "r";
    if (is_first) {
      const CallSaid last = Number(is_product ? "n" : "k");
      Require(last.program + " > 2");
      return AskRange(name, Filled(Text("call_span_first"), last), "1 to " + last.program);
    }
    const bool is_told_down = is_down || (is_story && !is_product && random_.Chance(25));
    const CallSaid low = Number(of_class), high = Number(is_product ? "n" : of_class);
    Require(high.program + " > " + low.program + " + 1");
    const std::string bounds = low.program + " to " + high.program;
    if (is_story) {
      const std::string rule = is_product ? "_product" : is_told_down ? "_down" : "_sum";
      return Finish(Filled(Text("call_story", rule), low, high), std::string(name) + " " + bounds);
    }
    return AskRange(name, Filled(Text(is_down ? "call_span_down" : "call_span"), low, high),
                    bounds);
  }

  Draft OfList() {
    const std::size_t draw = random_.Below(100);
    if (draw < 14) return DraftCallCompared(workshop_, Family::kNumberList);
    if (draw < 30) return Best();
    const ListCall& call = random_.PickByWeight(std::span<const ListCall>(kListCalls));
    constexpr std::array<std::string_view, 5> kClasses = {"m", "m", "z", "l", "t"};
    const bool has_common = call.name == "_common";
    const bool is_long = call.name == "_factors";
    const bool is_of_things = call.has_things && random_.Chance(40);
    const std::string_view of_class =
        is_long        ? "s"
        : is_of_things ? "m"
                       : random_.Pick(std::span<const std::string_view>(kClasses));
    std::vector<CallSaid> elements;
    const std::size_t length = 3 + random_.Below(is_long || has_common ? 2 : 5);
    for (std::size_t i = 0; i < length; ++i) elements.push_back(Number(of_class));
    const std::string program = Replaced(std::string(call.program), "[]", InBrackets(elements));
    const std::string list = Listed(elements);
    if (is_of_things) {
      const std::vector<std::string> things = Fields("call_things", 4);
      const std::string question = Text("call_things", call.name);
      std::string text = Text("call_told_list") + " " + question;
      for (const auto& [what, by] :
           {Opening{"%L", list}, Opening{"%Q", things[0]}, Opening{"%u", things[1]},
            Opening{"%g", things[2]}, Opening{"%h", things[3]}}) {
        text = Replaced(text, what, by);
      }
      return Finish(text, program);
    }
    if (random_.Chance(45)) {
      const std::string told = Replaced(Text("call_list_told"), "%L", list);
      return Finish(told + " " + Text("call_them", call.name), program);
    }
    const std::string all = Replaced(Text("call_list"), "%L", list);
    // What ends in an operation of its own takes no other; how many there are is asked alone.
    const bool is_plain =
        call.name != "_length" && call.program.find("] ") == std::string_view::npos;
    return AskNoun({"(" + program + ")", Replaced(Text("call_noun", call.name), "%S", all)},
                   is_plain ? 24 : 0);
  }

 private:
  Draft AskRange(std::string_view name, const std::string& span, const std::string& bounds) {
    const bool is_one = span.starts_with("[every") || span.starts_with("the [run");
    const std::string rule = "_" + std::string(name);
    const auto say = [&](std::string_view rules) {
      return Replaced(Replaced(Text(rules, rule), "%S", span), "%B", is_one ? "is" : "are");
    };
    const std::string program = std::string(name) + " " + bounds;
    const std::size_t draw = random_.Below(100);
    if (draw < 24) return Ask(CallForm::kDeed, {program, say("call_do")});
    if (draw < 40) return AskSteps({program, say("call_do")});
    if (draw < 50) return Ask(CallForm::kGerund, {program, say("call_ing")});
    if (draw < 62) return Ask(CallForm::kPassive, {program, say("call_passive")});
    return AskNoun({program, say("call_noun")}, 35);
  }

  /// The best of several numbers and outcomes.
  Draft Best() {
    const Call& call = random_.Chance(50) ? kCallMax : kCallMin;
    const CallSaid left = Operand(60), right = Operand(50);
    const std::size_t draw = random_.Below(100);
    if (draw < 50) return Ask(CallForm::kQuestion, InForm(call, CallForm::kQuestion, left, right));
    if (draw < 70) return AskSteps(InForm(call, CallForm::kDeed, left, right));
    if (draw < 80) return Ask(CallForm::kDeed, InForm(call, CallForm::kDeed, left, right));
    return AskNoun(InForm(call, CallForm::kNoun, left, right), 35);
  }

  static std::string InBrackets(const std::vector<CallSaid>& elements) {
    std::string out = "[";
    for (const CallSaid& element : elements) {
      if (out.size() > 1) out += ", ";
      out += element.program;
    }
    return out + "]";
  }
  std::string Listed(const std::vector<CallSaid>& elements) const {
    constexpr std::array<std::string_view, 5> kLast = {" and ", " and ", ", ", ", and ", ", "};
    const std::string_view last = random_.Pick(std::span<const std::string_view>(kLast));
    std::string out;
    for (std::size_t i = 0; i < elements.size(); ++i) {
      if (i > 0) out += i + 1 == elements.size() ? last : ", ";
      out += elements[i].text;
    }
    return out;
  }
};

}  // namespace

Draft DraftCallRange(const Workshop& workshop) { return Lister(workshop).Range(); }

Draft DraftCallList(const Workshop& workshop) { return Lister(workshop).OfList(); }

std::vector<RuleNeed> RulesOfCalls() {
  std::vector<RuleNeed> needs;
  const auto need = [&needs](std::string_view prefix, std::string_view rule) {
    needs.push_back({std::string(prefix) + std::string(rule), {}, false});
  };
  for (const CallOperation& operation : kCallOperations) {
    for (const char* prefix : {"call_noun", "call_wide", "call_round", "call_infix", "call_do",
                               "call_ing", "call_passive", "call_first", "call_then"}) {
      need(prefix, operation.rule);
    }
  }
  for (const CallRelation& relation : kCallRelations) {
    for (const char* prefix : {"call_base", "call_finite", "call_pred"}) {
      need(prefix, relation.rule);
    }
    if (&relation - kCallRelations.data() >= static_cast<std::ptrdiff_t>(kCallOrders)) continue;
    for (const char* prefix : {"call_than", "call_count"}) need(prefix, relation.rule);
  }
  for (const Call& call : {kCallMax, kCallMin}) {
    for (const char* prefix : {"call_noun", "call_do", "call_ask"}) need(prefix, call.name);
  }
  return needs;
}

}  // namespace txvm::neural::questions

#include <algorithm>
#include <array>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "isa/support/result.h"
#include "neural/questions/calls.h"

// The parts of formal questions: numbers, operations, what is to be worked out in each form, and
// how one asks for it.

namespace txvm::neural::questions {

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
  constexpr int kPhrasings = 302;  // behind that of what spoken_ranges.cc makes
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

}  // namespace txvm::neural::questions

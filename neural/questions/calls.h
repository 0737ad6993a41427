// What calls.cc and calls_scenes.cc put questions together with.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "neural/questions/draft.h"

namespace txvm::neural::questions {

struct CallOperation {
  std::string_view sign, rule;
  unsigned weight;
};
inline constexpr std::array kCallOperations = {
    CallOperation{"+", "_add", 31}, CallOperation{"-", "_subtract", 31},
    CallOperation{"*", "_multiply", 28}, CallOperation{"/", "_divide", 10}};

/// A comparison; its numbers are of a class (numbers.h) in which it is now and then true.
struct CallRelation {
  std::string_view sign, rule, of_class;
  unsigned weight;
};
inline constexpr std::array kCallRelations = {
    CallRelation{">", "_above", "z", 24},  CallRelation{"<", "_below", "z", 22},
    CallRelation{">=", "_least", "o", 17}, CallRelation{"<=", "_most", "o", 17},
    CallRelation{"==", "_equal", "o", 11}, CallRelation{"!=", "_other", "o", 9}};
inline constexpr std::size_t kCallOrders = 4;  // of them that ask for an order

/// A program and the words for it.
struct CallSaid {
  std::string program, text;
};

/// In which form something is said that is to be worked out.
enum class CallForm : std::uint8_t { kNoun, kDeed, kGerund, kPassive, kQuestion };

/// What is worked out of {l} and, if it has two, {r}; its rules are call_noun_gap and the like.
struct Call {
  std::string_view name, program;
  std::string_view left, right;  // classes of numbers (numbers.h)
  bool has_two, has_deeds, has_passive, has_question;
  unsigned operands;  // per cent of its operands that are operations
  unsigned weight;
};
inline constexpr Call kCallMax{"_max", "max [{l}, {r}]", "z", "z", true, true, false, true, 35, 10};
inline constexpr Call kCallMin{"_min", "min [{l}, {r}]", "z", "z", true, true, false, true, 35, 10};

/// A question in the making.
class Caller {
 public:
  explicit Caller(const Workshop& workshop) : workshop_(workshop), random_(workshop.random) {}

 protected:
  std::string Text(std::string_view rule) const { return std::string(workshop_.PickText(rule)); }
  std::string Text(std::string_view rules, std::string_view rule) const {
    return Text(std::string(rules) + std::string(rule));
  }
  /// The parts of a text of a rule between its strokes. REQUIRES: there are `count`.
  std::vector<std::string> Fields(std::string_view rule, std::size_t count) const;
  static std::string Filled(std::string text, const CallSaid& left, const CallSaid& right = {}) {
    return Replaced(Replaced(std::move(text), "{l}", left.text), "{r}", right.text);
  }
  void Require(std::string_view condition) { draft_.specification.Add(condition); }

  CallSaid Number(std::string_view of_class = "z", std::string_view open = "{");
  /// A closed noun of two numbers.
  CallSaid Noun(std::string_view of_class = "m");
  /// A number, or an operation in `percent` of 100 draws while there are few numbers.
  CallSaid Operand(unsigned percent, std::string_view of_class = "z");
  CallSaid Operate(const CallSaid& left, const CallSaid& right, std::string_view rules,
                   const CallOperation& operation) const;
  CallSaid Operate(const CallSaid& left, const CallSaid& right, std::string_view rules) const;
  /// ", ignoring the sign" in `percent` of 100 draws.
  std::string Tag(unsigned percent) const;

  /// Its texts are the table's; an operation inside signs gets parentheses.
  CallSaid InForm(const Call& call, CallForm form, const CallSaid& left,
                  const CallSaid& right) const;
  std::string AskText(CallForm form, const std::string& said) const;

  /// Asks for what is said in that form; gives the draft away, as all that follow do.
  Draft Ask(CallForm form, const CallSaid& said) {
    return Finish(AskText(form, said.text), said.program);
  }
  /// A noun, with an operation around it in `percent` of 100 draws.
  Draft AskNoun(const CallSaid& said, unsigned percent);
  /// A deed and an operation on what it gives.
  Draft AskSteps(const CallSaid& deed);
  /// A text whose rules and placeholders are still to be expanded, and its program.
  Draft Finish(const std::string& text, const std::string& program);

  const Workshop& workshop_;
  Random& random_;
  Draft draft_;
};

/// The rules of an operation in that form.
std::string_view CallRulesOf(CallForm form);

Draft DraftCallRange(const Workshop& workshop);
/// What is made of a list of numbers, told of things or bare, the larger of two and the like.
Draft DraftCallList(const Workshop& workshop);
/// What is compared in a story without a direction, with one, or asked to be compared.
Draft DraftCallCompared(const Workshop& workshop, Family family);
/// What a rule says for more than a limit and for less, and a case.
Draft DraftCallDecision(const Workshop& workshop);

}  // namespace txvm::neural::questions

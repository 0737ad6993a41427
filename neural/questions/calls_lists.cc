#include <array>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "neural/questions/calls.h"

// Formal questions of ranges and of lists of numbers, which may be told of things.

namespace txvm::neural::questions {
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

}  // namespace txvm::neural::questions

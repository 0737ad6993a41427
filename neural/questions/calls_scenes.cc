#include <array>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "neural/questions/calls.h"

// Stories in which the same telling leads to a distance, a difference with a direction, the larger
// or a comparison, and decisions by a limit. What is told of each, how it is joined and what is
// asked are drawn apart.

namespace txvm::neural::questions {
namespace {

struct Scene {
  std::string_view rules;  // the prefix of their names
  std::string_view unit, compared, larger, smaller;
  std::string_view of_class, open;  // of its numbers
  bool has_sum, has_times;
  unsigned weight;
};
constexpr std::array kScenes = {
    Scene{"call_temperature", "degrees", "temperatures", "higher", "lower", "i", "{", false, false,
          14},
    Scene{"call_floor", "floors", "floor numbers", "higher", "lower", "t", "{", false, false, 9},
    Scene{"call_year", "years", "dates", "later", "earlier", "y", "{", false, false, 9},
    Scene{"call_score", "points", "scores", "higher", "lower", "m", "{", true, true, 12},
    Scene{"call_height", "feet", "heights", "greater", "smaller", "m", "{", true, false, 10},
    Scene{"call_price", "dollars", "prices", "higher", "lower", "m", "{$", true, true, 12},
    Scene{"call_age", "years", "ages", "higher", "lower", "g", "{", false, false, 8},
    Scene{"call_weight", "pounds", "weights", "greater", "smaller", "m", "{", true, true, 9},
    Scene{"call_time", "minutes", "times", "longer", "shorter", "m", "{", true, true, 9},
    Scene{"call_place", "miles", "positions", "", "", "l", "{", false, false, 8}};

struct Side {
  std::string name, program, text;
};

class Teller : public Caller {
 public:
  using Caller::Caller;

  Draft Compared(Family family) {
    const bool is_best = family == Family::kNumberList;
    // The last has no words for the larger.
    const Scene& scene = random_.PickByWeight(
        std::span<const Scene>(kScenes).first(kScenes.size() - (is_best ? 1 : 0)));
    const std::vector<std::string> names = Fields(std::string(scene.rules) + "_pairs", 2);
    Side first = Tell(scene, names[0]), second = Tell(scene, names[1]);
    told_ = {first.text, second.text};
    const bool is_turned = random_.Chance(45);
    const Side &one = is_turned ? second : first, &other = is_turned ? first : second;
    const auto of_both = [&](std::string_view kind) {
      return Replaced(Replaced(Text(scene.rules, kind), "%X", one.name), "%Y", other.name);
    };
    if (family == Family::kComparison) {
      const bool is_more = random_.Chance(55);
      return Compare(of_both(is_more ? "_yes" : "_no"),
                     one.program + (is_more ? " > " : " < ") + other.program);
    }
    Require("(" + first.program + ") != (" + second.program + ")");
    if (is_best || (!scene.larger.empty() && random_.Chance(14))) {
      const bool is_larger = random_.Chance(50);
      std::string question = OfScene(scene, Text("call_larger"));
      question = Replaced(question, "%g", is_larger ? scene.larger : scene.smaller);
      return Compare(question,
                     (is_larger ? "max [" : "min [") + first.program + ", " + second.program + "]");
    }
    if (random_.Chance(26)) {
      const bool is_more = random_.Chance(55);
      const Side &larger = is_more ? one : other, &smaller = is_more ? other : one;
      Require("(" + larger.program + ") > (" + smaller.program + ")");
      return Compare(of_both(is_more ? "_more" : "_less"), Minus(larger, smaller));
    }
    const std::string tag = Tag(30), question = OfScene(scene, Text("call_apart"));
    return Compare(Replaced(question, "%t", tag), "abs (" + Minus(first, second) + ")");
  }

  Draft Decision() {
    if (random_.Chance(11)) return Excess();
    const bool is_total = random_.Chance(25);
    const std::vector<std::string> parts =
        Fields(is_total ? "call_decision_total" : "call_decision", 6);
    const CallRelation& relation =
        random_.PickByWeight(std::span<const CallRelation>(kCallRelations).first(kCallOrders));
    const bool is_money = parts[5] == "$";
    // The order of the text is not that of the letters, so that these are drawn first.
    const CallSaid limit = Number("t"), of_case = Number("t");
    const std::string more = NextLetter(), less = NextLetter();
    Require(more + ":s, " + less + ":s, " + of_case.program + "=" + limit.program + "+" + more +
            "-" + less + ", " + of_case.program + " > 1");
    const CallSaid yes = Number("m", is_money ? "{$" : "{");
    // Now and then what falls to the other side costs or brings nothing.
    const bool is_free = is_money && !is_total && random_.Chance(15);
    const CallSaid no = is_free ? CallSaid{"0", "nothing"} : Number("m", is_money ? "{$" : "{");
    if (!is_free) Require(yes.program + " != " + no.program);
    std::string condition = Text("call_count", relation.rule);
    condition = Replaced(Replaced(condition, "%b", limit.text), "%u", parts[1]);
    const std::string of_what = parts[5].empty() || is_money ? "" : " " + parts[5];
    const std::string when = parts[0] + " " + condition;
    const std::string then = yes.text + of_what, otherwise = no.text + of_what;
    std::string rule = Text(random_.Chance(35) ? "call_rule_not" : "call_rule");
    for (const auto& [what, by] : {Opening{"%k", when}, Opening{"%o", parts[2]},
                                   Opening{"%y", then}, Opening{"%n", otherwise}}) {
      rule = Replaced(rule, what, by);
    }
    const bool is_past = random_.Chance(50);
    const std::string story = InTense(Replaced(parts[3], "%d", of_case.text), is_past) + ".";
    const std::string told = random_.Chance(60) ? rule + " " + story : story + " " + rule;
    const std::string times = is_total ? of_case.program + " * " : "";
    return Told(told, InTense(parts[4], is_past),
                "if " + of_case.program + " " + std::string(relation.sign) + " " + limit.program +
                    " then " + times + yes.program + " else " + times + no.program);
  }

 private:
  /// What lies beyond a limit, or nothing.
  Draft Excess() {
    const CallSaid limit = Number("t"), rate = Number("s", "{$");
    const std::string of_case = NextLetter(), more = NextLetter(), less = NextLetter();
    Require(more + ":t, " + less + ":s, " + of_case + "=" + limit.program + "+" + more + "-" +
            less + ", " + of_case + " > 1");
    const bool is_past = random_.Chance(50);
    std::string text = InTense(Text("call_excess"), is_past);
    text = Replaced(text, "%l", limit.text);
    text = Replaced(Replaced(text, "%r", rate.text), "%s", "{" + of_case + "}");
    return Finish(text, "if " + of_case + " > " + limit.program + " then (" + of_case + " - " +
                            limit.program + ") * " + rate.program + " else 0");
  }

  /// The first of each pair "[x|y]" in the present, the other in the past.
  static std::string InTense(const std::string& text, bool is_past) {
    std::string out;
    bool is_left_out = false;
    for (const char c : text) {
      if (c == '[') {
        is_left_out = is_past;
      } else if (c == '|') {
        is_left_out = !is_past;
      } else if (c == ']') {
        is_left_out = false;
      } else if (!is_left_out) {
        out += c;
      }
    }
    return out;
  }
  std::string NextLetter() {
    return std::string(1, static_cast<char>('a' + draft_.next_variable++));
  }
  static std::string Minus(const Side& larger, const Side& smaller) {
    const bool is_sum = smaller.program.find(" + ") != std::string::npos;
    return larger.program + " - " + (is_sum ? "(" + smaller.program + ")" : smaller.program);
  }
  static std::string OfScene(const Scene& scene, std::string text) {
    return Replaced(Replaced(std::move(text), "%u", scene.unit), "%Q", scene.compared);
  }

  /// How much one of the compared has: a number, now and then a sum or a product.
  Side Tell(const Scene& scene, const std::string& name) {
    const std::size_t draw = random_.Below(100);
    Side side{name, {}, {}};
    if (scene.has_sum && draw < 20) {
      const CallSaid left = Number(scene.of_class, scene.open);
      const CallSaid right = Number(scene.of_class, scene.open);
      side.program = left.program + " + " + right.program;
      side.text = Replaced(Text(scene.rules, "_sum"), "%a", left.text);
      side.text = Replaced(side.text, "%b", right.text);
    } else if (scene.has_times && draw < 36) {
      const CallSaid left = Number("s"), right = Number("t", scene.open);
      side.program = left.program + " * " + right.program;
      side.text = Replaced(Text(scene.rules, "_times"), "%a", left.text);
      side.text = Replaced(Replaced(side.text, "%t", left.text), "%b", right.text);
    } else {
      const CallSaid number = Number(scene.of_class, scene.open);
      side.program = number.program;
      side.text = Replaced(Text(scene.rules, "_one"), "%l", number.text);
    }
    side.text = Replaced(side.text, "%X", name);
    return side;
  }

  /// Asks after what is told, now and then ahead of it.
  Draft Compare(std::string question, const std::string& program) {
    const bool is_ahead = question.ends_with("?") && !question.contains(": ") && random_.Chance(24);
    std::string text = Text(is_ahead ? "call_ahead" : "call_joined");
    text = Replaced(Replaced(text, "%1", told_[0]), "%2", told_[1]);
    if (!is_ahead) return Told(text, question, program);
    question.pop_back();
    return Finish(Replaced(text, "%q", question), program);
  }
  Draft Told(const std::string& told, const std::string& question, const std::string& program) {
    return Finish(told + " " + question, program);
  }

  std::array<std::string, 2> told_;  // of the compared
};

}  // namespace

Draft DraftCallCompared(const Workshop& workshop, Family family) {
  return Teller(workshop).Compared(family);
}

Draft DraftCallDecision(const Workshop& workshop) { return Teller(workshop).Decision(); }

}  // namespace txvm::neural::questions

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "neural/questions/draft.h"
#include "neural/questions/generator.h"

// Plain stories of one operation. A plan is a relation of some amounts (what was there, what went,
// what is left), of which the story tells all but the one that the question asks for. The scene,
// what is asked, how the amounts are told, in which order, and the wording of the question are
// drawn apart.

namespace txvm::neural::questions {
namespace {

/// How amounts may be told: in one text together, or also one after the other, or in either order.
enum class PlainManner : std::uint8_t { kTogether, kEither, kEitherOrder };

struct PlainQuestion {
  std::string_view rule;  // of the question
  std::string_view told;  // the letters of the amounts, which name the rules that tell them
  std::string_view program;
  std::string_view condition = {};
  PlainManner telling = PlainManner::kTogether;
  unsigned weight = 10;
};

struct PlainPlan {
  Family family;
  std::string_view rules, scenes;  // the rules' names after "one_"; the kind of scene
  std::string_view amounts;        // their specification, "@" being the class that the scene gives
  char of_class;                   // where it gives none
  std::span<const PlainQuestion> asked;
  unsigned weight = 10;
};

// Of what was there, what went or came, and what there is then.
constexpr std::array kPlainLoss = {PlainQuestion{"c", "ab", "a - b", "", PlainManner::kEither, 12},
                                   PlainQuestion{"b", "ac", "a - c", "", PlainManner::kEither},
                                   PlainQuestion{"a", "bc", "b + c", "", PlainManner::kEither, 8}};
constexpr std::array kPlainGain = {PlainQuestion{"c", "ab", "a + b", "", PlainManner::kEither, 12},
                                   PlainQuestion{"b", "ac", "c - a", "", PlainManner::kEither},
                                   PlainQuestion{"a", "bc", "c - b", "", PlainManner::kEither, 8}};
constexpr std::array kPlainLossTogether = {PlainQuestion{"c", "ab", "a - b"},
                                           PlainQuestion{"b", "ac", "a - c"},
                                           PlainQuestion{"a", "bc", "b + c"}};
constexpr std::array kPlainGainTogether = {PlainQuestion{"c", "ab", "a + b"},
                                           PlainQuestion{"b", "ac", "c - a"},
                                           PlainQuestion{"a", "bc", "c - b"}};
// Parts a, b, d and the whole c.
constexpr std::array kPlainParts = {
    PlainQuestion{"c", "ab", "a + b", "", PlainManner::kEitherOrder, 12},
    PlainQuestion{"b", "ac", "c - a", "", PlainManner::kEitherOrder, 12},
    PlainQuestion{"c", "abd", "a + b + d", "", PlainManner::kTogether, 8},
    PlainQuestion{"d", "abc", "c - a - b", "", PlainManner::kTogether, 6}};
// a is the larger, b the smaller, c the difference.
constexpr std::array kPlainCompared = {
    PlainQuestion{"c", "ab", "a - b", "", PlainManner::kEitherOrder, 14},
    PlainQuestion{"a", "bc", "b + c", "", PlainManner::kEitherOrder},
    PlainQuestion{"b", "ac", "a - c", "", PlainManner::kEitherOrder},
    PlainQuestion{"diff", "ab", "abs (a - b)", "", PlainManner::kEitherOrder, 4}};
constexpr std::array kPlainMultiples = {PlainQuestion{"a", "bc", "b * c"},
                                        PlainQuestion{"b", "ac", "a / c"},
                                        PlainQuestion{"c", "ab", "a / b"}};
constexpr std::array kPlainHalves = {
    PlainQuestion{"b", "half", "a / 2", "a mod 2 == 0"},
    PlainQuestion{"a", "double", "b * 2"},
    PlainQuestion{"a", "of_half", "b * 2"},
    PlainQuestion{"b", "of_double", "a / 2", "a mod 2 == 0"},
    PlainQuestion{"b", "third", "a / 3", "a mod 3 == 0", PlainManner::kTogether, 6},
    PlainQuestion{"b", "quarter", "a / 4", "a mod 4 == 0", PlainManner::kTogether, 5}};
// How many there are, how much in each, how much together.
constexpr std::array kPlainProducts = {
    PlainQuestion{"c", "ab", "a * b", "", PlainManner::kEitherOrder, 12},
    PlainQuestion{"b", "ac", "c / a", "", PlainManner::kEitherOrder},
    PlainQuestion{"a", "bc", "c / b", "", PlainManner::kEitherOrder}};
constexpr std::array kPlainProductsTogether = {PlainQuestion{"c", "ab", "a * b"},
                                               PlainQuestion{"b", "ac", "c / a"},
                                               PlainQuestion{"a", "bc", "c / b"}};
constexpr std::array kPlainRemains = {PlainQuestion{"rest", "bc", "c mod b"},
                                      PlainQuestion{"need", "bc", "ceil (c / b)"},
                                      PlainQuestion{"full", "bc", "floor (c / b)"}};
constexpr std::array kPlainBought = {PlainQuestion{"a", "bc", "c / b"}};
constexpr std::array kPlainPercent = {PlainQuestion{"b", "ab", "a * b / 100"}};
constexpr std::array kPlainMeans = {PlainQuestion{"total", "ab", "a * b"},
                                    PlainQuestion{"mean", "ac", "c / a"}};
constexpr std::array kPlainValues = {
    PlainQuestion{"mean", "xy", "(a + b) / 2", "(a + b) mod 2 == 0"},
    PlainQuestion{"mean", "xyz", "(a + b + c) / 3", "(a + b + c) mod 3 == 0"}};

constexpr std::string_view kPlainSpent = "b:@, c:@, a=b+c";  // the first is the others' sum
constexpr std::string_view kPlainGrown = "a:@, b:@, c=a+b";  // the last is
constexpr std::string_view kPlainEqual = "a:s, b:@, c=a*b";
// Those of a family stand together.
constexpr std::array kPlainPlans = {
    PlainPlan{Family::kChange, "lose", "own", kPlainSpent, 't', kPlainLoss, 12},
    PlainPlan{Family::kChange, "gain", "own", kPlainGrown, 't', kPlainGain, 12},
    PlainPlan{Family::kChange, "out", "site", kPlainSpent, 't', kPlainLoss},
    PlainPlan{Family::kChange, "in", "site", kPlainGrown, 't', kPlainGain},
    PlainPlan{Family::kChange, "level", "drop", kPlainSpent, 't', kPlainLossTogether, 12},
    PlainPlan{Family::kChange, "level", "rise", kPlainGrown, 't', kPlainGainTogether, 10},
    PlainPlan{Family::kChange, "goal", "goal", kPlainGrown, 't', kPlainGainTogether, 7},
    PlainPlan{Family::kCombine, "kinds", "kinds", "a:@, b:@, d:@, c=a+b+d", 't', kPlainParts, 12},
    PlainPlan{Family::kCombine, "times", "doing", "a:@, b:@, d:@, c=a+b+d", 't', kPlainParts, 12},
    PlainPlan{Family::kCombine, "pair", "pair", kPlainGrown, 't', kPlainGainTogether},
    PlainPlan{Family::kCompare, "compare", "measure", kPlainSpent, 't', kPlainCompared},
    PlainPlan{Family::kGroups, "group", "group", kPlainEqual, 't', kPlainProducts, 14},
    PlainPlan{Family::kGroups, "share", "share", kPlainEqual, 't', kPlainProductsTogether, 10},
    PlainPlan{Family::kGroups, "takes", "takes", kPlainEqual, 's', kPlainProducts, 9},
    PlainPlan{Family::kGroups, "over", "group", "b:s, c:m, c > b * 2, c mod b > 0", 's',
              kPlainRemains, 9},
    PlainPlan{Family::kRate, "rate", "rate", kPlainEqual, 't', kPlainProducts},
    PlainPlan{Family::kScale, "multiple", "measure", "b:@, c:x, a=b*c", 't', kPlainMultiples, 12},
    PlainPlan{Family::kScale, "portion", "measure", "a:@, b:@", 't', kPlainHalves, 12},
    PlainPlan{Family::kScale, "percent", "percent", "b:p, d:@, a=d*20", 't', kPlainPercent, 6},
    PlainPlan{Family::kTimeAge, "age", "age", "a:g, b:b, c=a+b", 's', kPlainGainTogether, 10},
    PlainPlan{Family::kTimeAge, "ago", "age", "a:g, b:b, c=a+b", 's', kPlainGainTogether, 8},
    PlainPlan{Family::kTimeAge, "span", "span", "a:o, b:x, c=a+b, c <= 12", 's', kPlainGainTogether,
              10},
    PlainPlan{Family::kTimeAge, "span", "years", "a:y, b:g, c=a+b, c < 2026", 's',
              kPlainGainTogether, 7},
    PlainPlan{Family::kTimeAge, "course", "course", kPlainSpent, 't', kPlainLossTogether, 10},
    PlainPlan{Family::kMoney, "price", "goods", "a:s, b:@, c=a*b", 't', kPlainProducts, 14},
    PlainPlan{Family::kMoney, "buy", "goods", kPlainEqual, 't', kPlainBought, 5},
    PlainPlan{Family::kMoney, "change", "goods", kPlainSpent, 't', kPlainLossTogether},
    PlainPlan{Family::kMoney, "purse", "purse", kPlainSpent, 't', kPlainLossTogether, 8},
    PlainPlan{Family::kMoney, "afford", "goods", kPlainGrown, 't', kPlainGainTogether, 8},
    PlainPlan{Family::kMoney, "basket", "basket", kPlainGrown, 't', kPlainGainTogether, 8},
    PlainPlan{Family::kMoney, "off", "goods", "b:p, d:@, a=d*20", 't', kPlainPercent, 5},
    PlainPlan{Family::kMoney, "cut", "goods", kPlainSpent, 't', kPlainLossTogether, 8},
    PlainPlan{Family::kMoney, "wage", "wage", kPlainEqual, 't', kPlainProductsTogether, 9},
    PlainPlan{Family::kAverage, "mean", "mean", kPlainEqual, 't', kPlainMeans},
    PlainPlan{Family::kAverage, "mean", "mean", "a:@, b:@, c:@", 't', kPlainValues}};

const PlainPlan& DrawPlan(Random& random, Family family) {
  const auto begin = std::ranges::find(kPlainPlans, family, &PlainPlan::family);
  const auto end = std::find_if(begin, kPlainPlans.end(),
                                [&](const PlainPlan& plan) { return plan.family != family; });
  return random.PickByWeight(std::span<const PlainPlan>(begin, end));
}

class OneStep {
 public:
  OneStep(const Workshop& workshop, Family family)
      : workshop_(workshop),
        random_(workshop.random),
        plan_(DrawPlan(random_, family)),
        asked_(random_.PickByWeight(plan_.asked)) {
    ChooseScene();
  }

  std::optional<Draft> Tell() {
    std::string story = Filled(Story()), question = Filled(Text("_ask_", asked_.rule));
    // What the scene lacks cannot be told or asked.
    if (IsOpen(story) || IsOpen(question)) return std::nullopt;
    std::string text = story + " " + question;
    constexpr unsigned kAhead = 12;
    const bool may_lead = question.ends_with('?') && question.find(". ") == std::string::npos &&
                          story.find('?') == std::string::npos && story.find(':') == story.npos;
    if (may_lead && random_.Chance(kAhead)) text = Ahead(story, question);
    PutPersons(text);
    AppendFilled(workshop_, std::move(text), {}, 0, draft_);
    constexpr std::size_t kUnsaid = 4;  // beyond the amounts of all plans
    draft_.next_variable = kUnsaid;
    const std::string_view of_class = Filling('1');
    draft_.specification.Add(
        Replaced(std::string(plan_.amounts), "@",
                 of_class.empty() ? std::string(1, plan_.of_class) : std::string(of_class)));
    draft_.specification.Add(Filling('2'));
    draft_.specification.Add(asked_.condition);
    constexpr int kOfPlan = 10;
    const auto plan = &plan_ - kPlainPlans.data(), asked = &asked_ - plan_.asked.data();
    return Composed(workshop_, std::string(asked_.program),
                    kOneStepPhrasings + kOfPlan * static_cast<int>(plan) + static_cast<int>(asked),
                    std::move(draft_));
  }

 private:
  void ChooseScene() {
    const std::string_view scene = workshop_.PickScene("one_scene_", plan_.scenes);
    for (const std::string_view item : Parts(scene, "; ")) {
      fillings_.emplace_back(item[0], std::string(item.substr(2)));
    }
    // Either of two may be the larger, and any kind or time may come first.
    std::vector<std::string> names;
    for (auto& [key, by] : fillings_) {
      if (IsName(key)) names.push_back(by);
    }
    random_.Shuffle(names);
    std::size_t next = 0;
    for (auto& [key, by] : fillings_) {
      if (IsName(key)) by = names[next++];
    }
  }
  static bool IsName(char key) { return key >= 'X' && key <= 'Z'; }
  std::string_view Filling(char key) const {
    const auto found = std::ranges::find(fillings_, key, [](const auto& f) { return f.first; });
    return found != fillings_.end() ? std::string_view(found->second) : std::string_view{};
  }

  std::string Text(std::string_view joint, std::string_view rule) const {
    const std::string name =
        "one_" + std::string(plan_.rules) + std::string(joint) + std::string(rule);
    return std::string(workshop_.PickText(name));
  }
  std::string Story() {
    const PlainManner telling = asked_.telling;
    constexpr unsigned kAsOne = 60, kTurned = 30;
    if (telling == PlainManner::kTogether || random_.Chance(kAsOne)) {
      return Text("_", asked_.told);
    }
    std::string letters(asked_.told);
    if (telling == PlainManner::kEitherOrder && random_.Chance(kTurned)) {
      std::ranges::reverse(letters);
    }
    std::string story;
    for (const char letter : letters) {
      if (!story.empty()) story += " ";
      story += Text("_tell_", std::string(1, letter));
    }
    return story;
  }

  /// %V is what is said of an amount, whose letter follows; %H asks for that of one whose
  /// letter does.
  std::string Filled(std::string text) const {
    for (const char letter : {'a', 'b', 'c'}) {
      const std::string by = std::string("{") + letter + "}";
      text =
          Replaced(text, std::string("%V") + letter, Replaced(std::string(Filling('V')), "@", by));
    }
    for (const char name : {'X', 'Y'}) {
      text = Replaced(text, std::string("%H") + name,
                      Replaced(std::string(Filling('H')), "&", std::string("%") + name));
    }
    // %E names what %e calls it.
    if (Filling('E').empty()) {
      text = Replaced(text, "%E", Replaced(std::string(Filling('e')), "@S", Filling('S')));
    }
    for (int depth = 0; depth < 2; ++depth) {
      for (const auto& [key, by] : fillings_) text = Replaced(text, std::string("%") + key, by);
    }
    return Replaced(text, "@S", "it");
  }
  static bool IsOpen(std::string_view text) {
    for (std::size_t at = 0; (at = text.find('%', at)) != std::string_view::npos; ++at) {
      const bool is_person = at + 1 < text.size() && IsPerson(text[at + 1]);
      if (!is_person && (at == 0 || text[at - 1] != '{')) return true;
    }
    return false;
  }

  /// The question first, and the story after it or as its condition.
  std::string Ahead(const std::string& story, const std::string& question) {
    const std::vector<std::string> told = Sentences(story);
    if (told.size() > 2 || random_.Chance(35)) return question + " " + story;
    std::string text = question.substr(0, question.size() - 1) + " if ";
    for (std::size_t i = 0; i < told.size(); ++i) {
      if (i > 0) text += " and ";
      text += told[i].substr(0, told[i].size() - 1);
    }
    return text + "?";
  }

  static bool IsPerson(char key) { return key == 'P' || key == 'p' || key == 'q'; }
  /// %P is a name, then he or she, or the name again; %p the possessive, %q the object, which never
  /// comes first.
  void PutPersons(std::string& text) {
    bool is_known = false;
    std::size_t last = 0;
    for (std::size_t at = 0; (at = text.find('%', at)) != std::string::npos; ++at) {
      const char key = at + 1 < text.size() ? text[at + 1] : ' ';
      if (!IsPerson(key)) continue;
      // The name again only in another sentence.
      const bool is_same = text.substr(last, at - last).find_first_of(".?") == std::string::npos;
      const bool is_short = is_known && (is_same || key == 'p' || random_.Chance(60));
      last = at;
      text.replace(at, 2,
                   key == 'q'   ? "{him}"
                   : key == 'P' ? (is_short ? "{he}" : "{N}")
                                : (is_short ? "{his}" : "{N's}"));
      is_known = true;
    }
  }

  const Workshop& workshop_;
  Random& random_;
  const PlainPlan& plan_;
  const PlainQuestion& asked_;
  std::vector<std::pair<char, std::string>> fillings_;
  Draft draft_;
};

}  // namespace

std::optional<Draft> DraftOneStep(const Workshop& workshop, Family family) {
  return OneStep(workshop, family).Tell();
}

std::vector<RuleNeed> RulesOfOneStep(const QuestionBank& bank) {
  std::vector<RuleNeed> needs;
  for (const PlainPlan& plan : kPlainPlans) {
    const std::string scenes = "one_scene_" + std::string(plan.scenes);
    needs.push_back({scenes, {}, false});
    std::string keys = "Ppq";
    if (bank.rules().Has(scenes)) {
      for (const std::string_view scene : bank.rules().Texts(scenes)) keys += KeysOfScene(scene);
    }
    if (keys.contains('e')) keys += 'E';
    const std::string prefix = "one_" + std::string(plan.rules);
    for (const PlainQuestion& asked : plan.asked) {
      needs.push_back({prefix + "_" + std::string(asked.told), keys});
      needs.push_back({prefix + "_ask_" + std::string(asked.rule), keys});
      if (asked.telling == PlainManner::kTogether) continue;
      for (const char letter : asked.told) needs.push_back({prefix + "_tell_" + letter, keys});
    }
  }
  return needs;
}

std::size_t CountOneStepQuestions() {
  std::size_t count = 0;
  for (const PlainPlan& plan : kPlainPlans) count += plan.asked.size();
  return count;
}

}  // namespace txvm::neural::questions

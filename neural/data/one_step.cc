#include <algorithm>
#include <array>
#include <string>
#include <utility>
#include <vector>

#include "neural/data/draft.h"

// Plain stories of one operation. A plan is a relation of some amounts (what was there, what went,
// what is left), of which the story tells all but the one that the question asks for. The scene,
// what is asked, how the amounts are told, in which order, and the wording of the question are
// drawn apart.

namespace txvm::neural::data {
namespace {

struct SceneRow {
  std::string_view kind, fillings;
};
constexpr std::array kScenes = {
#define TXVM_SCENE(kind, fillings) SceneRow{#kind, fillings},
#include "neural/data/rules_one_step_scenes.def"
#include "neural/data/rules_one_step_scenes_more.def"
#undef TXVM_SCENE
};

/// How amounts may be told: in one text together, or also one after the other, or in either order.
enum class Manner : std::uint8_t { kTogether, kEither, kEitherOrder };
using enum Manner;

struct Asked {
  std::string_view rule;  // of the question
  std::string_view told;  // the letters of the amounts, which name the rules that tell them
  std::string_view program;
  std::string_view condition = {};
  Manner telling = kTogether;
  unsigned weight = 10;
};

struct Plan {
  Family family;
  std::string_view rules, scenes;  // the names of the rules behind "one_"; the kind of scene
  std::string_view amounts;        // their specification, "@" being the class that the scene gives
  char of_class;                   // where it gives none
  std::span<const Asked> asked;
  unsigned weight = 10;
};

// Of what was there, what went or came, and what there is then.
constexpr std::array kLoss = {Asked{"c", "ab", "a - b", "", kEither, 12},
                              Asked{"b", "ac", "a - c", "", kEither},
                              Asked{"a", "bc", "b + c", "", kEither, 8}};
constexpr std::array kGain = {Asked{"c", "ab", "a + b", "", kEither, 12},
                              Asked{"b", "ac", "c - a", "", kEither},
                              Asked{"a", "bc", "c - b", "", kEither, 8}};
constexpr std::array kLossTogether = {Asked{"c", "ab", "a - b"}, Asked{"b", "ac", "a - c"},
                                      Asked{"a", "bc", "b + c"}};
constexpr std::array kGainTogether = {Asked{"c", "ab", "a + b"}, Asked{"b", "ac", "c - a"},
                                      Asked{"a", "bc", "c - b"}};
// Parts a, b, d and the whole c.
constexpr std::array kParts = {Asked{"c", "ab", "a + b", "", kEitherOrder, 12},
                               Asked{"b", "ac", "c - a", "", kEitherOrder, 12},
                               Asked{"c", "abd", "a + b + d", "", kTogether, 8},
                               Asked{"d", "abc", "c - a - b", "", kTogether, 6}};
// a is the larger, b the smaller, c the difference.
constexpr std::array kCompared = {Asked{"c", "ab", "a - b", "", kEitherOrder, 14},
                                  Asked{"a", "bc", "b + c", "", kEitherOrder},
                                  Asked{"b", "ac", "a - c", "", kEitherOrder},
                                  Asked{"diff", "ab", "abs (a - b)", "", kEitherOrder, 4}};
constexpr std::array kMultiples = {Asked{"a", "bc", "b * c"}, Asked{"b", "ac", "a / c"},
                                   Asked{"c", "ab", "a / b"}};
constexpr std::array kHalves = {Asked{"b", "half", "a / 2", "a mod 2 == 0"},
                                Asked{"a", "double", "b * 2"},
                                Asked{"a", "of_half", "b * 2"},
                                Asked{"b", "of_double", "a / 2", "a mod 2 == 0"},
                                Asked{"b", "third", "a / 3", "a mod 3 == 0", kTogether, 6},
                                Asked{"b", "quarter", "a / 4", "a mod 4 == 0", kTogether, 5}};
// So many of them, so much in each, so much together.
constexpr std::array kProducts = {Asked{"c", "ab", "a * b", "", kEitherOrder, 12},
                                  Asked{"b", "ac", "c / a", "", kEitherOrder},
                                  Asked{"a", "bc", "c / b", "", kEitherOrder}};
constexpr std::array kProductsTogether = {Asked{"c", "ab", "a * b"}, Asked{"b", "ac", "c / a"},
                                          Asked{"a", "bc", "c / b"}};
constexpr std::array kRemains = {Asked{"rest", "bc", "c mod b"},
                                 Asked{"need", "bc", "ceil (c / b)"},
                                 Asked{"full", "bc", "floor (c / b)"}};
constexpr std::array kBought = {Asked{"a", "bc", "c / b"}};
constexpr std::array kPercent = {Asked{"b", "ab", "a * b / 100"}};
constexpr std::array kMeans = {Asked{"total", "ab", "a * b"}, Asked{"mean", "ac", "c / a"}};
constexpr std::array kValues = {Asked{"mean", "xy", "(a + b) / 2", "(a + b) mod 2 == 0"},
                                Asked{"mean", "xyz", "(a + b + c) / 3", "(a + b + c) mod 3 == 0"}};

constexpr std::string_view kSpent = "b:@, c:@, a=b+c";  // the first is the others' sum
constexpr std::string_view kGrown = "a:@, b:@, c=a+b";  // the last is
constexpr std::string_view kEqual = "a:s, b:@, c=a*b";
// Those of a family stand together.
constexpr std::array kPlans = {
    Plan{Family::kChange, "lose", "own", kSpent, 't', kLoss, 12},
    Plan{Family::kChange, "gain", "own", kGrown, 't', kGain, 12},
    Plan{Family::kChange, "out", "site", kSpent, 't', kLoss},
    Plan{Family::kChange, "in", "site", kGrown, 't', kGain},
    Plan{Family::kChange, "level", "drop", kSpent, 't', kLossTogether, 12},
    Plan{Family::kChange, "level", "rise", kGrown, 't', kGainTogether, 10},
    Plan{Family::kChange, "goal", "goal", kGrown, 't', kGainTogether, 7},
    Plan{Family::kCombine, "kinds", "kinds", "a:@, b:@, d:@, c=a+b+d", 't', kParts, 12},
    Plan{Family::kCombine, "times", "doing", "a:@, b:@, d:@, c=a+b+d", 't', kParts, 12},
    Plan{Family::kCombine, "pair", "pair", kGrown, 't', kGainTogether},
    Plan{Family::kCompare, "compare", "measure", kSpent, 't', kCompared},
    Plan{Family::kGroups, "group", "group", kEqual, 't', kProducts, 14},
    Plan{Family::kGroups, "share", "share", kEqual, 't', kProductsTogether, 10},
    Plan{Family::kGroups, "takes", "takes", kEqual, 's', kProducts, 9},
    Plan{Family::kGroups, "over", "group", "b:s, c:m, c > b * 2, c mod b > 0", 's', kRemains, 9},
    Plan{Family::kRate, "rate", "rate", kEqual, 't', kProducts},
    Plan{Family::kScale, "multiple", "measure", "b:@, c:x, a=b*c", 't', kMultiples, 12},
    Plan{Family::kScale, "portion", "measure", "a:@, b:@", 't', kHalves, 12},
    Plan{Family::kScale, "percent", "percent", "b:p, d:@, a=d*20", 't', kPercent, 6},
    Plan{Family::kTimeAge, "age", "age", "a:g, b:b, c=a+b", 's', kGainTogether, 10},
    Plan{Family::kTimeAge, "ago", "age", "a:g, b:b, c=a+b", 's', kGainTogether, 8},
    Plan{Family::kTimeAge, "span", "span", "a:o, b:x, c=a+b, c <= 12", 's', kGainTogether, 10},
    Plan{Family::kTimeAge, "span", "years", "a:y, b:g, c=a+b, c < 2026", 's', kGainTogether, 7},
    Plan{Family::kTimeAge, "course", "course", kSpent, 't', kLossTogether, 10},
    Plan{Family::kMoney, "price", "goods", "a:s, b:@, c=a*b", 't', kProducts, 14},
    Plan{Family::kMoney, "buy", "goods", kEqual, 't', kBought, 5},
    Plan{Family::kMoney, "change", "goods", kSpent, 't', kLossTogether},
    Plan{Family::kMoney, "purse", "purse", kSpent, 't', kLossTogether, 8},
    Plan{Family::kMoney, "afford", "goods", kGrown, 't', kGainTogether, 8},
    Plan{Family::kMoney, "basket", "basket", kGrown, 't', kGainTogether, 8},
    Plan{Family::kMoney, "off", "goods", "b:p, d:@, a=d*20", 't', kPercent, 5},
    Plan{Family::kMoney, "cut", "goods", kSpent, 't', kLossTogether, 8},
    Plan{Family::kMoney, "wage", "wage", kEqual, 't', kProductsTogether, 9},
    Plan{Family::kAverage, "mean", "mean", kEqual, 't', kMeans},
    Plan{Family::kAverage, "mean", "mean", "a:@, b:@, c:@", 't', kValues}};

const Plan& DrawPlan(Random& random, Family family) {
  const auto begin = std::ranges::find(kPlans, family, &Plan::family);
  const auto end =
      std::find_if(begin, kPlans.end(), [&](const Plan& plan) { return plan.family != family; });
  return random.PickByWeight(std::span<const Plan>(begin, end));
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
    constexpr std::size_t kUnsaid = 4;  // behind the amounts of all plans
    draft_.next_variable = kUnsaid;
    const std::string_view of_class = Filling('1');
    draft_.specification.Add(
        Replaced(std::string(plan_.amounts), "@",
                 of_class.empty() ? std::string(1, plan_.of_class) : std::string(of_class)));
    draft_.specification.Add(Filling('2'));
    draft_.specification.Add(asked_.condition);
    constexpr int kOfPlan = 10;
    const auto plan = &plan_ - kPlans.data(), asked = &asked_ - plan_.asked.data();
    return Composed(workshop_, std::string(asked_.program),
                    kOneStepPhrasings + kOfPlan * static_cast<int>(plan) + static_cast<int>(asked),
                    std::move(draft_));
  }

 private:
  void ChooseScene() {
    std::vector<std::string_view> scenes;
    for (const SceneRow& row : kScenes) {
      if (row.kind == plan_.scenes) scenes.push_back(row.fillings);
    }
    const std::string_view scene = random_.Pick(std::span<const std::string_view>(scenes));
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
    const Manner telling = asked_.telling;
    constexpr unsigned kAsOne = 60, kTurned = 30;
    if (telling == kTogether || random_.Chance(kAsOne)) {
      return Text("_", asked_.told);
    }
    std::string letters(asked_.told);
    if (telling == kEitherOrder && random_.Chance(kTurned)) std::ranges::reverse(letters);
    std::string story;
    for (const char letter : letters) {
      if (!story.empty()) story += " ";
      story += Text("_tell_", std::string(1, letter));
    }
    return story;
  }

  /// %V is what is said of an amount, whose letter stands behind it; %H asks for that of one whose
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

  /// The question first, and the story behind it or as its condition.
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
  const Plan& plan_;
  const Asked& asked_;
  std::vector<std::pair<char, std::string>> fillings_;
  Draft draft_;
};

}  // namespace

std::optional<Draft> DraftOneStep(const Workshop& workshop, Family family) {
  return OneStep(workshop, family).Tell();
}

}  // namespace txvm::neural::data

#include <algorithm>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "neural/questions/draft.h"
#include "neural/questions/one_step_plans.h"

// Plain stories of one operation. A plan is a relation of some amounts (what was there, what went,
// what is left), of which the story tells all but the one that the question asks for. The scene,
// what is asked, how the amounts are told, in which order, and the wording of the question are
// drawn apart.

namespace txvm::neural::questions {
namespace {

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
    constexpr std::size_t kUnsaid = 4;  // behind the amounts of all plans
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
  const PlainPlan& plan_;
  const PlainQuestion& asked_;
  std::vector<std::pair<char, std::string>> fillings_;
  Draft draft_;
};

}  // namespace

std::optional<Draft> DraftOneStep(const Workshop& workshop, Family family) {
  return OneStep(workshop, family).Tell();
}

}  // namespace txvm::neural::questions

#include <algorithm>
#include <array>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "isa/support/result.h"
#include "neural/questions/draft.h"
#include "neural/questions/letters.h"

// Stories by plot: what can happen in it, in which sentences and which order, where it is set and
// what is asked are drawn apart. The letters of a plot's numbers are the same in all its texts.

namespace txvm::neural::questions {
namespace {

/// A plot first, so that one with many questions is not told more often; then one of its questions.
const PlotQuestion& DrawPlot(std::span<const PlotQuestion> all, Random& random) {
  std::vector<std::span<const PlotQuestion>> plots;
  for (auto begin = all.begin(); begin != all.end();) {
    const auto end = std::ranges::find_if(
        begin, all.end(), [&](const PlotQuestion& plot) { return plot.name != begin->name; });
    plots.emplace_back(begin, end);
    begin = end;
  }
  return random.Pick(random.Pick(std::span<const std::span<const PlotQuestion>>(plots)));
}

class PlotTeller {
 public:
  explicit PlotTeller(const Workshop& workshop)
      : workshop_(workshop),
        random_(workshop.random),
        plot_(DrawPlot(workshop.bank.plots(), random_)),
        is_past_(workshop.expander.Expand("^go") == "went") {
    const std::string scene = Nested(Text("scene"));
    for (const std::string_view item : Parts(scene, "; ")) {
      if (item.starts_with('#')) {
        draft_.specification.Add(item.substr(2));
      } else {
        fillings_.emplace_back(item[0], item.substr(2));
      }
    }
  }

  std::optional<Draft> Tell() {
    const std::string question = Nested(Text("ask_" + std::string(plot_.asked)));
    const std::vector<std::string_view> tellings = Parts(plot_.tellings, "|");
    const std::string_view telling = random_.Pick(std::span<const std::string_view>(tellings));
    constexpr unsigned kAhead = 12;
    const bool is_ahead = MayLead(question) && random_.Chance(kAhead);
    std::string asked;
    if (is_ahead) asked = Say(question);
    std::vector<std::string> told;
    for (const std::string_view part : Parts(telling, " ")) told.push_back(Say(Nested(Text(part))));
    if (!is_ahead) asked = Say(question);
    // "He" and "they" would be said of somebody else, too.
    const Expander& expander = workshop_.expander;
    if (expander.HasPerson('M') && !expander.UnusualSubjects().empty()) return std::nullopt;
    PutTogether(std::move(told), asked, is_ahead);
    draft_.next_variable = kLetters;
    draft_.specification.Add(plot_.specification);
    return Composed(workshop_, std::string(plot_.program), kPlotPhrasings + plot_.number,
                    std::move(draft_));
  }

 private:
  static constexpr std::size_t kLetters = 'k' - 'a';  // a plot has fewer numbers

  std::string Text(std::string_view part) const {
    return std::string(
        workshop_.PickText("plot_" + std::string(plot_.name) + "_" + std::string(part)));
  }
  /// Rules that texts share are put in first: they have openings, too.
  std::string Nested(std::string text) const {
    for (std::size_t at = 0; (at = text.find("<plot_")) != std::string::npos;) {
      const std::size_t end = text.find('>', at);
      text.replace(at, end + 1 - at, workshop_.PickText(text.substr(at + 1, end - at - 1)));
    }
    return text;
  }
  /// Whether a question can be understood ahead of its story: it says what it is about, in one
  /// sentence without a condition.
  static bool MayLead(std::string_view question) {
    if (!question.ends_with('?') || !question.starts_with("how ")) return false;
    constexpr std::array<std::string_view, 8> kLeaning = {". ",    " if ",  " they ", " that ",
                                                          " them", "{him}", " the ",  " this "};
    return std::ranges::none_of(kLeaning, [&](std::string_view word) {
      return question.find(word) != std::string_view::npos;
    });
  }

  std::string_view Filling(char key) const {
    const auto found = std::ranges::find(fillings_, key, [](const auto& f) { return f.first; });
    TXVM_ASSERT(found != fillings_.end());
    return found->second;
  }

  /// %P %I %H the person, by name where somebody else was spoken of since; %D %E %F do, of that
  /// person, of another and of several, in the story's tense; the others as the scene has them.
  std::string Say(const std::string& text) {
    std::string out;
    for (std::size_t at = 0; at < text.size(); ++at) {
      const bool is_opening = text[at] == '%' && (at == 0 || text[at - 1] != '{');
      if (text.compare(at, 2, "{N") == 0) is_last_ = true;
      const std::string_view rest = std::string_view(text).substr(at);
      constexpr std::array<std::string_view, 5> kOthers = {"{M", "{K", "{he2", "{him2", "{his2"};
      if (std::ranges::any_of(kOthers, [&](auto other) { return rest.starts_with(other); })) {
        is_last_ = false;
      }
      if (!is_opening) {
        out += text[at];
        continue;
      }
      out += Opened(text[++at]);
    }
    return workshop_.expander.Expand(out);
  }
  std::string Opened(char key) {
    if (key == 'E') return is_past_ ? "did" : "does";
    if (key == 'F') return is_past_ ? "did" : "do";
    if (key == 'D') return is_past_ ? "did" : "{does}";
    if (IsLower(key)) return Filled(Filling(key));
    constexpr unsigned kNamed = 30;
    const bool is_known = is_last_ && !random_.Chance(kNamed);
    is_last_ = true;
    if (key == 'H') return is_known ? "{his}" : "{N's}";
    if (key == 'P') return is_known ? "{he}" : "{N}";
    TXVM_ASSERT(key == 'I');
    workshop_.expander.Expand("{he}");  // who it is decides: "me", not "I"
    return is_known || !workshop_.expander.UnusualSubjects().empty() ? "{him}" : "{N}";
  }
  /// A scene's words may have openings, too.
  std::string Filled(std::string_view words) {
    std::string out;
    for (std::size_t at = 0; at < words.size(); ++at) {
      out += words[at] == '%' ? Opened(words[++at]) : std::string(1, words[at]);
    }
    return out;
  }

  void PutTogether(std::vector<std::string> told, const std::string& asked, bool is_ahead) {
    constexpr unsigned kJoined = 18, kIf = 60;
    if (told.size() >= 2 && random_.Chance(kJoined)) {
      constexpr std::array<std::string_view, 3> kJoints = {" and ", ", and ", "; "};
      const std::size_t at = random_.Below(told.size() - 1);
      const std::string next = Clause(told[at + 1]);
      told[at] =
          Clause(told[at]) + std::string(kJoints[random_.Below(kJoints.size())]) + next + ".";
      told.erase(told.begin() + static_cast<std::ptrdiff_t>(at) + 1);
    }
    std::string story;
    for (const std::string& sentence : told) story += (story.empty() ? "" : " ") + sentence;
    draft_.marked = story + " " + asked;
    if (!is_ahead) return;
    const std::vector<std::string> sentences = Sentences(story);
    draft_.marked = asked + " " + story;
    if (sentences.size() > 2 || !random_.Chance(kIf)) return;
    draft_.marked = asked.substr(0, asked.size() - 1) + " if ";
    for (std::size_t i = 0; i < sentences.size(); ++i) {
      draft_.marked += (i > 0 ? " and " : "") + Clause(sentences[i]);
    }
    draft_.marked += "?";
  }

  const Workshop& workshop_;
  Random& random_;
  const PlotQuestion& plot_;
  const bool is_past_;
  std::vector<std::pair<char, std::string>> fillings_;
  bool is_last_ = false;  // the person is the last that was spoken of
  Draft draft_;
};

}  // namespace

std::optional<Draft> DraftPlot(const Workshop& workshop) { return PlotTeller(workshop).Tell(); }

/// The keys that all scenes of a rule have, wherever they have them from.
static std::string KeysOfAllScenes(const Rules& rules, const std::string& name) {
  std::string common;
  bool is_first = true;
  if (!rules.Has(name)) return common;
  for (const std::string_view text : rules.Texts(name)) {
    std::string keys;
    for (const std::string_view item : Parts(text, "; ")) {
      if (!item.starts_with('<')) {
        keys += item.substr(0, 1);
      } else if (item.ends_with('>')) {
        keys += KeysOfAllScenes(rules, std::string(item.substr(1, item.size() - 2)));
      }
    }
    if (is_first) common = keys;
    is_first = false;
    std::erase_if(common, [&](char key) { return !keys.contains(key); });
  }
  return common;
}

std::vector<RuleNeed> RulesOfPlots(const QuestionBank& bank) {
  std::vector<RuleNeed> needs;
  for (const PlotQuestion& plot : bank.plots()) {
    const std::string prefix = "plot_" + std::string(plot.name) + "_";
    const std::string keys = KeysOfAllScenes(bank.rules(), prefix + "scene") + "PIHDEF";
    needs.push_back({prefix + "scene", keys});
    needs.push_back({prefix + "ask_" + std::string(plot.asked), keys});
    for (const std::string_view telling : Parts(plot.tellings, "|")) {
      for (const std::string_view part : Parts(telling, " ")) {
        needs.push_back({prefix + std::string(part), keys});
      }
    }
  }
  return needs;
}

}  // namespace txvm::neural::questions

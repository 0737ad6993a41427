#include "neural/questions/portions.h"

#include <algorithm>
#include <array>
#include <string>
#include <utility>

#include "neural/questions/draft.h"

// Stories of equal portions: so much in each, so many of them, so much together. Two of the three
// are told, in any order, and the third is asked; now and then something is added or taken away at
// the end, or there is a number that does not matter. What has more kinds, people or prices in it
// is told by portions_plans.cc.

namespace txvm::neural::questions {
namespace {

struct Topic {
  std::string_view rules;  // the prefix of their names
  unsigned weight;
};
constexpr std::array kTopics = {Topic{"pack", 34}, Topic{"time", 26}, Topic{"cost", 20},
                                Topic{"head", 20}};

/// What the portions are of.
struct Words {
  std::string_view unit, units, things, past, base;
};
constexpr std::array kPacks = {Words{"{container2}", "{container2+}", "{I}", "", ""},
                               Words{"{container2}", "{container2+}", "{food+}", "", ""},
                               Words{"{pack}", "{pack+}", "{stationery+}", "", ""},
                               Words{"row", "rows", "{furniture+}", "", ""},
                               Words{"{vehicle}", "{vehicle+}", "{people+}", "", ""},
                               Words{"page", "pages", "{stationery+}", "", ""},
                               Words{"{furniture}", "{furniture+}", "{people+}", "", ""},
                               Words{"shelf", "shelves", "books", "", ""},
                               Words{"vase", "vases", "{flower+}", "", ""},
                               Words{"box", "boxes", "crayons", "", ""},
                               Words{"nest", "nests", "eggs", "", ""},
                               Words{"row", "rows", "seats", "", ""},
                               Words{"row", "rows", "trees", "", ""},
                               Words{"chapter", "chapters", "pages", "", ""},
                               Words{"tray", "trays", "{treat+}", "", ""},
                               Words{"necklace", "necklaces", "beads", "", ""},
                               Words{"carton", "cartons", "eggs", "", ""},
                               Words{"album", "albums", "photos", "", ""},
                               Words{"coat", "coats", "buttons", "", ""},
                               Words{"building", "buildings", "windows", "", ""},
                               Words{"cage", "cages", "{animal+}", "", ""},
                               Words{"tank", "tanks", "fish", "", ""},
                               Words{"purse", "purses", "coins", "", ""}};
constexpr std::array kTimes = {
    Words{"{timeunit}", "{timeunit+}", "{I}", "{makeverb:past}", "{makeverb}"},
    Words{"{period}", "{period+}", "{I}", "sold", "sell"},
    Words{"day", "days", "pages", "read", "read"},
    Words{"day", "days", "{treat+}", "ate", "eat"},
    Words{"hour", "hours", "{distance+}", "drove", "drive"},
    Words{"minute", "minutes", "{distance+}", "ran", "run"},
    Words{"week", "weeks", "dollars", "saved", "save"},
    Words{"hour", "hours", "dollars", "earned", "earn"},
    Words{"hour", "hours", "problems", "solved", "solve"},
    Words{"game", "games", "points", "scored", "score"},
    Words{"day", "days", "{fruit+}", "picked", "pick"},
    Words{"{timeunit}", "{timeunit+}", "{page+}", "wrote", "write"},
    Words{"day", "days", "laps", "swam", "swim"},
    Words{"hour", "hours", "{treat+}", "baked", "bake"},
    Words{"minute", "minutes", "words", "typed", "type"},
    Words{"evening", "evenings", "minutes", "practiced", "practice"},
    Words{"week", "weeks", "miles", "walked", "walk"},
    Words{"hour", "hours", "{flower+}", "planted", "plant"},
    Words{"day", "days", "{vehicle+}", "washed", "wash"},
    Words{"week", "weeks", "letters", "wrote", "write"},
    Words{"night", "nights", "hours", "slept", "sleep"},
    Words{"month", "months", "{I}", "{gain:past}", "{gain}"}};
constexpr std::array kCosts = {
    Words{"{P1}", "{P}", "", "", ""},
    Words{"{fooditem}", "{fooditem+}", "", "", ""},
    Words{"{container2} of {food+}", "{container2+} of {food+}", "", "", ""},
    Words{"ticket", "tickets", "", "", ""},
    Words{"{toy}", "{toy+}", "", "", ""},
    Words{"{garment}", "{garment+}", "", "", ""},
    Words{"{frequent}", "{frequent+}", "", "", ""},
    Words{"ride", "rides", "", "", ""}};
constexpr std::array kHeads = {Words{"{people}", "{people+}", "{I}", "", ""},
                               Words{"{receiver}", "{receiver+}", "{food+}", "", ""},
                               Words{"team", "teams", "points", "", ""},
                               Words{"{animal}", "{animal+}", "{food+}", "", ""},
                               Words{"friend", "friends", "{treat+}", "", ""},
                               Words{"child", "children", "crayons", "", ""},
                               Words{"player", "players", "points", "", ""},
                               Words{"scout", "scouts", "badges", "", ""},
                               Words{"guest", "guests", "{treat+}", "", ""},
                               Words{"hen", "hens", "eggs", "", ""},
                               Words{"pupil", "pupils", "{stationery+}", "", ""}};

/// What is asked for.
enum class Asked : std::uint8_t { kTotal, kMany, kEach };

class Portions {
 public:
  Portions(const Workshop& workshop, Telling telling)
      : workshop_(workshop),
        telling_(telling),
        random_(workshop.random),
        topic_(random_.PickByWeight(std::span<const Topic>(kTopics))) {
    const std::span<const Words> words = topic_.rules == "pack"   ? std::span<const Words>(kPacks)
                                         : topic_.rules == "time" ? std::span<const Words>(kTimes)
                                         : topic_.rules == "cost" ? std::span<const Words>(kCosts)
                                                                  : std::span<const Words>(kHeads);
    words_ = random_.Pick(words);
    const std::size_t draw = random_.Below(100);
    asked_ = draw < 46 ? Asked::kTotal : draw < 72 ? Asked::kMany : Asked::kEach;
  }

  std::optional<Draft> Tell() {
    if (telling_ == Telling::kWithholding) {
      Withhold();
      SetMissing(kPhrasings, draft_);
      return std::move(draft_);
    }
    // The question may bring its number itself; then nothing is told behind it.
    const bool asks_of = asked_ != Asked::kEach && random_.Chance(35);
    asks_of ? TellAndAskOf() : TellAndAsk();
    SetComposed(program_, kPhrasings + static_cast<int>(asked_), draft_);
    return std::move(draft_);
  }

 private:
  /// By what is asked: the sentences that tell the two numbers, and the question.
  static constexpr std::array<std::array<std::string_view, 2>, 3> kApart = {
      {{"_each", "_many"}, {"_total", "_each"}, {"_total", "_many"}}};
  static constexpr std::array<std::string_view, 3> kAsk = {"_ask_total", "_ask_many", "_ask_each"};
  static constexpr int kPhrasings = 100;  // behind those of other stories put together

  /// A text of the topic's rule, appended. {a} and {b} are the next variables that its text has not
  /// yet used; what stands for {a}, and for {b}, is kept.
  void Say(std::string_view rule) {
    const std::string name = std::string(topic_.rules) + std::string(rule);
    std::string text(workshop_.PickText(name));
    const bool has_a = HasNumber(text, 'a'), has_b = HasNumber(text, 'b');
    if (!has_a && has_b) text = Replaced(Replaced(text, "{b}", "{a}"), "{$b}", "{$a}");
    const std::array<Opening, 6> open = {Opening{"%u", words_.unit}, {"%n", words_.units},
                                         {"%T", words_.things},      {"%U", "{J}"},
                                         {"%W", words_.past},        {"%w", words_.base}};
    const std::size_t numbers = (has_a ? 1u : 0u) + (has_b ? 1u : 0u);
    const char first = AppendFilled(workshop_, std::move(text), open, numbers, draft_);
    a_ = std::string(1, first);
    b_ = std::string(1, static_cast<char>(first + (has_a ? 1 : 0)));
  }
  static bool HasNumber(std::string_view text, char letter) {
    const std::string plain = {'{', letter, '}'}, money = {'{', '$', letter, '}'};
    return text.find(plain) != std::string_view::npos || text.find(money) != std::string_view::npos;
  }

  /// Half of it is told, and the question says the other number.
  void TellAndAskOf() {
    const Place other = DrawPlace(random_);
    if (other == Place::kAhead) Say("_other");
    Say("_each");
    const std::string each = a_;
    if (other > Place::kAhead) Say("_other");
    Say(asked_ == Asked::kTotal ? "_ask_total_of" : "_ask_many_of");
    Set(asked_ == Asked::kTotal ? each + " * " + a_ : a_ + " / " + each,
        asked_ == Asked::kTotal ? a_ : each, asked_ == Asked::kTotal ? each : a_);
  }

  void TellAndAsk() {
    constexpr std::array<std::string_view, 3> both = {"_each_many", "_total_each", "_total_many"};
    const auto kind = static_cast<std::size_t>(asked_);
    const Place other = DrawPlace(random_);
    if (other == Place::kAhead) Say("_other");
    std::string first, second;
    const bool is_apart = random_.Chance(50), is_between = is_apart && other == Place::kBetween;
    if (!is_apart) {
      Say(both[kind]);
      first = a_;
      second = b_;
    } else {
      const bool is_turned = random_.Chance(40);
      Say(kApart[kind][is_turned ? 1 : 0]);
      first = a_;
      if (is_between) Say("_other");
      Say(kApart[kind][is_turned ? 0 : 1]);
      second = a_;
      if (is_turned) std::swap(first, second);
    }
    if (other > Place::kAhead && !is_between) Say("_other");
    const bool is_total = asked_ == Asked::kTotal;
    if (is_total) {
      Set(first + " * " + second, second, first);
      if (random_.Chance(25)) AddTwist();
    } else {
      Set(first + " / " + second, second, first);
    }
    Say(kAsk[kind]);
  }

  /// One of the two numbers is told, the other is left open or is one of something else.
  void Withhold() {
    const Place other = DrawPlace(random_);
    if (other == Place::kAhead) Say("_other");
    // What is in a nest or on a necklace cannot be just anything.
    const bool has_others = topic_.rules == "cost" || words_.things.starts_with("{");
    const bool may_swap = topic_.rules != "time" && has_others && other != Place::kAhead;
    if (may_swap && random_.Chance(30)) {
      TellOfAnother();
      return;
    }
    const auto kind = static_cast<std::size_t>(asked_);
    const std::size_t lack = random_.Below(2);
    const std::string_view open = kApart[kind][lack];
    // Where only one portion is told, the question might be for that one.
    const bool is_bare = open != "_total" && asked_ != Asked::kTotal && random_.Chance(40);
    for (std::size_t i = 0; i < 2; ++i) {
      if (i != lack) Say(kApart[kind][i]);
      if (i == lack && !is_bare) Say("_no" + std::string(open));
      if (i == 0 && other == Place::kBetween) Say("_other");
    }
    if (other == Place::kBehind) Say("_other");
    Say(kAsk[kind]);
  }

  /// What is told for one kind of things is asked for another.
  void TellOfAnother() {
    const Words words = words_;
    Words another = words;
    another.things = "{J}";
    if (topic_.rules == "cost") another = {"{Q1}", "{Q}", "", "", ""};
    // "How many does each get?" would be of what is told.
    if (topic_.rules == "head" && asked_ == Asked::kEach) asked_ = Asked::kTotal;
    const bool is_total = asked_ == Asked::kTotal;
    words_ = another;
    Say(is_total ? "_each" : "_total");
    words_ = words;
    if (is_total && random_.Chance(40)) {
      Say("_ask_total_of");
      return;
    }
    if (asked_ == Asked::kMany) Say("_each");
    if (asked_ != Asked::kMany) Say("_many");
    Say(kAsk[static_cast<std::size_t>(asked_)]);
  }

  /// More or fewer than the portions give.
  void AddTwist() {
    const bool is_more = random_.Chance(50);
    Say(is_more ? "_more" : "_less");
    if (!is_more) draft_.specification.Add(program_ + " > " + a_);
    program_ += (is_more ? " + " : " - ") + a_;
  }

  /// The program; `factor` is small and, where there is a quotient, divides `number`.
  void Set(const std::string& program, const std::string& factor, const std::string& number) {
    program_ = program;
    draft_.specification.Add(factor + ":s");
    if (asked_ != Asked::kTotal) {
      draft_.specification.Add(number + " mod " + factor + " == 0, " + number + " > " + factor);
    }
  }

  const Workshop& workshop_;
  Telling telling_;
  Random& random_;
  const Topic& topic_;
  Words words_;
  Asked asked_;
  std::string a_, b_;  // of what was said last
  std::string program_;
  Draft draft_;
};

}  // namespace

std::optional<Draft> DraftPortions(const Workshop& workshop, Telling telling) {
  constexpr unsigned kPlanned = 46;
  if (workshop.random.Chance(kPlanned)) return DraftPlannedPortions(workshop, telling);
  return Portions(workshop, telling).Tell();
}

}  // namespace txvm::neural::questions

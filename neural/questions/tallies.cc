#include <algorithm>
#include <array>
#include <string>
#include <utility>
#include <vector>

#include "neural/questions/draft.h"

// Stories of amounts that are told one by one and may belong together: money spent on this and
// that, hours of different things, what was done on some days or at some places, the kinds that a
// crowd is made of. The question asks for all, for two of them, for how far they are apart, for
// what is left of a whole, or for one that follows from the whole and the others.

namespace txvm::neural::questions {
namespace {

constexpr std::size_t kMost = 4;   // amounts of a story
constexpr std::size_t kNames = 5;  // to choose from

/// What is done, in what unit, and what the amounts are of. Money where the unit is empty.
struct Topic {
  std::string_view rules;  // the prefix of their names
  std::string_view past, base, unit;
  std::array<std::string_view, kNames> names;
  unsigned weight;
};

constexpr std::array<std::string_view, kNames> kDays = {
    "on {weekday}", "on {weekday2}", "on {weekday3}", "on {weekday4}", "on {weekday5}"};
constexpr std::array<std::string_view, kNames> kMonths = {
    "in {month}", "in {month2}", "in {month3}", "in {month4}", "in {month5}"};
constexpr std::array<std::string_view, kNames> kDayparts = {
    "in the morning", "at noon", "in the afternoon", "in the evening", "before breakfast"};
constexpr std::array<std::string_view, kNames> kGames = {"in the first game", "in the second game",
                                                         "in the third game", "in the fourth game",
                                                         "in the last game"};
constexpr std::array<std::string_view, kNames> kShopping = {"on {I}", "on {J}", "on a_ {product}",
                                                            "on a_ {product2}", "on {L}"};
constexpr std::array<std::string_view, kNames> kErrands = {"on lunch", "on the bus fare", "on gas",
                                                           "on groceries", "on a haircut"};
constexpr std::array<std::string_view, kNames> kFun = {"on rides", "on snacks", "on tickets",
                                                       "on drinks", "on souvenirs"};
constexpr std::array<std::string_view, kNames> kBought = {
    "for a_ {product}", "for a_ {product2}", "for a_ {product3}", "for a_ {fooditem}", "for {I}"};
constexpr std::array<std::string_view, kNames> kJobs = {
    "mowing lawns", "walking dogs", "babysitting", "washing cars", "raking leaves"};
constexpr std::array<std::string_view, kNames> kSales = {"by selling {I}", "by selling {J}",
                                                         "by selling {L}", "by selling lemonade",
                                                         "by selling old toys"};
constexpr std::array<std::string_view, kNames> kPastimes = {
    "reading", "cooking", "playing {sport}", "practicing the piano", "cleaning the house"};
constexpr std::array<std::string_view, kNames> kStudies = {
    "on {course} homework", "on {course2} homework", "on {course3} homework", "on a poster",
    "on an essay"};
constexpr std::array<std::string_view, kNames> kWays = {
    "to the lake", "along the river", "through the woods", "to the next village", "up the hill"};
constexpr std::array<std::string_view, kNames> kWaters = {
    "in the lake", "in the river", "in the pond", "off the pier", "from a boat"};
constexpr std::array<std::string_view, kNames> kStands = {
    "at the fair", "at the market", "at school", "at the station", "at the stadium"};
constexpr std::array<std::string_view, kNames> kOccasions = {
    "for the school", "for the neighbors", "for a party", "for the bake sale", "for {K}"};
constexpr std::array<std::string_view, kNames> kRooms = {
    "in the kitchen", "in the hall", "in the attic", "in the garage", "in the cellar"};
constexpr std::array<std::string_view, kNames> kTrees = {
    "from the first tree", "from the second tree", "from the third tree", "from the fourth tree",
    "from the last tree"};
constexpr std::array<std::string_view, kNames> kDishes = {
    "for the cake", "for the soup", "for the salad", "for the pudding", "for the pancakes"};
constexpr std::array<std::string_view, kNames> kPeople = {"to {M}", "to {K}", "to a neighbor",
                                                          "to a teacher", "to a cousin"};
constexpr std::array<std::string_view, kNames> kSources = {"from {M}", "from {K}", "from grandma",
                                                           "from an aunt", "from a neighbor"};

constexpr std::array kTopics = {Topic{"tally", "spent", "spend", "", kShopping, 10},
                                Topic{"tally", "spent", "spend", "", kErrands, 6},
                                Topic{"tally", "spent", "spend", "", kFun, 6},
                                Topic{"tally", "paid", "pay", "", kBought, 8},
                                Topic{"tally", "earned", "earn", "", kJobs, 5},
                                Topic{"tally", "made", "make", "", kSales, 4},
                                Topic{"tally", "saved", "save", "", kMonths, 4},
                                Topic{"tally", "earned", "earn", "", kDays, 4},
                                Topic{"tally", "got", "get", "", kSources, 3},
                                Topic{"tally", "spent", "spend", "{worktime+}", kPastimes, 4},
                                Topic{"tally", "spent", "spend", "minutes", kPastimes, 4},
                                Topic{"tally", "spent", "spend", "minutes", kStudies, 4},
                                Topic{"tally", "walked", "walk", "{distance+}", kWays, 4},
                                Topic{"tally", "rode", "ride", "miles", kWays, 3},
                                Topic{"tally", "ran", "run", "{distance+}", kDays, 3},
                                Topic{"tally", "drove", "drive", "miles", kDays, 3},
                                Topic{"tally", "read", "read", "pages", kDays, 5},
                                Topic{"tally", "read", "read", "pages", kDayparts, 3},
                                Topic{"tally", "scored", "score", "points", kGames, 6},
                                Topic{"tally", "made", "make", "goals", kGames, 2},
                                Topic{"tally", "caught", "catch", "fish", kWaters, 3},
                                Topic{"tally", "sold", "sell", "{I}", kStands, 4},
                                Topic{"tally", "sold", "sell", "{I}", kDays, 4},
                                Topic{"tally", "sold", "sell", "tickets", kDayparts, 3},
                                Topic{"tally", "baked", "bake", "{treat+}", kOccasions, 4},
                                Topic{"tally", "{makeverb:past}", "{makeverb}", "{I}", kMonths, 4},
                                Topic{"tally", "put", "put", "{furniture+}", kRooms, 2},
                                Topic{"tally", "picked", "pick", "{fruit+}", kTrees, 4},
                                Topic{"tally", "used", "use", "eggs", kDishes, 3},
                                Topic{"tally", "used", "use", "cups of flour", kDishes, 2},
                                Topic{"tally", "gave", "give", "{I}", kPeople, 6},
                                Topic{"tally", "sent", "send", "letters", kPeople, 2},
                                Topic{"tally", "got", "get", "{I}", kSources, 5}};

/// What many things are kinds of.
struct Crowd {
  std::string_view all;    // what they are together
  std::string_view where;  // and where
  std::array<std::string_view, kNames> kinds;
  std::string_view noun;  // follows each kind that is an adjective
  unsigned weight;
};
constexpr std::array<std::string_view, kNames> kColors = {"{C}", "{E}", "{color3}", "{color4}",
                                                          "{color5}"};
constexpr std::array kCrowds = {
    Crowd{"{I}", "{inplace}", kColors, " {I}", 14},
    Crowd{"{flower+}", "in the garden", kColors, " {flower+}", 4},
    Crowd{"{vehicle+}", "in the parking lot", kColors, " {vehicle+}", 3},
    Crowd{"balloons", "in the hall", kColors, " balloons", 2},
    Crowd{"animals", "on the farm", {"sheep", "cows", "goats", "pigs", "horses"}, "", 5},
    Crowd{"birds", "at the pond", {"ducks", "geese", "swans", "herons", "gulls"}, "", 4},
    Crowd{"pets", "in the shop", {"cats", "dogs", "rabbits", "hamsters", "parrots"}, "", 4},
    Crowd{"children", "in the {venue}", {"boys", "girls"}, "", 8},
    Crowd{"people", "in the {venue}", {"men", "women", "children"}, "", 6},
    Crowd{"books",
          "on the shelf",
          {"novels", "comics", "cookbooks", "travel guides", "picture books"},
          "",
          5},
    Crowd{"vehicles", "in the lot", {"cars", "vans", "trucks", "buses", "motorbikes"}, "", 4},
    Crowd{"trees", "in the park", {"oaks", "birches", "maples", "pines", "willows"}, "", 4},
    Crowd{"flowers", "in the bed", {"roses", "tulips", "daisies", "lilies", "violets"}, "", 4},
    Crowd{
        "pieces of fruit", "in the basket", {"apples", "pears", "plums", "lemons", "figs"}, "", 4},
    Crowd{"cakes", "in the bakery", {"tarts", "muffins", "brownies", "cupcakes", "pies"}, "", 3},
    Crowd{"instruments",
          "in the music room",
          {"drums", "flutes", "violins", "guitars", "horns"},
          "",
          2},
    Crowd{"coins", "in the jar", {"pennies", "dimes", "nickels", "quarters"}, "", 3},
    Crowd{
        "balls", "in the gym", {"footballs", "tennis balls", "basketballs", "golf balls"}, "", 3}};

/// What is asked for.
enum class Asked : std::uint8_t { kAll, kTwo, kMore, kFewer, kNot, kRest, kOne, kWhole };
struct Question {
  Asked asked;
  unsigned weight;
};
constexpr std::array kQuestions = {Question{Asked::kAll, 22},  Question{Asked::kTwo, 11},
                                   Question{Asked::kMore, 17}, Question{Asked::kFewer, 9},
                                   Question{Asked::kNot, 6},   Question{Asked::kRest, 18},
                                   Question{Asked::kOne, 15},  Question{Asked::kWhole, 8}};

class Tally {
 public:
  Tally(const Workshop& workshop, Telling telling)
      : workshop_(workshop),
        random_(workshop.random),
        withholds_(telling == Telling::kWithholding),
        asked_(random_.PickByWeight(std::span<const Question>(kQuestions)).asked) {
    random_.Chance(28) ? ChooseCrowd() : ChooseDeed();
    // Only of money there is a beginning that was not the aim.
    if (asked_ == Asked::kWhole && !spends_) asked_ = Asked::kAll;
    if (asked_ == Asked::kNot && !past_.empty()) asked_ = Asked::kTwo;
    const std::size_t available = names_.size();
    count_ = std::min(available, random_.Chance(50) ? 2 : random_.Chance(80) ? 3 : kMost);
    if (asked_ == Asked::kTwo || asked_ == Asked::kNot) count_ = std::max<std::size_t>(count_, 3);
    random_.Shuffle(names_);
  }

  std::optional<Draft> Tell() {
    if (names_.size() < count_) return std::nullopt;
    // Where the whole is not needed, an amount is not told.
    if (withholds_ && !HasWhole()) hidden_ = random_.Below(2);
    const bool has_whole = HasWhole() && !withholds_, is_whole_first = random_.Chance(70);
    if (random_.Chance(10)) SayOther();
    if (has_whole && is_whole_first) TellWhole();
    TellAmounts();
    if (asked_ == Asked::kOne) Say("_rest_is", 0);
    if (has_whole && !is_whole_first) TellWhole();
    Ask();
    const int phrasing = kPhrasings + static_cast<int>(asked_);
    withholds_ ? SetMissing(phrasing, draft_) : SetComposed(program_, phrasing, draft_);
    return std::move(draft_);
  }

 private:
  static constexpr int kPhrasings = 200;  // following those of other stories

  void ChooseDeed() {
    const Topic& topic = random_.PickByWeight(std::span<const Topic>(kTopics));
    rules_ = topic.rules;
    past_ = topic.past;
    base_ = topic.base;
    unit_ = topic.unit;
    is_money_ = unit_.empty();
    spends_ = is_money_ && (past_ == "spent" || past_ == "paid");
    for (const std::string_view name : topic.names) names_.push_back({std::string(name), name});
  }
  void ChooseCrowd() {
    const Crowd& crowd = random_.PickByWeight(std::span<const Crowd>(kCrowds));
    rules_ = random_.Chance(60) ? "crowd" : "owned";
    if (crowd.where.find("{venue}") != std::string_view::npos) rules_ = "crowd";
    unit_ = crowd.all;
    where_ = crowd.where;
    for (const std::string_view kind : crowd.kinds) {
      if (!kind.empty()) names_.push_back({std::string(kind) + std::string(crowd.noun), kind});
    }
  }

  bool HasWhole() const {
    return asked_ == Asked::kRest || asked_ == Asked::kOne || asked_ == Asked::kWhole;
  }

  /// A text of the topic's rule, appended: its amounts are those of names_ from `first` on.
  char Say(std::string_view rule, std::size_t numbers, std::size_t first = 0,
           std::string_view subject = "{N}") {
    std::string text(workshop_.PickText(std::string(rules_) + std::string(rule)));
    if (is_money_ && rule != "_other") text = InMoney(std::move(text));
    const std::pair<std::string, std::string_view> none;
    const auto name = [&](std::size_t i) -> const std::pair<std::string, std::string_view>& {
      return i < names_.size() ? names_[i] : none;
    };
    const bool is_first = subject == "{N}";
    const std::array<Opening, 17> open = {Opening{"%P", subject},
                                          {"%h", is_first ? "{he}" : "{he2}"},
                                          {"{P's}", is_first ? "{N's}" : "{M's}"},
                                          {"%s", is_first ? "{his}" : "{his2}"},
                                          {"%d", is_first ? "{does}" : "does"},
                                          {"%H", is_first ? "{has}" : "has"},
                                          {"%W", past_},
                                          {"%w", base_},
                                          {"%U", unit_},
                                          {"%in", where_},
                                          {"%x", name(first).first},
                                          {"%y", name(first + 1).first},
                                          {"%z", name(first + 2).first},
                                          {"%X", name(first).second},
                                          {"%Y", name(first + 1).second},
                                          {"%Z", name(count_ - 1).second},
                                          {"%l", name(count_ - 1).first}};
    return AppendFilled(workshop_, std::move(text), open, numbers, draft_);
  }
  /// The words for counts turned into those for money.
  static std::string InMoney(std::string text) {
    constexpr std::array<Opening, 12> kWords = {Opening{"{a}", "{$a}"},
                                                {"{b}", "{$b}"},
                                                {"{c}", "{$c}"},
                                                {"how many more %U", "how much more"},
                                                {"how many fewer %U", "how much less"},
                                                {"how many %U", "how much"},
                                                {"as many %U", "as much"},
                                                {"more %U", "more"},
                                                {"fewer %U", "less"},
                                                {"number of %U", "amount of money"},
                                                {" %U", ""},
                                                {"much are", "much is"}};
    for (const auto& [what, by] : kWords) text = Replaced(text, what, by);
    return text;
  }

  /// All amounts, but the last where that is asked for and but what is withheld.
  void TellAmounts() {
    const std::size_t told = count_ - (asked_ == Asked::kOne ? 1 : 0);
    // Somebody else's amounts do not matter; kinds have no owner.
    const bool has_rival = !past_.empty() && random_.Chance(18);
    const bool is_rival_first = random_.Chance(30);
    if (has_rival && is_rival_first) TellRival();
    for (std::size_t i = 0; i < told;) {
      if (i == hidden_) {
        Say("_some", 0, i++);
        continue;
      }
      if (i > 0 && hidden_ == kMost && linked_ == kMost && random_.Chance(20)) {
        linked_ = i;
        TellByLast(i++);
        continue;
      }
      std::size_t together = 1 + random_.Below(std::min<std::size_t>(told - i, 3));
      if (hidden_ > i) together = std::min(together, hidden_ - i);
      constexpr std::array<std::string_view, 3> kRules = {"_one", "_two", "_three"};
      const bool is_next = i > 0 && together == 1 && random_.Chance(60);
      const bool is_front = together == 1 && IsWhen(names_[i].second) && random_.Chance(35);
      const char first = Say(is_front  ? "_front"
                             : is_next ? "_next"
                                       : kRules[together - 1],
                             together, i);
      for (std::size_t k = 0; k < together; ++k) {
        amounts_[i + k] = std::string(1, static_cast<char>(first + static_cast<char>(k)));
      }
      i += together;
    }
    if (has_rival && !is_rival_first) TellRival();
    if (random_.Chance(14)) SayOther();
  }
  /// An amount by the one before it.
  void TellByLast(std::size_t i) {
    const std::string last = amounts_[i - 1];
    const std::size_t kind = random_.Below(3);
    constexpr std::array<std::string_view, 3> kRules = {"_twice", "_above", "_below"};
    const std::string number(1, Say(kRules[kind], kind == 0 ? 0 : 1, i - 1));
    if (kind == 2) Require(last + " > " + number);
    amounts_[i] = kind == 0   ? "(" + last + " * 2)"
                  : kind == 1 ? "(" + last + " + " + number + ")"
                              : "(" + last + " - " + number + ")";
  }
  /// Whether a name of an amount may stand ahead of its sentence.
  static bool IsWhen(std::string_view name) {
    return name.starts_with("on {weekday") || name.starts_with("in {month") ||
           name.starts_with("in the ");
  }
  void TellRival() { Say("_one", 1, random_.Below(count_), "{M}"); }
  void SayOther() { Say("_other", 1); }

  void TellWhole() {
    const std::string_view rule = asked_ == Asked::kOne     ? "_sum"
                                  : asked_ == Asked::kWhole ? "_left"
                                  : spends_                 ? "_start"
                                                            : "_goal";
    whole_ = std::string(1, Say(rule, 1));
  }

  void Ask() {
    constexpr std::array<std::string_view, 8> kRules = {"_ask_all",   "_ask_two",  "_ask_more",
                                                        "_ask_fewer", "_ask_not",  "_ask_rest",
                                                        "_ask_one",   "_ask_whole"};
    std::string_view rule = kRules[static_cast<std::size_t>(asked_)];
    if (asked_ == Asked::kRest && spends_) rule = "_ask_left";
    if (withholds_) {
      Say(rule, 0);
      return;
    }
    const bool is_apart = asked_ == Asked::kMore || asked_ == Asked::kFewer;
    std::size_t first = 0;
    if (is_apart || asked_ == Asked::kTwo) first = random_.Below(count_ - 1);
    if (is_apart && random_.Chance(50)) {  // the other way round
      std::swap(names_[first], names_[first + 1]);
      std::swap(amounts_[first], amounts_[first + 1]);
    }
    Say(rule, 0, first);
    Compute(first);
  }

  void Compute(std::size_t first) {
    const std::string& one = amounts_[first];
    const std::string& other = amounts_[first + 1];
    if (asked_ == Asked::kMore || asked_ == Asked::kFewer) {
      const bool is_more = asked_ == Asked::kMore;
      const std::string &larger = is_more ? one : other, &smaller = is_more ? other : one;
      Require(larger + " > " + smaller);
      program_ = larger + " - " + smaller;
    } else if (asked_ == Asked::kTwo) {
      program_ = one + " + " + other;
    } else {
      std::string sum;
      for (std::size_t i = asked_ == Asked::kNot ? 1 : 0; i < kMost; ++i) {
        if (!amounts_[i].empty()) sum += (sum.empty() ? "" : " + ") + amounts_[i];
      }
      const bool is_subtracted = asked_ == Asked::kRest || asked_ == Asked::kOne;
      if (is_subtracted) Require(whole_ + " > " + sum);
      program_ = is_subtracted             ? whole_ + " - (" + sum + ")"
                 : asked_ == Asked::kWhole ? whole_ + " + " + sum
                                           : sum;
    }
  }

  void Require(const std::string& condition) { draft_.specification.Add(condition); }

  const Workshop& workshop_;
  Random& random_;
  bool withholds_;
  Asked asked_;
  std::string_view rules_, past_, base_, unit_, where_;
  bool is_money_ = false, spends_ = false;
  std::vector<std::pair<std::string, std::string_view>> names_;  // in full, and as "are ..."
  std::size_t count_ = 0;
  std::size_t hidden_ = kMost;  // the amount that is withheld
  std::size_t linked_ = kMost;  // the one that is told by another
  std::array<std::string, kMost> amounts_;
  std::string whole_, program_;
  Draft draft_;
};

}  // namespace

std::optional<Draft> DraftTally(const Workshop& workshop, Telling telling) {
  return Tally(workshop, telling).Tell();
}

}  // namespace txvm::neural::questions

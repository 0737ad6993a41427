#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "neural/questions/draft.h"

// Stories of equal portions: an amount in each, how many there are, and what they make together.
// Two of the three are told, in any order, and the third is asked; now and then something is added
// or taken away at the end, or there is a number that does not matter. Plans tell what has more
// kinds, people or prices in it: each says which sentences may tell its numbers and what may be
// asked; the letters of its texts are the same throughout a story.

namespace txvm::neural::questions {

/// A story by one of the plans, of which the question asks for some.
static std::optional<Draft> DraftPlannedPortions(const Workshop& workshop, Telling telling);

namespace {

/// Where a number that does not matter is told.
enum class Place : std::uint8_t { kNowhere, kAhead, kBetween, kBehind };
/// In about 30 of 100 stories there is one.
inline Place DrawPlace(Random& random) {
  constexpr std::size_t kAheadUntil = 9, kBetweenUntil = 20, kBehindUntil = 31;  // of 100
  const std::size_t draw = random.Below(100);
  if (draw < kAheadUntil) return Place::kAhead;
  if (draw < kBetweenUntil) return Place::kBetween;
  return draw < kBehindUntil ? Place::kBehind : Place::kNowhere;
}

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
    // The question may bring its number itself; then nothing is told after it.
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
  static constexpr int kPhrasings = 100;  // following those of other stories

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

namespace {

/// What stands open in the texts of a plan.
struct Row {
  std::string_view unit, units, things;                             // %u %n %T
  std::string_view other_unit = {}, other_units = {}, others = {};  // %v %m %U
  std::string_view all = {};                                        // %A: both kinds of things
  std::string_view past = {}, base = {};                            // %W %w
};

constexpr std::array kMixed = {
    Row{"vase", "vases", "roses", "", "", "tulips", "flowers"},
    Row{"vase", "vases", "lilies", "", "", "daisies", "flowers"},
    Row{"bouquet", "bouquets", "violets", "", "", "carnations", "flowers"},
    Row{"{container2}", "{container2+}", "{I}", "", "", "{J}", "things"},
    Row{"{container2}", "{container2+}", "{fruit+}", "", "", "{fruit2+}", "pieces of fruit"},
    Row{"{pack}", "{pack+}", "{toy+}", "", "", "{toy2+}", "toys"},
    Row{"box", "boxes", "{stationery+}", "", "", "{stationery2+}", "things"},
    Row{"plate", "plates", "{treat+}", "", "", "{treat2+}", "treats"},
    Row{"{vehicle}", "{vehicle+}", "boys", "", "", "girls", "children"},
    Row{"team", "teams", "women", "", "", "men", "people"},
    Row{"classroom", "classrooms", "girls", "", "", "boys", "children"},
    Row{"field", "fields", "{animal+}", "", "", "{animal2+}", "animals"},
    Row{"row", "rows", "apple trees", "", "", "pear trees", "trees"},
    Row{"page", "pages", "photos", "", "", "drawings", "pictures"},
    Row{"shelf", "shelves", "novels", "", "", "picture books", "books"}};
constexpr std::array kKinds = {
    Row{"{container2}", "{container2+}", "{I}", "{container3}", "{container3+}", "{J}", "things"},
    Row{"box", "boxes", "{fruit+}", "bag", "bags", "{fruit2+}", "pieces of fruit"},
    Row{"{pack}", "{pack+}", "{toy+}", "{pack2}", "{pack2+}", "{toy2+}", "toys"},
    Row{"tray", "trays", "{treat+}", "tin", "tins", "{treat2+}", "treats"},
    Row{"shelf", "shelves", "books", "stack", "stacks", "magazines", "books and magazines"},
    Row{"vase", "vases", "roses", "bucket", "buckets", "tulips", "flowers"},
    Row{"crate", "crates", "{vegetable+}", "sack", "sacks", "{vegetable2+}", "vegetables"},
    Row{"case", "cases", "{stationery+}", "drawer", "drawers", "{stationery2+}", "things"}};
constexpr std::array kSameKind = {
    Row{"bag", "bags", "{I}", "box", "boxes", "", ""},
    Row{"{container2}", "{container2+}", "{food+}", "{container3}", "{container3+}", "", ""},
    Row{"bus", "buses", "{people+}", "van", "vans", "", ""},
    Row{"long row", "long rows", "seats", "short row", "short rows", "", ""},
    Row{"large tray", "large trays", "{treat+}", "small tray", "small trays", "", ""},
    Row{"thick album", "thick albums", "photos", "thin album", "thin albums", "", ""},
    Row{"big nest", "big nests", "eggs", "little nest", "little nests", "", ""}};
constexpr std::array kDeeds = {
    Row{"day", "days", "pages", "", "", "", "", "read", "read"},
    Row{"hour", "hours", "dollars", "", "", "", "", "earned", "earn"},
    Row{"week", "weeks", "dollars", "", "", "", "", "saved", "save"},
    Row{"{timeunit}", "{timeunit+}", "{I}", "", "", "", "", "{makeverb:past}", "{makeverb}"},
    Row{"day", "days", "laps", "", "", "", "", "swam", "swim"},
    Row{"day", "days", "{fruit+}", "", "", "", "", "picked", "pick"},
    Row{"game", "games", "points", "", "", "", "", "scored", "score"},
    Row{"hour", "hours", "{treat+}", "", "", "", "", "baked", "bake"},
    Row{"day", "days", "miles", "", "", "", "", "walked", "walk"},
    Row{"hour", "hours", "miles", "", "", "", "", "drove", "drive"},
    Row{"month", "months", "books", "", "", "", "", "read", "read"},
    Row{"day", "days", "minutes", "", "", "", "", "practiced", "practice"},
    Row{"hour", "hours", "{flower+}", "", "", "", "", "planted", "plant"},
    Row{"week", "weeks", "letters", "", "", "", "", "wrote", "write"},
    Row{"month", "months", "{I}", "", "", "", "", "sold", "sell"}};
constexpr std::array kSharers = {
    Row{"friend", "friends", "{treat+}"},       Row{"friend", "friends", "{I}"},
    Row{"cousin", "cousins", "{food+}"},        Row{"classmate", "classmates", "{I}"},
    Row{"sister", "sisters", "{toy+}"},         Row{"brother", "brothers", "{toy+}"},
    Row{"neighbor", "neighbors", "{fruit+}"},   Row{"teammate", "teammates", "{treat+}"},
    Row{"{receiver}", "{receiver+}", "{food+}"}};
constexpr std::array kGoods = {Row{"{P1}", "{P}", ""},
                               Row{"{P1}", "{P}", ""},
                               Row{"{fooditem}", "{fooditem+}", ""},
                               Row{"{toy}", "{toy+}", ""},
                               Row{"{frequent}", "{frequent+}", ""},
                               Row{"{garment}", "{garment+}", ""},
                               Row{"{container2} of {food+}", "{container2+} of {food+}", ""},
                               Row{"ticket", "tickets", ""}};
constexpr std::array kFilled = {Row{"{container2}", "{container2+}", "{I}"},
                                Row{"{pack}", "{pack+}", "{stationery+}"},
                                Row{"box", "boxes", "pens"},
                                Row{"vase", "vases", "{flower+}"},
                                Row{"bag", "bags", "{treat+}"},
                                Row{"basket", "baskets", "{fruit+}"},
                                Row{"necklace", "necklaces", "beads"},
                                Row{"page", "pages", "stickers"},
                                Row{"shelf", "shelves", "books"},
                                Row{"carton", "cartons", "eggs"}};

/// What may be asked.
struct Asking {
  std::string_view rule, program, specification;
  std::string_view lacks;  // numbers without which there is no answer, even if none hints at them
  unsigned weight;
};

constexpr std::array kAskMixed = {Asking{"ask_t", "a * c", "", "ac", 26},
                                  Asking{"ask_u", "b * c", "", "bc", 22},
                                  Asking{"ask_all", "(a + b) * c", "", "c", 26},
                                  Asking{"ask_differ", "(a - b) * c", "a > b", "c", 14},
                                  Asking{"ask_each", "a + b", "", "", 7},
                                  Asking{"ask_each_differ", "a - b", "a > b", "", 5}};
constexpr std::array kAskKinds = {Asking{"ask_t", "a / c", "", "ac", 42},
                                  Asking{"ask_u", "b / d", "", "bd", 42},
                                  Asking{"ask_differ", "a / c - b / d", "i > j", "abcd", 8},
                                  Asking{"ask_units", "c + d", "", "", 8}};
constexpr std::array kAskLots = {Asking{"ask_t", "a * b", "", "ab", 25},
                                 Asking{"ask_u", "c * d", "", "cd", 25},
                                 Asking{"ask_all", "a * b + c * d", "", "bd", 24},
                                 Asking{"ask_differ", "a * b - c * d", "a * b > c * d", "abcd", 18},
                                 Asking{"ask_units", "a + c", "", "", 8}};
constexpr std::array kAskSame = {Asking{"ask_all", "a * b + c * d", "", "bd", 60},
                                 Asking{"ask_t", "a * b", "", "ab", 20},
                                 Asking{"ask_u", "c * d", "", "cd", 20}};
constexpr std::array kAskTwo = {
    Asking{"ask_n", "a * b", "", "ab", 24}, Asking{"ask_m", "c * d", "", "cd", 24},
    Asking{"ask_all", "a * b + c * d", "", "ac", 24},
    Asking{"ask_differ", "a * b - c * d", "a * b > c * d", "abcd", 14},
    Asking{"ask_differ_m", "c * d - a * b", "c * d > a * b", "abcd", 14}};
constexpr std::array kAskPace = {Asking{"ask_n", "a * b", "", "ab", 22},
                                 Asking{"ask_m", "c * b", "", "bc", 22},
                                 Asking{"ask_all", "(a + c) * b", "", "abc", 30},
                                 Asking{"ask_differ", "(a - c) * b", "a > c", "abc", 26}};
constexpr std::array kAskPaceOf = {Asking{"ask_n", "a * b", "", "a", 22},
                                   Asking{"ask_m", "c * b", "", "c", 22},
                                   Asking{"ask_all", "(a + c) * b", "", "ac", 30},
                                   Asking{"ask_differ", "(a - c) * b", "a > c", "ac", 26}};
constexpr std::array kAskSelf = {Asking{"ask", "a / (b + 1)", "", "", 1}};
constexpr std::array kAskOthers = {Asking{"ask", "a / b", "", "", 1}};
constexpr std::array kAskSelfAll = {Asking{"ask", "a * (b + 1)", "", "", 1}};
constexpr std::array kAskOthersAll = {Asking{"ask", "a * b", "", "", 1}};
constexpr std::array kAskOff = {Asking{"ask_all", "(a - b) * c", "", "a", 75},
                                Asking{"ask_each", "a - b", "", "a", 25}};
constexpr std::array kAskFee = {Asking{"ask_all", "(a + b) * c", "", "a", 80},
                                Asking{"ask_each", "a + b", "", "a", 20}};
constexpr std::array kAskOffAll = {Asking{"ask_all", "a * c - b", "a * c > b", "a", 1}};
constexpr std::array kAskFeeAll = {Asking{"ask_all", "a * c + b", "", "a", 1}};
constexpr std::array kAskCut = {Asking{"ask", "a - b", "a > b", "a", 1}};
constexpr std::array kAskChange = {Asking{"ask", "a - b * c", "", "ac", 1}};
constexpr std::array kAskChangeOne = {Asking{"ask", "a - c", "", "ac", 1}};
constexpr std::array kAskSpare = {Asking{"ask", "a - b * c", "", "ac", 1}};
constexpr std::array kAskShort = {Asking{"ask", "b * c - a", "b * c > a", "c", 1}};
constexpr std::array kAskMost = {Asking{"ask", "a / c", "", "ac", 1}};
constexpr std::array kAskNeed = {Asking{"ask", "b * c - a", "b * c > a", "c", 1}};
constexpr std::array kAskLeft = {Asking{"ask", "a - b * c", "", "ac", 1}};

/// What a number that does not matter may be of: the prefix of its rule.
constexpr std::string_view kAnyOther = "any_other", kUnitOther = "unit_other",
                           kShopOther = "shop_other";

struct Plan {
  std::string_view name;  // the prefix of its rules
  unsigned weight;
  std::span<const Row> rows;
  std::string_view told;   // sentences by the numbers they tell, one way after the other
  std::string_view each;   // a sentence for every number
  std::string_view vague;  // numbers that a rule _no_.. leaves open: "some", "a few"
  std::string_view specification;
  std::string_view other;  // the rule of what does not matter
  std::span<const Asking> asked;
};

// clang-format off
constexpr std::array kPlans = {
    Plan{"mix", 15, kMixed, "abc|ab c|c ab|a b c|c a b", "a b c", "abc", "c:s", kAnyOther, kAskMixed},
    Plan{"kind", 12, kKinds, "ab cd|ac bd|a c b d|ab c d|bd ac|cd ab", "a b c d", "abcd",
         "c:s, d:s, i:t, j:t, a=i*c, b=j*d", kUnitOther, kAskKinds},
    Plan{"lots", 11, kKinds, "abcd|ab cd|cd ab|ac b d|a b c d", "a b c d", "abcd", "a:s, c:s, d:t", kUnitOther, kAskLots},
    Plan{"same", 5, kSameKind, "abcd|ab cd|cd ab|ac b d", "a b c d", "abcd", "a:s, c:s, d:t", kAnyOther, kAskSame},
    Plan{"two", 11, kDeeds, "abcd|ab cd|cd ab|a b c d|ac b d", "a b c d", "abcd", "b:s, d:s, c:t", kAnyOther, kAskTwo},
    Plan{"pace", 4, kDeeds, "ac b|a c b|acb", "a c b", "abc", "b:s", kAnyOther, kAskPace},
    Plan{"paceof", 4, kDeeds, "ac|a c", "a c", "ac", "b:s", kAnyOther, kAskPaceOf},
    Plan{"self", 8, kSharers, "ab|ab|a b|b a", "a b", "ab", "b:s, i:t, a=i*(b + 1)", kAnyOther, kAskSelf},
    Plan{"others", 8, kSharers, "ab|ab|a b|b a", "a b", "ab", "b:s, i:t, a=i*b", kAnyOther, kAskOthers},
    Plan{"selfall", 3, kSharers, "ab", "b", "a", "b:s", kAnyOther, kAskSelfAll},
    Plan{"othersall", 3, kSharers, "ab", "b", "a", "b:s", kAnyOther, kAskOthersAll},
    Plan{"off", 6, kGoods, "a b c|a c b|ac b|c a b|ab c", "a b c", "bc", "c:s, a > b", kShopOther, kAskOff},
    Plan{"fee", 5, kGoods, "a b c|a c b|ac b|c a b|ab c", "a b c", "bc", "c:s, b:s", kShopOther, kAskFee},
    Plan{"offall", 3, kGoods, "a c b|ac b|c a b", "a c b", "bc", "c:s", kShopOther, kAskOffAll},
    Plan{"feeall", 3, kGoods, "a c b|ac b|c a b", "a c b", "bc", "c:s, b:s", kShopOther, kAskFeeAll},
    Plan{"cut", 4, kGoods, "ab|a b", "a b", "b", "", kShopOther, kAskCut},
    Plan{"change", 6, kGoods, "bc a|c b a|b c a|a bc|abc", "c b a", "bc", "b:s, c:t, i:t, a=b*c+i", kShopOther, kAskChange},
    Plan{"changeone", 4, kGoods, "c a|ac", "c a", "ac", "c:m, i:t, a=c+i", kShopOther, kAskChangeOne},
    Plan{"spare", 6, kGoods, "a bc|a c b|c a b|abc", "a c b", "bc", "b:s, c:t, i:t, a=b*c+i", kShopOther, kAskSpare},
    Plan{"short", 4, kGoods, "a bc|a c b|c b a|bc a", "c b a", "abc", "b:s, c:t", kShopOther, kAskShort},
    Plan{"most", 4, kGoods, "a c|c a|ac", "a c", "ac", "c:s, i:t, a=i*c", kShopOther, kAskMost},
    Plan{"need", 8, kFilled, "a bc|bc a|a b c|c b a", "a b c", "abc", "b:s, c:t", kUnitOther, kAskNeed},
    Plan{"left", 6, kFilled, "a bc|a b c|c a b", "a b c", "bc", "b:s, c:t, i:t, a=b*c+i", kUnitOther, kAskLeft}};
// clang-format on

std::vector<std::string> Parts(std::string_view text, char separator) {
  std::vector<std::string> parts(1);
  for (const char c : text) {
    c == separator ? static_cast<void>(parts.emplace_back()) : parts.back().push_back(c);
  }
  return parts;
}

bool Has(std::string_view letters, char letter) {
  return letters.find(letter) != std::string_view::npos;
}

class Planned {
 public:
  Planned(const Workshop& workshop, Telling telling)
      : workshop_(workshop),
        random_(workshop.random),
        is_withholding_(telling == Telling::kWithholding),
        plan_(random_.PickByWeight(std::span<const Plan>(kPlans))),
        row_(random_.Pick(plan_.rows)),
        asking_(random_.PickByWeight(plan_.asked)) {}

  std::optional<Draft> Tell() {
    draft_.next_variable = kTold;
    std::vector<std::string> sentences = is_withholding_ ? Withheld() : Told();
    if (sentences.empty()) return std::nullopt;
    AddOther(sentences);
    for (const std::string& sentence : sentences) Say(sentence);
    Say(std::string(plan_.name) + "_" + std::string(asking_.rule));
    draft_.specification.Add(plan_.specification);
    draft_.specification.Add(asking_.specification);
    draft_.specification.Add("e:t, f:g");
    is_withholding_ ? SetMissing(kPhrasing, draft_)
                    : SetComposed(std::string(asking_.program), kPhrasing, draft_);
    return std::move(draft_);
  }

 private:
  static constexpr int kPhrasing = 110;            // following those without a plan
  static constexpr std::size_t kTold = 'k' - 'a';  // numbers are a to h, i and j are not said

  void Say(const std::string& rule) {
    std::string text(workshop_.PickText(rule));
    const std::array<Opening, 9> open = {
        Opening{"%u", row_.unit}, {"%n", row_.units},       {"%T", row_.things},
        {"%v", row_.other_unit},  {"%m", row_.other_units}, {"%U", row_.others},
        {"%A", row_.all},         {"%W", row_.past},        {"%w", row_.base}};
    for (const auto& [what, by] : open) text = Replaced(text, what, by);
    if (!draft_.marked.empty()) draft_.marked += " ";
    draft_.marked += workshop_.expander.Expand(text);
  }

  /// The rules of the sentences that tell all.
  std::vector<std::string> Told() {
    const std::vector<std::string> ways = Parts(plan_.told, '|');
    std::vector<std::string> rules;
    for (const std::string& letters : Parts(ways[random_.Below(ways.size())], ' ')) {
      rules.push_back(std::string(plan_.name) + "_" + letters);
    }
    return rules;
  }

  /// The same without a number that the question needs.
  std::vector<std::string> Withheld() {
    std::string lacked;
    for (const char letter : asking_.program) {
      const bool is_number = letter >= 'a' && letter <= 'h';
      if (is_number && (Has(asking_.lacks, letter) || Has(plan_.vague, letter))) lacked += letter;
    }
    if (lacked.empty()) return {};
    const char lack = lacked[random_.Below(lacked.size())];
    const bool is_vague =
        Has(plan_.vague, lack) && (!Has(asking_.lacks, lack) || random_.Chance(50));
    std::vector<std::string> rules;
    for (const std::string& letters : Parts(plan_.each, ' ')) {
      const bool is_lacking = Has(letters, lack);
      if (is_lacking && !is_vague) continue;
      rules.push_back(std::string(plan_.name) + (is_lacking ? "_no_" : "_") + letters);
    }
    return rules;
  }

  void AddOther(std::vector<std::string>& sentences) {
    const Place place = DrawPlace(random_);
    if (place == Place::kNowhere) return;
    const std::size_t at = place == Place::kAhead     ? 0
                           : place == Place::kBetween ? 1 + random_.Below(sentences.size())
                                                      : sentences.size();
    const std::string_view rule = random_.Chance(50) ? kAnyOther : plan_.other;
    sentences.insert(sentences.begin() + static_cast<std::ptrdiff_t>(at), std::string(rule));
  }

  const Workshop& workshop_;
  Random& random_;
  bool is_withholding_;
  const Plan& plan_;
  Row row_;
  const Asking& asking_;
  Draft draft_;
};

}  // namespace

static std::optional<Draft> DraftPlannedPortions(const Workshop& workshop, Telling telling) {
  return Planned(workshop, telling).Tell();
}

}  // namespace txvm::neural::questions

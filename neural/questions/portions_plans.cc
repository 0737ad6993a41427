#include <array>
#include <string>
#include <utility>
#include <vector>

#include "neural/questions/draft.h"
#include "neural/questions/portions.h"

// Stories of portions with more than one kind, person or price in them. A plan says which sentences
// may tell its numbers and what may be asked; the letters of its texts (rules_portions_*.def)
// are the same throughout a story, so that a program can be written beside its question.

namespace txvm::neural::questions {
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
  static constexpr int kPhrasing = 110;            // behind those of portions.cc
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

std::optional<Draft> DraftPlannedPortions(const Workshop& workshop, Telling telling) {
  return Planned(workshop, telling).Tell();
}

}  // namespace txvm::neural::questions

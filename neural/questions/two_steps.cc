#include <algorithm>
#include <array>
#include <string>
#include <utility>
#include <vector>

#include "neural/questions/draft.h"

// Stories of two steps, now and then three: how a quantity comes about, what happens next to it and
// what is asked of it are drawn apart. The question asks for the outcome, or the outcome is told
// and it asks for what was not. A few stories that fall into no such parts are told whole.

namespace txvm::neural::questions {
namespace {

/// What a story is of. The fields are what stands open in the texts (rules/two_steps.txt); verbs
/// have the mark of the subject that they follow.
struct Scene {
  std::string_view unit, units, things = {};
  std::string_view lose = {}, lost = {}, gain = {};
  std::string_view where = {};
};

constexpr std::array kOwned = {
    Scene{"bag", "bags", "marbles", "~lose", "lost", "~win"},
    Scene{"box", "boxes", "crayons", "~lose", "lost", "~find"},
    Scene{"shelf", "shelves", "books", "~lend out", "lent out", "~buy"},
    Scene{"tray", "trays", "cookies", "~eat", "eaten", "~bake"},
    Scene{"tray", "trays", "muffins", "~sell", "sold", "~bake"},
    Scene{"pack", "packs", "baseball cards", "~trade away", "traded away", "~collect"},
    Scene{"case", "cases", "water bottles", "~hand out", "handed out", "~order"},
    Scene{"carton", "cartons", "eggs", "~use", "used", "~buy"},
    Scene{"sheet", "sheets", "stickers", "~give away", "given away", "~get"},
    Scene{"jar", "jars", "buttons", "~sew on", "sewn on", "~find"},
    Scene{"bunch", "bunches", "bananas", "~eat", "eaten", "~buy"},
    Scene{"crate", "crates", "oranges", "~sell", "sold", "~pick"},
    Scene{"basket", "baskets", "{fruit+}", "~eat", "eaten", "~pick"},
    Scene{"box", "boxes", "candles", "~burn", "burned", "~make"},
    Scene{"tin", "tins", "biscuits", "~eat", "eaten", "~bake"},
    Scene{"bouquet", "bouquets", "roses", "~sell", "sold", "~cut"},
    Scene{"packet", "packets", "seeds", "~plant", "planted", "~get"},
    Scene{"sack", "sacks", "potatoes", "~sell", "sold", "~dig up"},
    Scene{"tube", "tubes", "tennis balls", "~lose", "lost", "~buy"},
    Scene{"pack", "packs", "batteries", "~use", "used", "~buy"},
    Scene{"bag", "bags", "balloons", "~pop", "popped", "~buy"},
    Scene{"album", "albums", "photos", "~throw out", "thrown out", "~take"},
    Scene{"pack", "packs", "{stationery+}", "~hand out", "handed out", "~buy"},
    Scene{"box", "boxes", "{toy+}", "~give away", "given away", "~get"},
    Scene{"{container2}", "{container2+}", "{I}", "~{lose}", "{lose:pp}", "~{gain}"},
    Scene{"{container2}", "{container2+}", "{I}", "~sell", "sold", "~{gain}"},
    Scene{"{pack}", "{pack+}", "{food+}", "~{eat}", "{eat:pp}", "~buy"},
    Scene{"{container2}", "{container2+}", "{good+}", "~{lose}", "{lose:pp}", "~make"}};
constexpr std::array kSites = {
    Scene{"row", "rows", "chairs", "=be taken away", "", "=be brought in", "in the hall"},
    Scene{"bus", "buses", "passengers", "=leave", "", "=arrive", "at the station"},
    Scene{"table", "tables", "guests", "=go home", "", "=arrive", "in the restaurant"},
    Scene{"row", "rows", "trees", "=be cut down", "", "=be planted", "in the orchard"},
    Scene{"pen", "pens", "sheep", "=be sold", "", "=be born", "on the farm"},
    Scene{"cage", "cages", "{animal+}", "=be sold", "", "=be brought in", "in the pet shop"},
    Scene{"tank", "tanks", "fish", "=be moved away", "", "=be put in", "in the aquarium"},
    Scene{"team", "teams", "players", "=leave", "", "=join", "on the field"},
    Scene{"tent", "tents", "scouts", "=go home", "", "=arrive", "at the camp"},
    Scene{"line", "lines", "cars", "=drive off", "", "=drive in", "in the parking lot"},
    Scene{"boat", "boats", "tourists", "=go ashore", "", "=arrive", "in the harbor"},
    Scene{"stack", "stacks", "crates", "=be shipped", "", "=be delivered", "in the warehouse"},
    Scene{"bed", "beds", "{flower+}", "=be picked", "", "=be planted", "in the garden"},
    Scene{"group", "groups", "{people+}", "=leave", "", "=come in", "in the museum"},
    Scene{"rack", "racks", "bikes", "=be rented out", "", "=be returned", "at the shop"},
    Scene{"shelf", "shelves", "books", "=be borrowed", "", "=be returned", "in the library"}};
constexpr std::array kWages = {Scene{"hour", "hours", "", "~work"},
                               Scene{"day", "days", "", "~work"},
                               Scene{"lawn", "lawns", "", "~mow"},
                               Scene{"car", "cars", "", "~wash"},
                               Scene{"dog", "dogs", "", "~walk"},
                               Scene{"cake", "cakes", "", "~sell"},
                               Scene{"cup of lemonade", "cups of lemonade", "", "~sell"},
                               Scene{"{product}", "{product+}", "", "~sell"},
                               Scene{"shift", "shifts", "", "~work"},
                               Scene{"window", "windows", "", "~clean"},
                               Scene{"parcel", "parcels", "", "~deliver"},
                               Scene{"bike", "bikes", "", "~repair"},
                               Scene{"{toy}", "{toy+}", "", "~sell"}};
constexpr std::array kGoods = {Scene{"{P1}", "{P}", ""},
                               Scene{"{fooditem}", "{fooditem+}", ""},
                               Scene{"{garment}", "{garment+}"},
                               Scene{"{toy}", "{toy+}"},
                               Scene{"ticket", "tickets"},
                               Scene{"{stationery}", "{stationery+}"},
                               Scene{"bag of rice", "bags of rice"}};
/// What is done, its past and its base form.
constexpr std::array kWork = {Scene{"day", "days", "pages", "~read", "read", "read"},
                              Scene{"hour", "hours", "miles", "~drive", "drove", "drive"},
                              Scene{"hour", "hours", "problems", "~solve", "solved", "solve"},
                              Scene{"day", "days", "laps", "~swim", "swam", "swim"},
                              Scene{"day", "days", "miles", "~walk", "walked", "walk"},
                              Scene{"minute", "minutes", "words", "~type", "typed", "type"},
                              Scene{"day", "days", "{fruit+}", "~pick", "picked", "pick"},
                              Scene{"hour", "hours", "{treat+}", "~bake", "baked", "bake"},
                              Scene{"week", "weeks", "letters", "~write", "wrote", "write"},
                              Scene{"day", "days", "push-ups", "~do", "did", "do"},
                              Scene{"day", "days", "minutes", "~practice", "practiced", "practice"},
                              Scene{"game", "games", "points", "~score", "scored", "score"},
                              Scene{"hour", "hours", "{I}", "~sort", "sorted", "sort"},
                              Scene{"week", "weeks", "tickets", "~sell", "sold", "sell"},
                              Scene{"hour", "hours", "{flower+}", "~plant", "planted", "plant"},
                              Scene{"hour", "hours", "bricks", "~lay", "laid", "lay"}};

/// A step's rule and program: v is the quantity so far, p and q are its numbers.
struct Step {
  std::string_view rule, program, specification;
  std::size_t numbers, steps;
  unsigned weight;
};
constexpr Step kTimes{"_groups", "(p * q)", "p:s, q:t", 2, 1, 40};
constexpr Step kSum{"_plus", "(p + q)", "", 2, 1, 15};
constexpr Step kLess{"_minus", "(p - q)", "p > q", 2, 1, 15};
constexpr Step kPooled{"_pool", "(p + q)", "", 2, 1, 8};
constexpr Step kMultiple{"_times", "(p * q)", "q:x", 2, 1, 7};
constexpr Step kStart{"_start", "p", "", 1, 0, 22};
constexpr Step kLose{"_lose", "(v - p)", "v > p", 1, 1, 30};
constexpr Step kGain{"_gain", "(v + p)", "", 1, 1, 24};
constexpr Step kDeal{"_deal", "(v - p * q)", "p:s, q:s, v > p * q", 2, 2, 14};
constexpr Step kLots{"_lots", "(v + p * q)", "p:s, q:t", 2, 2, 14};
constexpr Step kHalf{"_half", "(v / 2)", "v mod 2 == 0", 0, 1, 7};
constexpr Step kDouble{"_double", "(v * 2)", "", 0, 1, 4};
constexpr Step kSplit{"_split", "v / p", "p:b, v mod p == 0, v > p", 1, 1, 20};
constexpr Step kPack{"_pack", "v / p", "p:b, v mod p == 0, v > p", 1, 1, 16};
constexpr Step kSell{"_sell", "v * p", "p:s", 1, 1, 14};
constexpr Step kNeed{"_need", "p - v", "p > v", 1, 1, 16};
constexpr Step kAbove{"_above", "v - p", "v > p", 1, 1, 12};
constexpr Step kBelow{"_below", "p - v", "p > v", 1, 1, 12};

constexpr std::array kOwnFirst = {kTimes,
                                  kSum,
                                  kLess,
                                  kPooled,
                                  kMultiple,
                                  kStart,
                                  Step{"_share", "(p / q)", "q:b, p mod q == 0, p > q", 2, 1, 10}};
constexpr std::array kOwnNext = {kLose, kGain, kDeal, kLots, kHalf, kDouble};
constexpr std::array kOwnLast = {kSplit, kPack, kSell, kNeed, kAbove, kBelow};
constexpr std::array kSiteFirst = {kTimes, kSum, kLess, kStart};
constexpr std::array kSiteNext = {kLose, kGain, kLots, kHalf};
constexpr std::array kSiteLast = {kSplit, kNeed};
constexpr std::array kCashFirst = {kTimes, kSum, kLess, kPooled, kStart};
constexpr std::array kCashLast = {kSplit, kPack, kNeed, kAbove, kBelow};
constexpr std::array kCostFirst = {kTimes, kSum};
constexpr std::array kCostNext = {kGain, kLots, Step{"_lose", "(v - p)", "p:s, v > p", 1, 1, 20}};
constexpr std::array kCostLast = {Step{"_change", "p - v", "p > v", 1, 1, 40},
                                  Step{"_need", "v - p", "v > p", 1, 1, 16}, kSplit};
constexpr std::array kWorkFirst = {kTimes, kSum, kStart};
constexpr std::array kWorkNext = {kGain, kLots};
constexpr std::array kWorkLast = {kNeed, kAbove, kBelow,
                                  Step{"_pace", "v / p", "p:b, v mod p == 0, v > p", 1, 1, 16}};

struct World {
  std::string_view rules;  // the prefix of their names, after "two_"
  std::span<const Scene> scenes;
  std::span<const Step> first, next, last;
  unsigned weight;
};
constexpr std::array kWorlds = {World{"own", kOwned, kOwnFirst, kOwnNext, kOwnLast, 36},
                                World{"cash", kWages, kCashFirst, kOwnNext, kCashLast, 21},
                                World{"cost", kGoods, kCostFirst, kCostNext, kCostLast, 14},
                                World{"site", kSites, kSiteFirst, kSiteNext, kSiteLast, 13},
                                World{"work", kWork, kWorkFirst, kWorkNext, kWorkLast, 11}};
constexpr std::size_t kSeenWorlds = 3;

/// A story that is told whole.
struct Whole {
  std::string_view name, program, specification;
};
constexpr std::array kWholes = {
    Whole{"rest", "(a - b) / c", "b:m, c:b, i:t, a=b+c*i"},
    Whole{"plan", "(a - b) / c", "b:m, c:b, i:t, a=b+c*i"},
    Whole{"price", "(a - b) / c", "b:t, c:s, i:t, a=b+c*i"},
    Whole{"hidden", "a - b * c", "b:s, c:t, i:t, a=b*c+i"},
    Whole{"net", "(a - b) * c", "b:t, c:t, a > b"},
    Whole{"profit", "(a - b) * c", "b:t, c:t, a > b"},
    Whole{"both", "(a + b) * c", "a:t, b:t, c:s"},
    Whole{"cube", "a * b * c", "a:s, b:s, c:t"},
    Whole{"pay", "a * b * c", "a:o, a > 1, b:s, c:t"},
    Whole{"trips", "a * b / c", "a:s, b:s, c:b, (a * b) mod c == 0, b != c"},
    Whole{"repack", "a * b / c", "a:s, b:t, c:b, (a * b) mod c == 0, a != c"},
    Whole{"unit", "a / b * c", "b:s, c:s, i:t, a=b*i, b != c"},
    Whole{"apart", "abs (a * b - c)", "a:s, b:t, a * b != c"},
    Whole{"pair", "(a - b) / 2", "a > b, (a - b) mod 2 == 0"},
    Whole{"chapters", "a * b - c", "a:s, b:t, a * b > c"},
    Whole{"seats", "a * b - c", "a:s, b:t, a * b > c"},
    Whole{"rope", "a - b * c", "b:s, c:s, i:t, a=b*c+i"},
    Whole{"leak", "a - b * c", "b:s, c:s, i:t, a=b*c+i"},
    Whole{"fill", "a + b * c", "b:s, c:s"},
    Whole{"weeks", "(a - b) / c", "b:t, c:s, i:s, a=b+c*i"},
    Whole{"teams", "(a + b) / c", "a:t, b:t, c:b, (a + b) mod c == 0, a + b > c"},
    Whole{"meet", "(a + b) * c", "a:t, b:t, c:s"},
    Whole{"round", "a * b * 2", "a:s, b:s"},
    Whole{"short", "a * b - c", "a:s, b:s, a * b > c"},
    Whole{"merge", "(a + b) * c", "a:s, b:s, c:t"},
    Whole{"saved", "a * b - c", "a:s, b:t, a * b > c"},
    Whole{"even", "(a - b) / 2", "a > b, (a - b) mod 2 == 0"}};
constexpr std::size_t kSeenWholes = 18;

class TwoSteps {
 public:
  explicit TwoSteps(const Workshop& workshop)
      : workshop_(workshop),
        random_(workshop.random),
        world_(
            random_.PickByWeight(workshop.OfSplit(std::span<const World>(kWorlds), kSeenWorlds))),
        scene_(random_.Pick(world_.scenes)) {}

  std::optional<Draft> Tell() {
    SayOther("two_other_front");
    const bool is_told = random_.Chance(22) ? TellBackward() : TellForward();
    if (!is_told) return std::nullopt;
    // "They" are not two where a person is I, you or two already.
    if (is_shared_ && !workshop_.expander.UnusualSubjects().empty()) return std::nullopt;
    return Composed(workshop_, program_, kPhrasings + is_backward_, std::move(draft_));
  }

  /// A story without parts.
  std::optional<Draft> TellWhole() {
    const Whole& whole =
        random_.Pick(workshop_.OfSplit(std::span<const Whole>(kWholes), kSeenWholes));
    constexpr std::size_t kUnsaid = 'j' - 'a';
    for (const std::string_view part : {"two_whole_", "two_whole_ask_"}) {
      const std::string text = Text(std::string(part) + std::string(whole.name));
      if (!draft_.marked.empty()) draft_.marked += " ";
      draft_.marked += workshop_.expander.Expand(text);
    }
    draft_.next_variable = kUnsaid;
    draft_.specification.Add(whole.specification);
    return Composed(workshop_, std::string(whole.program), kPhrasings + 2, std::move(draft_));
  }

 private:
  static constexpr int kPhrasings = 600;  // following those of other stories

  std::string Text(const std::string& rule) const { return std::string(workshop_.PickText(rule)); }
  std::string Name(std::string_view rule) const {
    return "two_" + std::string(world_.rules) + std::string(rule);
  }

  /// After groups, "them" could be the groups.
  std::string All() const {
    return is_grouped_ ? "all the " + std::string(scene_.things) : "all of them";
  }

  /// A text with its openings filled.
  std::string Filled(std::string text) const {
    if (is_grouped_) text = Replaced(text, " of them", " of the %T");
    // After two people, "he" could be either; a third comes in where there is a second.
    const bool has_other = workshop_.expander.HasPerson('M');
    if (has_other && workshop_.expander.UnusualSubjects().empty()) {
      const std::string person = "{N}";
      text = Replaced(text, "{he} ", person + " ");
      text = Replaced(text, " {him}", " " + person);
      text = Replaced(text, "{his} ", "{N's} ");
    }
    if (has_other && !keeps_other_) {
      for (const auto& [what, by] : {Opening{"{M}", "{K}"}, Opening{"{M's}", "{K's}"}}) {
        text = Replaced(text, what, by);
      }
    }
    const bool is_work = world_.rules == "work";
    const std::string_view base = is_work ? scene_.gain : Bare(scene_.lose);
    const std::string of_other = "^" + std::string(Bare(scene_.lose));
    const std::array<Opening, 14> open = {
        Opening{"%V", of_other},   {"%u", scene_.unit}, {"%n", scene_.units},
        {"%T", scene_.things},     {"%L", scene_.lose}, {"%D", scene_.lost},
        {"%G", scene_.gain},       {"%O", scene_.lose}, {"%C", scene_.gain},
        {"%in", scene_.where},     {"%l", base},        {"%W", scene_.lost},
        {"%g", Bare(scene_.gain)}, {"%w", base}};
    for (const auto& [what, by] : open) text = Replaced(text, what, by);
    return Replaced(text, "%R", is_reduced_ ? "the rest" : All());
  }
  /// A verb without the mark of its subject.
  static std::string_view Bare(std::string_view verb) {
    return verb.starts_with('~') ? verb.substr(1) : verb;
  }

  /// A sentence of the world, kept for the end; returns the letter of its first number.
  char Say(const std::string& rule, std::size_t numbers) {
    const std::string text = Filled(Text(rule));
    sentences_.push_back(workshop_.expander.Expand(text, draft_.next_variable));
    const char first = static_cast<char>('a' + draft_.next_variable);
    draft_.next_variable += numbers;
    return first;
  }
  /// Says a step and puts its program around the one so far.
  void Do(const Step& step, std::string_view rule) {
    const char first = Say(Name(rule), step.numbers);
    is_grouped_ = is_grouped_ || (step.rule == "_groups" && !scene_.things.empty());
    Require(Formula(step.specification, first));
    program_ = Formula(step.program, first);
    steps_ += step.steps;
  }
  /// A step's p and q are its numbers, its v the program so far.
  std::string Formula(std::string_view text, char first) const {
    std::string out;
    for (std::size_t i = 0; i < text.size(); ++i) {
      const bool is_word = (i > 0 && IsWord(text[i - 1])) ||
                           (i + 1 < text.size() && IsWord(text[i + 1])) ||
                           (i > 0 && text[i - 1] == ':');
      if (is_word || (text[i] != 'p' && text[i] != 'q' && text[i] != 'v')) {
        out += text[i];
      } else if (text[i] == 'v') {
        out += program_;
      } else {
        out += static_cast<char>(first + (text[i] == 'q' ? 1 : 0));
      }
    }
    return out;
  }
  static bool IsWord(char c) { return c >= 'a' && c <= 'z'; }
  void Require(const std::string& condition) { draft_.specification.Add(condition); }

  void SayOther(const std::string& rule) {
    constexpr unsigned kOther = 7;
    if (!random_.Chance(kOther)) return;
    const std::string letter(1, Say(rule, 1));
    Require(letter + ":g");
  }

  bool TellForward() {
    const Step& first = random_.PickByWeight(world_.first);
    is_shared_ = first.rule == "_pool" || first.rule == "_share";
    const bool is_they = first.rule == "_pool";
    // Of what others have, too, it must be said whose it is.
    const bool is_own = first.rule == "_share" || first.rule == "_times";
    Do(first, first.rule);
    keeps_other_ = is_they;
    is_reduced_ = first.rule == "_minus";
    const std::size_t wanted = random_.Chance(80) ? 2 : 3;
    bool was_loss = is_reduced_;
    while (steps_ < wanted) {
      // A last step has its own question.
      const bool is_last = steps_ + 1 == wanted && !is_they && !is_own && random_.Chance(45);
      const Step& step = random_.PickByWeight(is_last ? world_.last : world_.next);
      if (steps_ + step.steps > 3 || step.rule == last_rule_) continue;
      if ((is_they || is_own) && step.rule != "_lose" && step.rule != "_gain") continue;
      last_rule_ = step.rule;
      was_loss = step.rule == "_lose" || step.rule == "_deal" || step.rule == "_half";
      is_reduced_ = was_loss || (is_reduced_ && is_last);
      Do(step, WhoDoes(is_they, is_own) + std::string(step.rule));
      if (is_last) {
        Join();
        return true;
      }
    }
    const bool has_left = was_loss && world_.rules != "cost";
    Ask(WhoDoes(is_they, is_own) + (has_left ? "_ask_left" : "_ask_now"));
    return true;
  }
  static std::string WhoDoes(bool is_they, bool is_own) {
    return is_they ? "_they" : is_own ? "_own" : "";
  }

  /// What is not told: the beginning, what happened then, how many are in a group, how many groups.
  enum class Hidden : std::uint8_t { kBeginning, kEvent, kSize, kCount };

  bool TellBackward() {
    is_backward_ = 1;
    const bool is_cost = world_.rules == "cost";
    if (world_.rules == "work") return false;
    const std::size_t draw = random_.Below(100);
    Hidden hidden = draw < 34   ? Hidden::kBeginning
                    : draw < 62 ? Hidden::kEvent
                    : draw < 85 ? Hidden::kSize
                                : Hidden::kCount;
    if (is_cost) hidden = draw < 50 ? Hidden::kEvent : Hidden::kSize;
    if (world_.rules == "site" && hidden == Hidden::kCount) hidden = Hidden::kSize;
    return hidden == Hidden::kEvent ? HideEvent() : HideBeginning(hidden);
  }

  /// One or two events after a beginning that follows from the end.
  bool HideBeginning(Hidden hidden) {
    const bool is_start = hidden == Hidden::kBeginning;
    constexpr std::array<std::string_view, 4> kTold = {"_some", "", "_size", "_count"};
    constexpr std::array<std::string_view, 4> kAsked = {"_ask_start", "", "_ask_size",
                                                        "_ask_count"};
    const auto kind = static_cast<std::size_t>(hidden);
    const char groups = Say(Name(kTold[kind]), is_start ? 0 : 1);
    is_grouped_ = !is_start && !scene_.things.empty();
    std::string back;
    bool is_loss = world_.rules != "cost" && random_.Chance(60);
    for (int i = is_start ? 2 : 1; i > 0; --i) {
      const char number = Say(Name(is_loss ? "_lose" : "_gain"), 1);
      back += std::string(is_loss ? " + " : " - ") + number;
      is_loss = !is_loss || (world_.rules == "cash" && random_.Chance(50));
    }
    const char end = Say(Name("_end"), 1);
    program_ = end + back;
    Require(program_ + " > 0");
    if (!is_start) {
      const std::string by(1, groups);
      Require(by + ":s");
      Require("(" + program_ + ") mod " + by + " == 0");
      Require("(" + program_ + ") > " + by);
      program_ = "(" + program_ + ") / " + by;
    }
    Ask(std::string(kAsked[kind]));
    return true;
  }

  /// The last event is not told.
  bool HideEvent() {
    const bool is_cost = world_.rules == "cost", is_loss = !is_cost && random_.Chance(60);
    const Step& first = is_cost ? kTimes : random_.Chance(55) ? kTimes : kStart;
    Do(first, first.rule);
    if (first.steps == 0) {
      const Step& second = is_loss ? kGain : kLose;  // not the kind that is asked for
      Do(second, second.rule);
    }
    const std::string before = program_;
    keeps_other_ = !workshop_.expander.HasPerson('M');
    Say(Name(is_loss ? "_some_lose" : "_some_gain"), 0);
    const std::string end(1, Say(Name("_end"), 1));
    const std::string &large = is_loss ? before : end, &small = is_loss ? end : before;
    Require(large + " > " + small);
    program_ = large + " - " + small;
    Ask(is_loss ? "_ask_lose" : "_ask_gain");
    return true;
  }

  /// The question; now and then it comes first, and the story after it.
  void Ask(const std::string& rule) {
    SayOther("two_other_end");
    constexpr unsigned kAhead = 11;
    std::string text = Text(Name(rule));
    const bool is_ahead = is_backward_ == 0 && text.ends_with('?') && random_.Chance(kAhead);
    if (is_ahead) text = Replaced(text, "{he}", "{N}");
    const std::string question = workshop_.expander.Expand(Filled(std::move(text)));
    if (!is_ahead) sentences_.push_back(question);
    Join();
    if (!is_ahead) return;
    std::string story;
    const std::vector<std::string> told = Sentences(draft_.marked);
    for (std::size_t i = 0; i < told.size(); ++i) {
      if (i > 0) story += i + 1 == told.size() ? " and " : ", ";
      story += Clause(told[i]);
    }
    draft_.marked = random_.Chance(70)
                        ? question.substr(0, question.size() - 1) + " if " + story + "?"
                        : question + " " + draft_.marked;
  }
  void Join() {
    for (const std::string& sentence : sentences_) {
      if (!draft_.marked.empty()) draft_.marked += " ";
      draft_.marked += sentence;
    }
  }

  const Workshop& workshop_;
  Random& random_;
  const World& world_;
  const Scene& scene_;
  std::vector<std::string> sentences_;
  std::string program_;
  std::size_t steps_ = 0;
  std::string_view last_rule_;
  int is_backward_ = 0;
  bool is_shared_ = false;    // two people, or some, have it together
  bool is_reduced_ = false;   // what there is now is a rest
  bool is_grouped_ = false;   // things are in groups
  bool keeps_other_ = false;  // the second person is meant
  Draft draft_;
};

}  // namespace

std::optional<Draft> DraftTwoSteps(const Workshop& workshop) {
  constexpr unsigned kWhole = 26;
  TwoSteps story(workshop);
  return workshop.random.Chance(kWhole) ? story.TellWhole() : story.Tell();
}

}  // namespace txvm::neural::questions

#include <algorithm>
#include <array>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "neural/questions/draft.h"

// What has no answer, told like what has one. A plan has facts and questions that need some of
// them; the scene, the facts' wording and the question are drawn apart, and then, apart from these,
// what spoils it: a fact is left out, told vaguely or of something else; the question breaks off,
// points nowhere or is not there; it asks for what the language has no operation for, or for no
// number. The same stories are told whole, with their programs, by DraftAnswerableTwin. Refusals
// are put together of rules that nest; every number of theirs is drawn where it stands.

namespace txvm::neural::questions {

namespace {

/// A fact, in the programs A, B, ... by its place. Ways of withholding it: o it is left out, v told
/// vaguely (its rule's name with _vague), x told of something else (_other). With c it can be told
/// twice, so that it contradicts itself.
struct SpoiltFact {
  std::string_view rule;
  char of_class;
  std::string_view ways;
};

struct SpoiltQuestion {
  std::string_view rule, program;
  std::string_view condition = {};
  std::string_view ways = "ovx";  // of withholding
  std::string_view vague = {};    // facts that are always told vaguely
  std::string_view product = {};  // "AB": A is a multiple of B
  bool is_of_two = false;         // asks of two people
  unsigned weight = 10;
};

struct SpoiltPlan {
  std::string_view name;
  std::span<const SpoiltFact> facts;
  std::span<const SpoiltQuestion> asked;
  std::string_view beyond;   // what its things can be asked that is not supported
  std::string_view unnamed;  // what "of them" is where "they" have not been told
  unsigned weight = 10;
};

constexpr std::array kSpoiltStockFacts = {
    SpoiltFact{"start", 'm', "ovxc"}, SpoiltFact{"loss", 't', "v"}, SpoiltFact{"gain", 't', "v"},
    SpoiltFact{"end", 'm', "v"}};
constexpr std::array kSpoiltKeepAsked = {
    SpoiltQuestion{.rule = "left", .program = "A - B", .condition = "A > B", .weight = 14},
    SpoiltQuestion{.rule = "now", .program = "A + C"},
    SpoiltQuestion{.rule = "now", .program = "A - B + C", .condition = "A > B"},
    SpoiltQuestion{.rule = "gone", .program = "A - D", .condition = "A > D", .vague = "B"},
    SpoiltQuestion{.rule = "first", .program = "D + B"}};
constexpr std::array kSpoiltCrowdAsked = {
    SpoiltQuestion{.rule = "left", .program = "A - B", .condition = "A > B"},
    SpoiltQuestion{.rule = "now", .program = "A + C"},
    SpoiltQuestion{.rule = "now", .program = "A - B + C", .condition = "A > B"},
    SpoiltQuestion{.rule = "gone", .program = "A - D", .condition = "A > D", .vague = "B"}};
constexpr std::array kSpoiltTwoFacts = {SpoiltFact{"first", 'm', "ovx"},
                                        SpoiltFact{"second", 'm', "ovx"}};
constexpr std::array kSpoiltPairAsked = {
    SpoiltQuestion{.rule = "sum", .program = "A + B", .is_of_two = true},
    SpoiltQuestion{.rule = "more", .program = "A - B", .condition = "A > B"},
    SpoiltQuestion{.rule = "fewer", .program = "B - A", .condition = "B > A"}};
constexpr std::array kSpoiltDaysAsked = {
    SpoiltQuestion{.rule = "sum", .program = "A + B"},
    SpoiltQuestion{.rule = "more", .program = "A - B", .condition = "A > B"},
    SpoiltQuestion{.rule = "fewer", .program = "B - A", .condition = "B > A"}};
constexpr std::array kSpoiltGroupFacts = {SpoiltFact{"total", 'm', "ov"},
                                          SpoiltFact{"count", 's', "ovx"},
                                          SpoiltFact{"each", 't', "ovxc"}};
constexpr std::array kSpoiltGroupAsked = {
    SpoiltQuestion{.rule = "total", .program = "B * C", .weight = 16},
    SpoiltQuestion{.rule = "each", .program = "A / B", .condition = "A > B", .product = "AB"},
    SpoiltQuestion{.rule = "count", .program = "A / C", .condition = "A > C", .product = "AC"}};
constexpr std::array kSpoiltPriceFacts = {
    SpoiltFact{"price", 't', "ovxc"}, SpoiltFact{"other", 't', "ov"},
    SpoiltFact{"count", 's', "ovx"}, SpoiltFact{"purse", 'l', "ov"}};
constexpr std::array kSpoiltPriceAsked = {
    SpoiltQuestion{.rule = "cost", .program = "A * C", .weight = 14},
    SpoiltQuestion{.rule = "change", .program = "D - A * C", .condition = "D > A * C"},
    SpoiltQuestion{.rule = "pair", .program = "A + B", .ways = "ov"},
    SpoiltQuestion{.rule = "dearer", .program = "A - B", .condition = "A > B", .ways = "ov"}};
constexpr std::array kSpoiltPartFacts = {SpoiltFact{"whole", 'm', "ovxc"},
                                         SpoiltFact{"some", 't', "ovx"}};
constexpr std::array kSpoiltPartAsked = {
    SpoiltQuestion{.rule = "rest", .program = "A - B", .condition = "A > B"}};
constexpr std::array kSpoiltRateFacts = {
    SpoiltFact{"rate", 't', "ovc"}, SpoiltFact{"time", 's', "ovx"}, SpoiltFact{"goal", 'm', "v"}};
constexpr std::array kSpoiltRateAsked = {
    SpoiltQuestion{.rule = "all", .program = "A * B"},
    SpoiltQuestion{
        .rule = "time", .program = "C / A", .condition = "C > A", .product = "CA", .weight = 7}};
constexpr std::array kSpoiltAgeFacts = {
    SpoiltFact{"own", 'g', "ovxc"}, SpoiltFact{"older", 's', "v"}, SpoiltFact{"younger", 'o', "v"},
    SpoiltFact{"second", 'g', "ovx"}};
constexpr std::array kSpoiltAgeAsked = {
    SpoiltQuestion{.rule = "second", .program = "A + B"},
    SpoiltQuestion{.rule = "second", .program = "A - C", .condition = "A > C"},
    SpoiltQuestion{.rule = "sum", .program = "A + D", .is_of_two = true},
    SpoiltQuestion{.rule = "gap", .program = "A - D", .condition = "A > D"}};
constexpr std::array kSpoiltShareFacts = {
    SpoiltFact{"all", 'm', "ovc"}, SpoiltFact{"over", 's', "v"}, SpoiltFact{"count", 's', "ovx"},
    SpoiltFact{"each", 's', "v"}};
constexpr std::array kSpoiltShareAsked = {
    SpoiltQuestion{.rule = "each", .program = "A / B", .condition = "A > B", .product = "AB"},
    SpoiltQuestion{.rule = "left", .program = "A - C * D", .condition = "A > C * D", .weight = 8}};
constexpr std::array kSpoiltGoalFacts = {SpoiltFact{"goal", 'm', "ov"},
                                         SpoiltFact{"so_far", 'm', "v"}};
constexpr std::array kSpoiltGoalAsked = {
    SpoiltQuestion{.rule = "need", .program = "A - B", .condition = "A > B"}};
constexpr std::array kSpoiltSaveFacts = {
    SpoiltFact{"goal", 'l', "ovxc"}, SpoiltFact{"so_far", 'l', "v"}, SpoiltFact{"gift", 't', "v"}};
constexpr std::array kSpoiltSaveAsked = {
    SpoiltQuestion{.rule = "need", .program = "A - B", .condition = "A > B"},
    SpoiltQuestion{.rule = "need", .program = "A - B - C", .condition = "A > B + C"}};
constexpr std::array kSpoiltRopeFacts = {SpoiltFact{"length", 'm', "ov"},
                                         SpoiltFact{"cut", 't', "v"}, SpoiltFact{"piece", 's', "v"},
                                         SpoiltFact{"pieces", 's', "v"}};
constexpr std::array kSpoiltRopeAsked = {
    SpoiltQuestion{.rule = "rest", .program = "A - B", .condition = "A > B"},
    SpoiltQuestion{
        .rule = "count", .program = "A / C", .condition = "A > C", .product = "AC", .weight = 6},
    SpoiltQuestion{
        .rule = "size", .program = "A / D", .condition = "A > D", .product = "AD", .weight = 6}};
constexpr std::array kSpoiltMoreFacts = {
    SpoiltFact{"base", 'm', "ovxc"}, SpoiltFact{"more", 't', "v"}, SpoiltFact{"fewer", 't', "v"},
    SpoiltFact{"times", 'x', "v"}};
constexpr std::array kSpoiltMoreAsked = {
    SpoiltQuestion{.rule = "own", .program = "A + B"},
    SpoiltQuestion{.rule = "own", .program = "A - C", .condition = "A > C"},
    SpoiltQuestion{.rule = "own", .program = "A * D", .weight = 6}};

constexpr std::string_view kSpoiltOfHis = "of {his} %T", kSpoiltOfThe = "of the %T %p";
constexpr std::array kSpoiltPlans = {
    SpoiltPlan{"keep", kSpoiltStockFacts, kSpoiltKeepAsked, "things", kSpoiltOfHis, 18},
    SpoiltPlan{"crowd", kSpoiltStockFacts, kSpoiltCrowdAsked, "crowd", kSpoiltOfThe},
    SpoiltPlan{"pair", kSpoiltTwoFacts, kSpoiltPairAsked, "things", "", 14},
    SpoiltPlan{"days", kSpoiltTwoFacts, kSpoiltDaysAsked, "days", "", 12},
    SpoiltPlan{"group", kSpoiltGroupFacts, kSpoiltGroupAsked, "things", "", 14},
    SpoiltPlan{"price", kSpoiltPriceFacts, kSpoiltPriceAsked, "money", "", 16},
    SpoiltPlan{"part", kSpoiltPartFacts, kSpoiltPartAsked, "part", "", 11},
    SpoiltPlan{"rate", kSpoiltRateFacts, kSpoiltRateAsked, "days", "", 12},
    SpoiltPlan{"age", kSpoiltAgeFacts, kSpoiltAgeAsked, "age", "", 9},
    SpoiltPlan{"share", kSpoiltShareFacts, kSpoiltShareAsked, "things", "", 11},
    SpoiltPlan{"goal", kSpoiltGoalFacts, kSpoiltGoalAsked, "days", "", 8},
    SpoiltPlan{"save", kSpoiltSaveFacts, kSpoiltSaveAsked, "money", "", 8},
    SpoiltPlan{"rope", kSpoiltRopeFacts, kSpoiltRopeAsked, "rope", "", 9},
    SpoiltPlan{"more", kSpoiltMoreFacts, kSpoiltMoreAsked, "things", "", 11}};

enum class Spoiled : std::uint8_t { kNot, kMissing, kUnclear, kUnsupported, kChat };
struct Spoiling {
  Spoiled how;
  std::string_view abstention;
  unsigned weight;
};
constexpr std::array kSpoilings = {
    Spoiling{Spoiled::kMissing, "?missing", 36}, Spoiling{Spoiled::kUnclear, "?unclear", 22},
    Spoiling{Spoiled::kUnsupported, "?unsupported", 22}, Spoiling{Spoiled::kChat, "?chat", 20}};
/// What needs no story, for the same reasons in the same order.
struct Bare {
  std::string_view rule;
  unsigned weight;
};
constexpr std::array kBares = {Bare{"no_bare_missing", 16}, Bare{"no_bare_unclear", 34},
                               Bare{"no_bare_beyond", 30}, Bare{"no_bare_chat", 20}};
static_assert(kBares.size() == kSpoilings.size());

constexpr int kOfPlan = 10;  // phrasings
static_assert(kUnanswerablePhrasings + kOfPlan * kSpoiltPlans.size() + kSpoilings.size() <=
              kContrastPhrasings);

/// Puts numbers where # and a class (numbers.h) stand: #D is money, #c money with cents, #w any
/// integer, #< one below that before it, #L a list.
class Numberer {
 public:
  Numberer(Random& random, Draft& draft) : random_(random), draft_(draft) {}

  std::string Number(std::string_view text) {
    std::string out;
    for (std::size_t at = 0; at < text.size(); ++at) {
      if (text[at] != '#') {
        out += text[at];
      } else if (text[++at] == 'L') {
        constexpr std::int64_t kFewest = 3, kMost = 6;
        for (auto left = random_.Between(kFewest, kMost); left > 0; --left) {
          Put('m', out);
          if (left > 1) out += left == 2 && random_.Chance(50) ? " and " : ", ";
        }
      } else {
        Put(text[at], out);
      }
    }
    return out;
  }

 private:
  void Put(char kind, std::string& out) {
    constexpr std::string_view kWhole = "mmmttlsh";
    const std::size_t variable = draft_.next_variable++;
    const auto letter = [](std::size_t of) { return static_cast<char>('a' + of); };
    char of_class = kind;
    if (kind == 'w') of_class = random_.Pick(std::span<const char>(kWhole));
    if (kind == 'D') of_class = 't';
    if (kind == 'c') of_class = 'd';
    if (kind == '<') {
      of_class = 't';
      draft_.specification.Add(std::string(1, letter(variable)) + " < " + letter(variable - 1));
    }
    draft_.specification.classes[variable] = of_class;
    out += kind == 'D' || kind == 'c' ? kMoneyMark : kNumberMark;
    out += static_cast<char>('0' + variable);
  }

  Random& random_;
  Draft& draft_;
};

class Spoiler {
 public:
  Spoiler(const Workshop& workshop, Spoiled how)
      : workshop_(workshop),
        random_(workshop.random),
        how_(how),
        plan_(random_.PickByWeight(std::span<const SpoiltPlan>(kSpoiltPlans))),
        asked_(random_.PickByWeight(plan_.asked)) {
    ChooseScene();
  }

  std::optional<Draft> Tell() {
    ChooseWithheld();
    constexpr unsigned kAhead = 9;
    const bool asks = how_ == Spoiled::kNot || how_ == Spoiled::kMissing;
    const bool is_ahead = asks && random_.Chance(kAhead);
    const bool has_aside = random_.Chance(7);
    const bool is_aside_last = random_.Chance(50);
    if (is_ahead) Ask();
    is_stuck_ = is_stuck_ || (is_ahead && sentences_.back().find(". ") != std::string::npos);
    if (has_aside && !is_aside_last) TellAside();
    TellFacts();
    if (has_aside && is_aside_last) TellAside();
    if (!is_ahead) asks ? Ask() : Spoil();
    if (is_stuck_) return std::nullopt;
    Join();
    if (asked_.is_of_two && !workshop_.expander.UnusualSubjects().empty()) return std::nullopt;
    return Finished();
  }

 private:
  void ChooseScene() {
    const std::string_view scene = workshop_.PickScene("no_scene_", plan_.name);
    for (const std::string_view item : Parts(scene, "; ")) {
      fillings_.push_back({item[0], item.substr(2)});
    }
  }

  static bool IsFact(char c) { return c >= 'A' && c <= 'D'; }
  const SpoiltFact& FactOf(char letter) const {
    return plan_.facts[static_cast<std::size_t>(letter - 'A')];
  }

  /// The fact that the story lacks, and in what way.
  void ChooseWithheld() {
    if (how_ != Spoiled::kMissing) return;
    std::string open;
    for (const char c : asked_.program) {
      if (IsFact(c)) open += c;
    }
    withheld_ = random_.Pick(std::span<const char>(open));
    std::string ways;
    for (const char way : FactOf(withheld_).ways) {
      if (asked_.ways.find(way) != std::string_view::npos) ways += way;
    }
    way_ = random_.Pick(std::span<const char>(ways));
  }

  void TellFacts() {
    for (std::size_t i = 0; i < plan_.facts.size(); ++i) {
      const char letter = static_cast<char>('A' + i);
      const bool is_vague = asked_.vague.find(letter) != std::string_view::npos;
      if (!is_vague && asked_.program.find(letter) == std::string_view::npos) continue;
      TellFact(letter, is_vague);
      // Between the start and what else is told of them, "they" are those of the start.
      is_named_ = is_named_ || (letter == 'A' && !(withheld_ == 'A' && way_ != 'v'));
    }
  }
  void TellFact(char letter, bool is_vague) {
    const SpoiltFact& fact = FactOf(letter);
    const char way = is_vague ? 'v' : letter == withheld_ ? way_ : 'w';
    if (way == 'o') return;
    const std::string rule = Rule(fact.rule);
    const bool is_told = way == 'w';
    const std::string_view ending = way == 'v' ? "_vague" : way == 'x' ? "_other" : "";
    const std::string wording = rule + std::string(ending);
    std::string text = Text(wording);
    // A bound could clash with what the end tells.
    constexpr int kTries = 40;
    const auto has_bound = [&] { return is_vague && text.find("{a}") != std::string::npos; };
    for (int i = 0; i < kTries && has_bound(); ++i) text = Text(wording);
    const char number = Say(std::move(text), fact.of_class);
    if (is_told) letters_.Set(letter, number);
    const bool may_clash = fact.ways.ends_with('c');
    if (how_ != Spoiled::kUnclear || !may_clash || !random_.Chance(22)) return;
    // Told once more, with another number.
    const std::string told = Text(rule);
    const char again = Say(Replaced(Text("no_clash"), "%F", told), fact.of_class);
    draft_.specification.Add(std::string(1, number) + " > " + again);
    clashes_ = true;
  }
  void TellAside() {
    constexpr char kAsideClass = 't';
    Say(Text("no_aside"), kAsideClass);
  }
  void Ask() { Say(Text(Rule("ask_" + std::string(asked_.rule))), 0); }

  /// What stands in the question's place.
  void Spoil() {
    switch (how_) {
      case Spoiled::kUnclear:
        return Blur();
      case Spoiled::kUnsupported: {
        const bool is_of_plan = random_.Chance(55);
        SayEnd("no_beyond_" + std::string(is_of_plan ? plan_.beyond : "numbers"));
        return;
      }
      default:
        SayEnd(HasFilling('T') && random_.Chance(45) ? "no_chat_things" : "no_chat_person");
    }
  }
  void Blur() {
    const std::size_t draw = random_.Below(100);
    if (clashes_) return Ask();
    if (draw < 42) return SayEnd("no_end");
    if (draw < 58) return BreakOff();
    SayEnd(HasFilling('T') && random_.Chance(50) ? "no_lost_things" : "no_lost");
  }
  /// The question as far as its first words.
  void BreakOff() {
    Ask();
    if (is_stuck_) return;
    std::string& question = sentences_.back();
    std::vector<std::size_t> ends;
    for (std::size_t at = 0; at < question.size(); ++at) {
      const std::string_view before = std::string_view(question).substr(0, at);
      const bool is_inside =
          std::ranges::count(before, kPluralMark) != std::ranges::count(before, kPluralEnd);
      if (question[at] == ' ' && !is_inside) ends.push_back(at);
    }
    constexpr std::size_t kFewest = 5;  // words that another follows
    if (ends.size() < kFewest) {
      is_stuck_ = true;
      return;
    }
    constexpr std::size_t kSecond = 1, kThird = 2;  // the last word that is left
    question.resize(ends[random_.Chance(50) ? kSecond : kThird]);
    question += Text("no_cut");
  }

  bool HasFilling(char key) const {
    return std::ranges::any_of(fillings_, [key](const auto& f) { return f.first == key; });
  }
  std::string Rule(std::string_view name) const {
    return "no_" + std::string(plan_.name) + "_" + std::string(name);
  }
  std::string Text(std::string_view rule) const { return std::string(workshop_.PickText(rule)); }

  /// An end that speaks of nobody where the story did not.
  void SayEnd(std::string_view rule) {
    constexpr int kTries = 40;
    std::string text = Text(rule);
    const auto is_of_person = [](const std::string& t) {
      return t.find("%P") != std::string::npos || t.find("{h") != std::string::npos ||
             t.find("{N") != std::string::npos;
    };
    for (int i = 0; i < kTries && !workshop_.expander.HasPerson('N') && is_of_person(text); ++i) {
      text = Text(rule);
    }
    Say(std::move(text), 0);
  }

  /// Adds a sentence; returns the letter of its number, which is of the class.
  char Say(std::string text, char of_class) {
    const std::string_view reference = plan_.unnamed;
    constexpr std::array<std::string_view, 3> kKnown = {"of them", "of them", ""};
    const std::string_view known = kKnown[random_.Below(kKnown.size())];
    const bool is_known = is_named_ && !known.empty();
    // Of nobody in the sentence, "his" could be anybody's.
    const bool is_his = text.find("%P") != std::string::npos || !has_other_;
    text = Replaced(text, "%R",
                    is_known ? known
                    : is_his ? reference
                             : Replaced(reference, "{his}", "{N's}"));
    text = Replaced(text, "%S", is_named_ ? "more" : "more %T");
    for (const auto& [key, by] : fillings_) {
      text = Replaced(text, std::string("%") + key, by);
    }
    if (sentences_.empty()) DropLink(text);
    PutPerson(text);
    // What the scene lacks cannot be told or asked.
    is_stuck_ = is_stuck_ || text.find('%') != std::string::npos;
    if (is_stuck_) return 'a';
    const bool has_number =
        text.find("{a}") != std::string::npos || text.find("{$a}") != std::string::npos;
    const char first = static_cast<char>('a' + draft_.next_variable);
    text = workshop_.expander.Expand(text, draft_.next_variable);
    if (has_number) draft_.specification.classes[draft_.next_variable++] = of_class;
    sentences_.push_back(Numberer(random_, draft_).Number(text));
    return first;
  }
  /// "Then" follows nothing where nothing was told.
  static void DropLink(std::string& text) {
    constexpr std::array<std::string_view, 6> kLinks = {
        "then ", "later ", "after that ", "after a while ", "a little later ", "a bit later "};
    for (const std::string_view link : kLinks) {
      if (text.starts_with(link)) text.erase(0, link.size());
    }
  }
  /// A name, or he and she where nobody else was spoken of.
  void PutPerson(std::string& text) {
    has_other_ = has_other_ || text.find("{M") != std::string::npos ||
                 text.find("{K") != std::string::npos || text.find("%M") != std::string::npos ||
                 text.find("%K") != std::string::npos ||
                 text.find("{relative") != std::string::npos;
    text = Replaced(Replaced(text, "%M", "{M}"), "%K", "{K}");
    for (std::size_t at = 0; (at = text.find("%P")) != std::string::npos;) {
      const bool is_known = was_named_ && !has_other_ && random_.Chance(62);
      text.replace(at, 2, is_known ? "{he}" : "{N}");
      was_named_ = true;
    }
    was_named_ = was_named_ || text.find("{N") != std::string::npos;
  }

  void Join() {
    bool was_joined = false;
    for (std::size_t i = 0; i < sentences_.size(); ++i) {
      std::string sentence = sentences_[i];
      const bool is_closed = sentence.ends_with('?') || sentence.ends_with('.') ||
                             sentence.ends_with('!') || sentence.ends_with('\n');
      const bool is_fact = i + 1 < sentences_.size() && !sentences_[i + 1].ends_with('?') &&
                           !sentences_[i + 1].ends_with('.') && !sentences_[i + 1].ends_with('!');
      if (sentence.ends_with('\n')) sentence.pop_back();
      if (i > 0) draft_.marked += " ";
      draft_.marked += sentence;
      if (is_closed) continue;
      const bool is_joined = is_fact && !was_joined && !clashes_ && random_.Chance(24);
      draft_.marked += is_joined ? (random_.Chance(60) ? ", and" : " and") : ".";
      was_joined = is_joined;
    }
  }

  std::optional<Draft> Finished() {
    const auto plan = &plan_ - kSpoiltPlans.data(), asked = &asked_ - plan_.asked.data();
    const int phrasing =
        kUnanswerablePhrasings + kOfPlan * static_cast<int>(plan) + static_cast<int>(asked);
    const bool is_whole = how_ == Spoiled::kNot;
    letters_.Require(asked_.condition, draft_);
    if (is_whole) {
      if (!asked_.product.empty()) {
        const std::string hidden(1, static_cast<char>('a' + draft_.next_variable++));
        draft_.specification.Add(hidden + ":t");
        draft_.specification.Add(letters_.PutInto(asked_.product.substr(0, 1)) + "=" +
                                 letters_.PutInto(asked_.product.substr(1)) + "*" + hidden);
      }
      return Composed(workshop_, letters_.PutInto(asked_.program), phrasing, std::move(draft_));
    }
    const auto row = std::ranges::find(kSpoilings, how_, &Spoiling::how);
    const auto schema = 1 + static_cast<int>(row - kSpoilings.begin());
    SetAbstention(row->abstention, schema, phrasing, draft_);
    if (how_ != Spoiled::kUnclear) Dress();
    return std::move(draft_);
  }
  /// What stories that have an answer get besides.
  void Dress() {
    const GeneratorOptions& options = workshop_.options;
    constexpr unsigned kDistracted = 16;
    if (how_ == Spoiled::kMissing && random_.Chance(kDistracted)) AddDistractor(workshop_, draft_);
    if (options.split == Split::kTrain || options.axis == Axis::kNone) Embellish(workshop_, draft_);
    if (how_ == Spoiled::kMissing) Restructure(draft_.marked, random_);
  }

  const Workshop& workshop_;
  Random& random_;
  const Spoiled how_;
  const SpoiltPlan& plan_;
  const SpoiltQuestion& asked_;
  std::vector<std::pair<char, std::string_view>> fillings_;
  std::vector<std::string> sentences_;
  Letters letters_;  // of the facts that are told
  char withheld_ = 0, way_ = 0;
  bool is_named_ = false;  // "they" have been told
  bool was_named_ = false, has_other_ = false, clashes_ = false, is_stuck_ = false;
  Draft draft_;
};

/// What needs no story.
Draft DraftBare(const Workshop& workshop) {
  Draft draft;
  const Bare& bare = workshop.random.PickByWeight(std::span<const Bare>(kBares));
  const std::string text =
      workshop.expander.Expand(workshop.PickText(bare.rule), draft.next_variable);
  draft.marked = Numberer(workshop.random, draft).Number(text);
  const auto row = &bare - kBares.data();
  constexpr int kSchemas = 1 + static_cast<int>(kSpoilings.size());
  constexpr int kPhrasings =
      kUnanswerablePhrasings + kOfPlan * static_cast<int>(kSpoiltPlans.size());
  SetAbstention(kSpoilings[static_cast<std::size_t>(row)].abstention,
                kSchemas + static_cast<int>(row), kPhrasings + static_cast<int>(row), draft);
  return draft;
}

}  // namespace

std::optional<Draft> DraftUnanswerable(const Workshop& workshop) {
  constexpr unsigned kBare = 30;
  if (workshop.random.Chance(kBare)) return DraftBare(workshop);
  const Spoiling& drawn = workshop.random.PickByWeight(std::span<const Spoiling>(kSpoilings));
  return Spoiler(workshop, drawn.how).Tell();
}

std::optional<Draft> DraftAnswerableTwin(const Workshop& workshop) {
  return Spoiler(workshop, Spoiled::kNot).Tell();
}

namespace {

struct Shape {
  std::string_view abstention, rule;
  unsigned weight;
};
// Of 1000: 340 unsupported, 260 unclear, 240 chat, 160 missing.
constexpr std::array kShapes = {Shape{"?unsupported", "refused_of_phrase", 110},
                                Shape{"?unsupported", "refused_of_order", 70},
                                Shape{"?unsupported", "refused_of_question", 40},
                                Shape{"?unsupported", "refused_of_data", 36},
                                Shape{"?unsupported", "refused_of_units", 24},
                                Shape{"?unsupported", "refused_of_calendar", 18},
                                Shape{"?unclear", "unclear_of_reference", 50},
                                Shape{"?unclear", "unclear_of_work", 50},
                                Shape{"?unclear", "unclear_of_fragment", 48},
                                Shape{"?unclear", "unclear_of_story", 34},
                                Shape{"?chat", "chat_of_topic", 60},
                                Shape{"?chat", "chat_of_writing", 34},
                                Shape{"?chat", "chat_of_fact", 30},
                                Shape{"?chat", "chat_of_words", 34},
                                Shape{"?missing", "missing_of_change", 58},
                                Shape{"?missing", "missing_of_operand", 50},
                                Shape{"?unsupported", "refused_of_shape", 24},
                                Shape{"?unsupported", "refused_of_chance", 18},
                                Shape{"?unclear", "unclear_of_cut", 42},
                                Shape{"?unclear", "unclear_of_clash", 36},
                                Shape{"?chat", "chat_of_scene", 50},
                                Shape{"?chat", "chat_of_number", 32},
                                Shape{"?missing", "missing_of_part", 52}};
constexpr std::size_t kSeenShapes = 16;

class Refuser {
 public:
  explicit Refuser(const Workshop& workshop) : workshop_(workshop), random_(workshop.random) {}

  Draft Make() {
    const Shape& shape =
        random_.PickByWeight(workshop_.OfSplit(std::span<const Shape>(kShapes), kSeenShapes));
    const std::string_view text = workshop_.PickText(shape.rule);
    Number(workshop_.expander.Expand(text));
    draft_.abstention = shape.abstention;
    draft_.schema =
        kFirstComposition + static_cast<int>(HashText(shape.rule) % kCompositionSchemas);
    constexpr int kPhrasings = 400;  // following those of bare numbers
    draft_.phrasing = kFirstComposition + kPhrasings + static_cast<int>(&shape - kShapes.data());
    return std::move(draft_);
  }

 private:
  /// Puts numbers where %n and its like stand.
  void Number(std::string_view text) {
    for (std::size_t at = 0; at < text.size(); ++at) {
      if (text[at] != '%') {
        draft_.marked += text[at];
      } else if (const char kind = text[++at]; kind == 'l' || kind == 'L') {
        PutList(kind == 'l');
      } else {
        Put(kind);
      }
    }
  }

  /// %d money; %n an integer of any size, %v any number; %< one below that before it, if any;
  /// otherwise a class (numbers.h).
  void Put(char kind) {
    constexpr std::string_view kWhole = "mmmmmmttllh", kAny = "mmmmmtllzee", kMoney = "dmtl";
    const std::size_t variable = draft_.next_variable++;
    char of_class = kind;
    if (kind == '<') {
      of_class = 'm';
      if (variable > 0) {
        draft_.specification.Add(std::string(1, Letter(variable)) + " < " + Letter(variable - 1));
      }
    } else if (kind == 'n') {
      of_class = random_.Pick(std::span<const char>(kWhole));
    } else if (kind == 'v') {
      of_class = random_.Pick(std::span<const char>(kAny));
    } else if (kind == 'd') {
      of_class = random_.Pick(std::span<const char>(kMoney));
    }
    draft_.specification.classes[variable] = of_class;
    draft_.marked += kind == 'd' ? kMoneyMark : kNumberMark;
    draft_.marked += static_cast<char>('0' + variable);
  }
  static char Letter(std::size_t variable) { return static_cast<char>('a' + variable); }

  void PutList(bool may_be_fraction) {
    constexpr std::int64_t kFewest = 3, kMost = 7;
    constexpr std::string_view kIntegers = "mmmtl", kClasses = "mmmtze";
    const char of_class =
        random_.Pick(std::span<const char>(may_be_fraction ? kClasses : kIntegers));
    const auto length = random_.Between(kFewest, kMost);
    constexpr std::array<std::string_view, 3> kEnds = {", ", " and ", ", and "};
    const std::string_view end = random_.Pick(std::span<const std::string_view>(kEnds));
    for (std::int64_t i = 0; i < length; ++i) {
      if (i > 0) draft_.marked += i + 1 == length ? end : ", ";
      Put(of_class);
    }
  }

  const Workshop& workshop_;
  Random& random_;
  Draft draft_;
};

}  // namespace

std::optional<Draft> DraftRefusal(const Workshop& workshop) { return Refuser(workshop).Make(); }

/// Whether each fact that a question needs can be withheld in a way that the question allows.
static consteval bool CanAllBeWithheld() {
  for (const SpoiltPlan& plan : kSpoiltPlans) {
    for (const SpoiltQuestion& asked : plan.asked) {
      for (const char fact : asked.program) {
        if (fact < 'A' || fact > 'D') continue;
        const std::string_view ways = plan.facts[static_cast<std::size_t>(fact - 'A')].ways;
        if (ways.find_first_of(asked.ways) == ways.npos) return false;
      }
    }
  }
  return true;
}
static_assert(CanAllBeWithheld());

std::vector<RuleNeed> RulesOfUnanswerable(const QuestionBank& bank) {
  std::vector<RuleNeed> needs;
  for (const SpoiltPlan& plan : kSpoiltPlans) {
    const std::string scenes = "no_scene_" + std::string(plan.name);
    needs.push_back({scenes, {}, false});
    std::string keys = "PMKRS";
    if (bank.rules().Has(scenes)) {
      for (const std::string_view scene : bank.rules().Texts(scenes)) keys += KeysOfScene(scene);
    }
    const std::string prefix = "no_" + std::string(plan.name) + "_";
    for (const SpoiltFact& fact : plan.facts) {
      const std::string name = prefix + std::string(fact.rule);
      needs.push_back({name, keys});
      if (fact.ways.contains('v')) needs.push_back({name + "_vague", keys});
      if (fact.ways.contains('x')) needs.push_back({name + "_other", keys});
    }
    for (const SpoiltQuestion& asked : plan.asked) {
      needs.push_back({prefix + "ask_" + std::string(asked.rule), keys});
    }
    needs.push_back({"no_beyond_" + std::string(plan.beyond), {}, false});
  }
  return needs;
}

std::size_t CountUnanswerableQuestions() {
  std::size_t count = 0;
  for (const SpoiltPlan& plan : kSpoiltPlans) count += plan.asked.size();
  return count;
}

}  // namespace txvm::neural::questions

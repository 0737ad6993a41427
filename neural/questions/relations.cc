#include <algorithm>
#include <array>
#include <string>
#include <utility>
#include <vector>

#include "neural/questions/draft.h"

// Stories that compare: two or three quantities of which at least one is told and the others are
// told by what they are more, fewer or times as many than. Who is compared, in which direction, in
// which order and what is asked are drawn apart, so that only who reads the words gets it right.

namespace txvm::neural::questions {
namespace {

constexpr std::size_t kMost = 3;  // quantities of a story

/// What is compared: the prefix of its rules and what "%P" is for each quantity.
struct Topic {
  std::string_view rules;
  std::array<std::string_view, kMost> names;
  unsigned weight;
  bool has_people;
};

constexpr std::array<std::string_view, kMost> kPeople = {"{N}", "{M}", "{K}"};
constexpr std::array<std::string_view, kMost> kTheirs = {"{N's}", "{M's}", "{K's}"};
constexpr std::array<std::string_view, kMost> kProducts = {"a_ {P1}", "a_ {Q1}", "a_ {S1}"};
constexpr std::array<std::string_view, kMost> kKinds = {"{I}", "{J}", "{L}"};
constexpr std::array<std::string_view, kMost> kDays = {"{weekday}", "{weekday2}", "{weekday3}"};
constexpr std::array<std::string_view, kMost> kColors = {"the {C} ", "the {E} ", "the {color3} "};

constexpr std::array kTopics = {
    Topic{"has", kPeople, 28, true},      Topic{"deed", kPeople, 26, true},
    Topic{"money", kPeople, 5, true},     Topic{"cash", kPeople, 5, true},
    Topic{"measure", kPeople, 8, true},   Topic{"measure", kColors, 4, false},
    Topic{"weight", kPeople, 2, true},    Topic{"weight", kColors, 2, false},
    Topic{"price", kProducts, 10, false}, Topic{"kind", kKinds, 6, false},
    Topic{"day", kDays, 8, false}};

struct Deed {
  std::string_view past, base, object;
};
constexpr std::array kWithMoney = {Deed{"saved", "save", ""},   Deed{"earned", "earn", ""},
                                   Deed{"spent", "spend", ""},  Deed{"paid", "pay", ""},
                                   Deed{"raised", "raise", ""}, Deed{"made", "make", ""},
                                   Deed{"lost", "lose", ""},    Deed{"donated", "donate", ""}};
constexpr std::array kDeeds = {Deed{"collected", "collect", "{I}"},
                               Deed{"found", "find", "{I}"},
                               Deed{"bought", "buy", "{I}"},
                               Deed{"sold", "sell", "{I}"},
                               Deed{"picked", "pick", "{fruit+}"},
                               Deed{"ate", "eat", "{treat+}"},
                               Deed{"baked", "bake", "{treat+}"},
                               Deed{"made", "make", "{I}"},
                               Deed{"read", "read", "pages"},
                               Deed{"read", "read", "books"},
                               Deed{"ran", "run", "{distance+}"},
                               Deed{"walked", "walk", "{distance+}"},
                               Deed{"drove", "drive", "miles"},
                               Deed{"scored", "score", "points"},
                               Deed{"caught", "catch", "fish"},
                               Deed{"planted", "plant", "{flower+}"},
                               Deed{"saw", "see", "{animal+}"},
                               Deed{"solved", "solve", "problems"},
                               Deed{"practiced", "practice", "minutes"},
                               Deed{"slept", "sleep", "hours"},
                               Deed{"wrote", "write", "letters"},
                               Deed{"drew", "draw", "pictures"},
                               Deed{"washed", "wash", "{vehicle+}"},
                               Deed{"won", "win", "{points+}"},
                               Deed{"packed", "pack", "{container+}"},
                               Deed{"swam", "swim", "laps"},
                               Deed{"{makeverb:past}", "{makeverb}", "{I}"},
                               Deed{"{gain:past}", "{gain}", "{I}"},
                               Deed{"{lose:past}", "{lose}", "{I}"}};

struct Measure {
  std::string_view unit, adjective, more, less;
};
constexpr std::array kOfPeople = {Measure{"years", "old", "older", "younger"},
                                  Measure{"years", "old", "older", "younger"},
                                  Measure{"inches", "tall", "taller", "shorter"},
                                  Measure{"centimeters", "tall", "taller", "shorter"}};
constexpr std::array kOfThings = {Measure{"{lengthunit+}", "long", "longer", "shorter"},
                                  Measure{"feet", "high", "higher", "lower"},
                                  Measure{"inches", "wide", "wider", "narrower"},
                                  Measure{"meters", "tall", "taller", "shorter"}};
constexpr std::array<std::string_view, 6> kMeasured = {"{stuff}", "fence", "tower",
                                                       "tree",    "shelf", "wall"};
constexpr std::array<std::string_view, 4> kWeighed = {"{container}", "bag of {mass}", "{animal}",
                                                      "{vehicle}"};

/// How one quantity is told by another.
enum class Link : std::uint8_t { kMore, kFewer, kTimes, kTwice, kHalf };
constexpr std::array<std::string_view, 5> kLinkRules = {"_more", "_fewer", "_times", "_twice",
                                                        "_half"};

class Comparison {
 public:
  Comparison(const Workshop& workshop, Telling telling)
      : workshop_(workshop),
        random_(workshop.random),
        withholds_(telling == Telling::kWithholding),
        topic_(random_.PickByWeight(std::span<const Topic>(kTopics))),
        count_(random_.Chance(65) ? 2 : kMost) {
    deed_ = random_.Pick(topic_.rules == "cash" ? std::span<const Deed>(kWithMoney)
                                                : std::span<const Deed>(kDeeds));
    measure_ = random_.Pick(topic_.has_people ? std::span<const Measure>(kOfPeople)
                                              : std::span<const Measure>(kOfThings));
    compared_ = topic_.rules == "weight"
                    ? random_.Pick(std::span<const std::string_view>(kWeighed))
                    : random_.Pick(std::span<const std::string_view>(kMeasured));
    for (std::size_t i = 0; i < count_; ++i) order_[i] = i;
    random_.Shuffle(std::span(order_).first(count_));
  }

  std::optional<Draft> Tell() {
    TellAll();
    Ask();
    const int phrasing = static_cast<int>(kMost * kMost + count_);
    if (withholds_) {
      SetMissing(phrasing, draft_);
      return std::move(draft_);
    }
    return Composed(workshop_, asked_, phrasing, std::move(draft_));
  }

 private:
  std::string Name(std::size_t who) const {
    std::string name(topic_.names[who]);
    return topic_.names == kColors ? name + std::string(compared_) : name;
  }

  /// A text of the rule about two of the quantities, appended; its first number is named in return.
  char Say(std::string_view rule, std::size_t who, std::size_t other, std::size_t numbers) {
    const std::string name = std::string(topic_.rules) + std::string(rule);
    std::string text(workshop_.PickText(name));
    const bool is_first = topic_.has_people && who == 0;  // may be "I" or two people
    const std::string subject = Name(who), object = Name(other);
    const std::string unit(topic_.rules == "weight" ? "{weightunit+}" : measure_.unit);
    const std::string its = topic_.has_people ? std::string(kTheirs[who]) : subject;
    const std::string others = topic_.has_people ? std::string(kTheirs[other]) : object;
    const std::string thing(topic_.rules == "has" ? "{I}" : deed_.object);
    const std::array<Opening, 14> open = {Opening{"%P", subject},
                                          {"%Q", object},
                                          {"{P's}", its},
                                          {"{Q's}", others},
                                          {"%H", is_first ? "{has}" : "has"},
                                          {"%A", is_first ? "{is}" : "is"},
                                          {"%d", is_first ? "{does}" : "does"},
                                          {"%W", deed_.past},
                                          {"%w", deed_.base},
                                          {"%T", thing},
                                          {"%U", unit},
                                          {"%E", measure_.adjective},
                                          {"%M", measure_.more},
                                          {"%L", measure_.less}};
    return AppendFilled(workshop_, std::move(text), open, numbers, draft_);
  }

  /// A sentence to come: of `who` alone, or of how `who` is to `other`.
  struct Sentence {
    std::size_t who, other;
    bool is_known;
    bool is_backward = false;  // said of `other`: "other has N more than who"
    bool is_joint = false;     // says how many `other` has, too
    Link link = Link::kMore;
  };

  void TellAll() {
    std::vector<Sentence> sentences = {{order_[0], order_[0], true}};
    for (std::size_t i = 1; i < count_; ++i) {
      const std::size_t other = order_[random_.Below(i)];
      if (!withholds_ && random_.Chance(22)) {
        sentences.push_back({order_[i], order_[i], true});
        continue;
      }
      sentences.push_back({order_[i], other, false, random_.Chance(35), false, DrawLink(random_)});
      const Link link = sentences.back().link;
      const bool is_plain = link == Link::kMore || link == Link::kFewer;
      if (!withholds_ && i == 1 && is_plain && random_.Chance(30)) {
        sentences.back().is_joint = true;
        sentences.erase(sentences.begin());
      }
    }
    if (withholds_) sentences.erase(sentences.begin());  // all are told by one that is not
    // What is known may be said last, or in between.
    if (random_.Chance(25)) std::ranges::rotate(sentences, sentences.begin() + 1);
    if (random_.Chance(20)) random_.Shuffle(sentences);
    std::array<std::pair<const Sentence*, char>, kMost> told{};  // by who
    for (const Sentence& sentence : sentences) {
      told[sentence.who] = {&sentence, TellOne(sentence)};
    }
    for (std::size_t i = 0; i < count_; ++i) {
      const auto& [sentence, letter] = told[order_[i]];
      if (sentence && !withholds_) Derive(*sentence, letter);
    }
  }

  static Link DrawLink(Random& random) {
    constexpr std::array<Link, 10> kLinks = {Link::kMore,  Link::kMore,  Link::kMore,  Link::kMore,
                                             Link::kFewer, Link::kFewer, Link::kFewer, Link::kTimes,
                                             Link::kTwice, Link::kHalf};
    return random.Pick(std::span<const Link>(kLinks));
  }

  char TellOne(const Sentence& sentence) {
    if (sentence.is_known) return Say("_known", sentence.who, sentence.who, 1);
    const bool is_more = sentence.link == Link::kMore;
    if (sentence.is_joint) {
      const std::string_view rule = sentence.is_backward
                                        ? (is_more ? "_more_than_known" : "_fewer_than_known")
                                        : (is_more ? "_known_more" : "_known_fewer");
      return Say(rule, sentence.who, sentence.other, 2);
    }
    const std::size_t subject = sentence.is_backward ? sentence.other : sentence.who;
    const std::size_t object = sentence.is_backward ? sentence.who : sentence.other;
    const bool has_number = sentence.link < Link::kTwice;
    return Say(kLinkRules[static_cast<std::size_t>(sentence.link)], subject, object,
               has_number ? 1 : 0);
  }

  /// What `who` has, by the sentence whose first number is `letter`.
  void Derive(const Sentence& sentence, char letter) {
    std::string number(1, letter);
    if (sentence.is_known) {
      quantities_[sentence.who] = number;
      if (measure_.adjective == "old" && topic_.rules == "measure") Require(number + ":g");
      return;
    }
    if (sentence.is_joint) {
      quantities_[sentence.other] = number;
      number = std::string(1, static_cast<char>(letter + 1));
    }
    const std::string other = "(" + quantities_[sentence.other] + ")";
    const bool grows = (sentence.link == Link::kMore || sentence.link == Link::kTimes ||
                        sentence.link == Link::kTwice) != sentence.is_backward;
    const bool is_sum = sentence.link == Link::kMore || sentence.link == Link::kFewer;
    if (!is_sum && sentence.link != Link::kTimes) number = "2";
    if (sentence.link == Link::kTimes) Require(number + ":s");
    if (is_sum && !grows) Require(other + " > " + number);
    if (!is_sum && !grows) Require(other + " mod " + number + " == 0");
    quantities_[sentence.who] =
        other + (is_sum ? (grows ? " + " : " - ") : (grows ? " * " : " / ")) + number;
  }

  void Ask() {
    const std::size_t last = order_[count_ - 1];
    // Differences may follow even if no quantity is known.
    const std::size_t kind = random_.Below(withholds_ ? 84 : 100);
    if (kind < 55) {
      const std::size_t who = random_.Chance(75) ? last : random_.Below(count_);
      Say("_ask", who, who, 0);
      asked_ = quantities_[who];
    } else if (kind < 78) {
      Say("_all", 0, 1, 0);
      asked_ = quantities_[order_[0]];
      for (std::size_t i = 1; i < count_; ++i) asked_ += " + (" + quantities_[order_[i]] + ")";
    } else {
      AskBetween(last, order_[random_.Below(count_ - 1)], kind < 84);
    }
  }

  void AskBetween(std::size_t who, std::size_t other, bool is_sum) {
    if (is_sum) {
      Say("_both", who, other, 0);
      asked_ = "(" + quantities_[other] + ") + (" + quantities_[who] + ")";
      return;
    }
    const bool is_more = random_.Chance(60);
    Say(is_more ? "_differ" : "_differ_less", who, other, 0);
    const std::string larger = "(" + quantities_[is_more ? who : other] + ")";
    const std::string smaller = "(" + quantities_[is_more ? other : who] + ")";
    Require(larger + " > " + smaller);
    asked_ = Difference(larger, smaller);
  }

  /// What one has more than the other; nothing where a sentence says that very number.
  static std::string Difference(const std::string& larger, const std::string& smaller) {
    const bool is_said =
        larger.starts_with("(" + smaller + " + ") || smaller.starts_with("(" + larger + " - ");
    return is_said ? "" : larger + " - " + smaller;
  }

  void Require(const std::string& condition) { draft_.specification.Add(condition); }

  const Workshop& workshop_;
  Random& random_;
  bool withholds_;
  const Topic& topic_;
  std::size_t count_;
  Deed deed_;
  Measure measure_;
  std::string_view compared_;
  std::array<std::size_t, kMost> order_{};  // each told by one before it
  std::array<std::string, kMost> quantities_;
  std::string asked_;
  Draft draft_;
};

}  // namespace

std::optional<Draft> DraftRelation(const Workshop& workshop, Telling telling) {
  return Comparison(workshop, telling).Tell();
}

}  // namespace txvm::neural::questions

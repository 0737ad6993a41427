#include "neural/questions/facts.h"

#include <algorithm>
#include <array>
#include <string>
#include <utility>

// Stories of one or two people and one or two things, told in any order, of which the question asks
// for some: who reads them must find the sentences that matter. Nothing can be learnt by heart:
// people, things, events and question are drawn apart.

namespace txvm::neural::questions {
namespace {

constexpr std::size_t kMost = 2;  // people, and things

/// Who and what a sentence is about.
struct About {
  std::size_t person = 0, thing = 0;
};

class Story {
 public:
  Story(const Workshop& workshop, Telling telling)
      : workshop_(workshop),
        random_(workshop.random),
        plot_(random_
                  .PickByWeight(telling == Telling::kWhole ? std::span<const PlotRow>(kWhole)
                                                           : std::span<const PlotRow>(kWithholding))
                  .plot),
        people_(random_.Chance(40) ? kMost : 1),
        things_(random_.Chance(people_ == 1 ? 50 : 25) ? kMost : 1) {
    // What nothing is said of must be beside something else.
    if (plot_ == Plot::kUnsaid && IsPlain()) (random_.Chance(50) ? people_ : things_) = kMost;
  }

  std::optional<Draft> Tell() {
    if (plot_ > Plot::kHiddenChange) return TellUntold();
    if (plot_ == Plot::kUsual) {
      TellUsual();
    } else if (plot_ == Plot::kHiddenStart) {
      TellHiddenStart();
    } else {
      TellHiddenChange();
    }
    return Composed(workshop_, asked_, Phrasing(), std::move(draft_));
  }

 private:
  int Phrasing() const {
    constexpr int kOfPlot = 10;
    return kOfPlot * static_cast<int>(plot_) + static_cast<int>(people_ * kMost + things_);
  }

  void TellUsual() {
    const bool asks_worth = things_ == kMost && random_.Chance(20);
    const bool is_basket = asks_worth && random_.Chance(35);
    if (!is_basket) TellStory();
    if (asks_worth) TellPrices();
    if (is_basket) {
      AskBasket();
    } else if (asks_worth) {
      AskWorth();
    } else {
      Ask();
    }
  }

  void TellStory() {
    TellFacts();
    const std::size_t events = (IsPlain() ? 1 : 0) + random_.Below(IsPlain() ? 2 : 3);
    for (std::size_t i = 0; i < events; ++i) {
      if (!IsPlain() && random_.Chance(25)) {
        TellTwoEvents();
      } else {
        TellEvent(Any(), true);
      }
    }
  }

  // The start is drawn, though never said, and the end computed of it: so all numbers make sense.
  void TellHiddenStart() {
    const About about = Hide(random_.Chance(65));
    TellFacts();
    if (!IsPlain() && random_.Chance(30)) TellEventOfAnother(about);
    std::string end;
    if (random_.Chance(25)) {
      const bool gains = random_.Chance(35);
      const char first = Say(gains ? "end_after_gain" : "end_after_loss", about, 2);
      Change(about, gains, std::string(1, static_cast<char>(first + 1)));
      has_lost_ = !gains;
      end = first;
      RequireEnd(about, end);
    } else {
      TellEvent(about, true);
      if (random_.Chance(30)) TellEvent(about, true);
      end = TellEnd(about);
    }
    const bool is_last = IsPlain() || random_.Chance(85);
    if (!is_last) TellEventOfAnother(about);
    AskStart(about, is_last);
    const Changes& changes = changes_[about.person][about.thing];
    asked_ = end;
    if (!changes.lost.empty()) asked_ += " + " + changes.lost;
    if (!changes.gained.empty()) asked_ += " - (" + changes.gained + ")";
  }

  void TellHiddenChange() {
    TellFacts();
    const About about = Any();
    if (!IsPlain() && random_.Chance(30)) TellEventOfAnother(about);
    if (random_.Chance(15)) TellEvent(about, false);
    const Changes& changes = changes_[about.person][about.thing];
    if (!changes.gained.empty() && !changes.lost.empty()) return;
    const std::string before = Quantity(about);
    const VagueDeed& deed = TellVague(about);
    const std::string end = TellEnd(about);
    Say("ask_" + std::string(deed.name), about, 0);
    asked_ = deed.gains ? end + " - (" + before + ")" : before + " - " + end;
  }

  /// A story that lacks what its question needs.
  std::optional<Draft> TellUntold() {
    if (plot_ == Plot::kUntoldStart) {
      // "She bought five" alone may be all that she has.
      only_loses_ = random_.Chance(50);
      const About about = Hide(!only_loses_);
      TellFacts();
      TellEvent(about, true);
      if (random_.Chance(25)) TellEvent(about, true);
      AskUntold(about);
    } else if (plot_ == Plot::kUnsaid) {
      const About about = Hide(false);
      TellFacts();
      if (random_.Chance(50)) TellEventOfAnother(about);
      AskUntold(about);
    } else if (plot_ == Plot::kUntoldPrice) {
      TellUntoldPrice();
    } else {
      const bool has_end = plot_ == Plot::kUntoldBoth;
      const About about = has_end ? Hide(true) : Any();
      TellFacts();
      const VagueDeed& deed = TellVague(about);
      if (has_end) TellEnd(about);
      if (random_.Chance(50)) {
        Say("ask_" + std::string(deed.name), about, 0);
      } else if (has_end) {
        AskStart(about, false);
      } else {
        Say(has_lost_ && random_.Chance(60) ? "ask_left" : "ask_now", about, 0);
      }
    }
    SetMissing(Phrasing(), draft_);
    return std::move(draft_);
  }

  void TellUntoldPrice() {
    const About about = Any();
    const std::size_t kind = random_.Below(3);
    if (kind == 0) {  // how many there are
      hidden_ = about;
      is_mentioned_ = random_.Chance(70);
      TellFacts();
      for (std::size_t i = 0; i < things_; ++i) TellPrice(i);
      Say("ask_worth", about, 0);
      return;
    }
    const bool is_basket = things_ == kMost && kind == 1;
    if (!is_basket) TellStory();
    if (things_ == kMost && (is_basket || random_.Chance(60))) {
      TellPrice(1 - about.thing);
    } else {
      Say("fact_price_untold", about, 0);
    }
    if (is_basket) {
      AskBasket();
    } else {
      Say(things_ == kMost && random_.Chance(25) ? "ask_worth_both" : "ask_worth", about, 0);
    }
  }

  /// What is not told of how many there are at first; mentioned: that there are some is.
  About Hide(bool is_mentioned) {
    hidden_ = Any();
    is_mentioned_ = is_mentioned;
    return *hidden_;
  }
  bool IsHidden(About about) const {
    return hidden_ && hidden_->person == about.person && hidden_->thing == about.thing;
  }
  /// A number that is drawn and never said.
  std::string Unsaid() { return std::string(1, static_cast<char>('a' + draft_.next_variable++)); }

  std::string& Quantity(About about) { return quantities_[about.person][about.thing]; }
  About Any() { return {random_.Below(people_), random_.Below(things_)}; }
  /// One person and one thing, which need not be named again.
  bool IsPlain() const { return people_ == 1 && things_ == 1; }

  /// A text of the rule about someone and something, appended; its first number is named in return.
  char Say(std::string_view rule, About about, std::size_t numbers) {
    std::string text(workshop_.PickText(rule));
    const bool is_first = about.person == 0;
    // Of two people "he" may be either, and at first it is nobody.
    if ((people_ == kMost || draft_.marked.empty()) && text.find("%P") == std::string::npos) {
      text = Replaced(Replaced(Replaced(text, "%h", "%P"), "%m", "%P"), "%s", "{P's}");
    }
    const std::array<Opening, 14> open = {Opening{"%P", is_first ? "{N}" : "{M}"},
                                          {"%Q", is_first ? "{M}" : "{N}"},
                                          {"{P's}", is_first ? "{N's}" : "{M's}"},
                                          {"{Q's}", is_first ? "{M's}" : "{N's}"},
                                          {"%H", is_first ? "{has}" : "has"},
                                          {"%h", is_first ? "{he}" : "{he2}"},
                                          {"%s", is_first ? "{his}" : "{his2}"},
                                          {"%m", is_first ? "{him}" : "{him2}"},
                                          {"%v", is_first ? "~" : "^"},
                                          {"%d", is_first ? "{does}" : "does"},
                                          {"%T", about.thing == 0 ? "{I}" : "{J}"},
                                          {"%1", about.thing == 0 ? "{I1}" : "{J1}"},
                                          {"%U", about.thing == 0 ? "{J}" : "{I}"},
                                          {"%2", about.thing == 0 ? "{J1}" : "{I1}"}};
    const char first = AppendFilled(workshop_, std::move(text), open, numbers, draft_);
    PutMe(draft_.marked);
    return first;
  }

  void TellFacts() {
    std::vector<About> left;
    for (std::size_t p = 0; p < people_; ++p) {
      for (std::size_t t = 0; t < things_; ++t) left.push_back({p, t});
    }
    if (random_.Chance(40)) std::ranges::reverse(left);
    while (!left.empty()) {
      const About about = left.front();
      left.erase(left.begin());
      if (IsHidden(about)) {
        Quantity(about) = Unsaid();
        if (is_mentioned_) Say("fact_some", about, 0);
        continue;
      }
      const auto other = std::ranges::find_if(left, [&](About next) {
        return !IsHidden(next) && (next.person == about.person || next.thing == about.thing);
      });
      if (other != left.end() && random_.Chance(50)) {
        const bool is_pair = other->thing == about.thing;
        const char a = Say(is_pair ? "fact_pair" : "fact_both", about, 2);
        Quantity(about) = std::string(1, a);
        Quantity(*other) = std::string(1, static_cast<char>(a + 1));
        left.erase(other);
      } else if (random_.Chance(12)) {
        const char a = Say("fact_groups", about, 2), b = static_cast<char>(a + 1);
        Quantity(about) = std::string(1, a) + " * " + std::string(1, b);
        Require(std::string(1, a) + ":s");
        Require(std::string(1, b) + ":s");
      } else {
        Quantity(about) = std::string(1, Say("fact_has", about, 1));
        // What follows at once is told before the others are.
        if (!left.empty() && random_.Chance(20)) TellEvent(about, false);
      }
    }
  }

  /// Somebody gains or loses something, now and then twice in a sentence.
  void TellEvent(About about, bool may_give) {
    const bool gains = !only_loses_ && random_.Chance(45);
    const bool gives = may_give && !gains && people_ == kMost && random_.Chance(50);
    const bool is_short = IsPlain() && !draft_.marked.empty() && random_.Chance(50);
    const bool is_double = !gives && random_.Chance(15);
    const std::string rule = std::string(gains   ? "event_gain"
                                         : gives ? "event_give"
                                                 : "event_lose") +
                             (is_double ? "_twice" : "") + (is_short ? "_it" : "");
    const char first = Say(rule, about, is_double ? 2 : 1);
    const std::string x(1, first);
    Change(about, gains, x);
    if (is_double) Change(about, gains, std::string(1, static_cast<char>(first + 1)));
    if (!gains) Require("(" + Quantity(about) + ") > 0");
    if (gives) {
      Change({1 - about.person, about.thing}, true, x);
      is_given_[about.thing] = true;
    }
    has_lost_ = !gains;
    last_ = about;
  }

  /// Of another person or thing.
  void TellEventOfAnother(About about) {
    const bool is_of_another_person = things_ == 1 || (people_ == kMost && random_.Chance(50));
    (is_of_another_person ? about.person : about.thing) ^= 1;
    if (!IsHidden(about)) TellEvent(about, false);
  }

  /// Of both people, or of both things of a person, in one sentence.
  void TellTwoEvents() {
    const About about = Any();
    const bool is_people = things_ == 1 || (people_ == kMost && random_.Chance(50));
    const About other =
        is_people ? About{1 - about.person, about.thing} : About{about.person, 1 - about.thing};
    const bool gains = random_.Chance(50), other_gains = random_.Chance(50);
    const std::string rule = std::string(is_people ? "two_people_" : "two_things_") +
                             (gains ? "g" : "l") + (other_gains ? "g" : "l");
    const char first = Say(rule, about, 2);
    Change(about, gains, std::string(1, first));
    Change(other, other_gains, std::string(1, static_cast<char>(first + 1)));
    if (!gains) Require("(" + Quantity(about) + ") > 0");
    if (!other_gains) Require("(" + Quantity(other) + ") > 0");
    last_ = random_.Chance(50) ? about : other;
    has_lost_ = last_.person == about.person && last_.thing == about.thing ? !gains : !other_gains;
  }

  /// An event without a number.
  const VagueDeed& TellVague(About about) {
    const Changes& changes = changes_[about.person][about.thing];
    const VagueDeed* deed = nullptr;
    bool is_asked_with = false;  // the question would ask for another event, too
    do {
      deed = &random_.Pick(std::span<const VagueDeed>(kVagueDeeds));
      is_asked_with =
          plot_ == Plot::kHiddenChange && !(deed->gains ? changes.gained : changes.lost).empty();
    } while (is_asked_with || (deed->needs_other && people_ == 1));
    Say("some_" + std::string(deed->name), about, 0);
    Quantity(about) += (deed->gains ? " + " : " - ") + Unsaid();
    has_lost_ = !deed->gains;
    last_ = about;
    return *deed;
  }

  /// How many there are in the end.
  std::string TellEnd(About about) {
    const bool is_left = has_lost_ && random_.Chance(60);
    const bool is_short = IsPlain() && random_.Chance(40);
    std::string end(
        1, Say(std::string(is_left ? "end_left" : "end_now") + (is_short ? "_it" : ""), about, 1));
    RequireEnd(about, end);
    return end;
  }
  void RequireEnd(About about, const std::string& end) {
    Require(end + "=" + Quantity(about));
    Require(end + " > 1");  // its noun is a plural
  }

  void Change(About about, bool gains, const std::string& by) {
    Quantity(about) += (gains ? " + " : " - ") + by;
    Changes& changes = changes_[about.person][about.thing];
    std::string& terms = gains ? changes.gained : changes.lost;
    terms += (terms.empty() ? "" : " + ") + by;
    ++changes.count;
  }

  void TellPrices() {
    const std::size_t first = random_.Below(things_);
    for (std::size_t i = 0; i < things_; ++i) TellPrice(i == 0 ? first : 1 - first);
  }
  void TellPrice(std::size_t thing) {
    prices_[thing] = std::string(1, Say("fact_price", {0, thing}, 1));
    Require(prices_[thing] + (random_.Chance(40) ? ":d" : ":s"));
  }

  void AskWorth() {
    const About about = Any();
    const bool is_both = random_.Chance(25);
    Say(is_both ? "ask_worth_both" : "ask_worth", about, 0);
    asked_ = "(" + Quantity(about) + ") * " + prices_[about.thing];
    if (!is_both) return;
    const std::size_t other = 1 - about.thing;
    asked_ += " + (" + Quantity({about.person, other}) + ") * " + prices_[other];
  }

  /// What some of both things cost together.
  void AskBasket() {
    const About about = Any();
    const char first = Say("ask_basket", about, 2), second = static_cast<char>(first + 1);
    Require(std::string(1, first) + ":s");
    Require(std::string(1, second) + ":s");
    asked_ =
        prices_[about.thing] + " * " + first + " + " + prices_[1 - about.thing] + " * " + second;
  }

  void Ask() {
    const About about = has_events() && random_.Chance(50) ? last_ : Any();
    const std::string mine = Quantity(about);
    if (changes_[about.person][about.thing].count > 1 && random_.Chance(20)) {
      AskChange(about);
      return;
    }
    const std::size_t kind = random_.Below(4);
    if (kind == 0 && people_ == kMost && !is_given_[about.thing]) {
      const std::string others = Quantity({1 - about.person, about.thing});
      AskBetween("people", about, mine, others);
    } else if (kind == 1 && things_ == kMost) {
      const std::string others = Quantity({about.person, 1 - about.thing});
      AskBetween("things", about, mine, others);
    } else {
      const bool is_left = has_lost_ && last_.person == about.person &&
                           last_.thing == about.thing && random_.Chance(60);
      const bool is_short = IsPlain() && random_.Chance(40);
      Say(std::string(is_left ? "ask_left" : "ask_now") + (is_short ? "_it" : ""), about, 0);
      asked_ = mine;
    }
  }

  /// How many there were before all events.
  void AskStart(About about, bool is_last) {
    const bool is_single = is_last && changes_[about.person][about.thing].count == 1;
    const bool is_short = IsPlain() && random_.Chance(30);
    Say(is_short                          ? "ask_start_it"
        : is_single && random_.Chance(30) ? (has_lost_ ? "ask_before_loss" : "ask_before")
                                          : "ask_start",
        about, 0);
  }

  /// For what was not told, alone or beside another quantity.
  void AskUntold(About about) {
    constexpr std::array<std::string_view, 3> kOfPeople = {"ask_people_named", "ask_more_people",
                                                           "ask_fewer_people"};
    constexpr std::array<std::string_view, 3> kOfThings = {"ask_things", "ask_more_things",
                                                           "ask_fewer_things"};
    if (people_ == kMost && random_.Chance(25)) {
      Say(random_.Pick(std::span<const std::string_view>(kOfPeople)), about, 0);
    } else if (things_ == kMost && random_.Chance(25)) {
      Say(random_.Pick(std::span<const std::string_view>(kOfThings)), about, 0);
    } else {
      const bool is_left = plot_ == Plot::kUntoldStart && has_lost_ && random_.Chance(60);
      const bool is_short = IsPlain() && random_.Chance(40);
      Say(std::string(is_left ? "ask_left" : "ask_now") + (is_short ? "_it" : ""), about, 0);
    }
  }

  /// What the events did to it, whatever there was before.
  void AskChange(About about) {
    const auto& [gained, lost, count] = changes_[about.person][about.thing];
    if (gained.empty() || lost.empty()) {
      Say(gained.empty() ? "ask_lost" : "ask_gained", about, 0);
      asked_ = gained.empty() ? lost : gained;
      return;
    }
    const bool is_more = random_.Chance(50);
    Say(is_more ? "ask_grown" : "ask_shrunk", about, 0);
    const std::string& larger = is_more ? gained : lost;
    const std::string& smaller = is_more ? lost : gained;
    asked_ = Excess(larger, smaller, draft_);
  }

  /// Both together, or how many more or fewer.
  void AskBetween(const std::string& what, About about, const std::string& mine,
                  const std::string& others) {
    const std::size_t kind = random_.Below(3);
    if (kind == 0) {
      Say("ask_" + what, about, 0);
      asked_ = mine + " + (" + others + ")";
      return;
    }
    const bool is_more = kind == 1;
    Say((is_more ? "ask_more_" : "ask_fewer_") + what, about, 0);
    const std::string& larger = is_more ? mine : others;
    const std::string& smaller = is_more ? others : mine;
    asked_ = Excess(larger, smaller, draft_);
  }

  bool has_events() const { return last_.person < kMost; }
  void Require(const std::string& condition) { draft_.specification.Add(condition); }

  const Workshop& workshop_;
  Random& random_;
  Plot plot_;
  std::size_t people_, things_;
  std::optional<About> hidden_;
  bool is_mentioned_ = false;  // the hidden quantity
  bool only_loses_ = false;    // whoever something happens to
  std::array<std::array<std::string, kMost>, kMost> quantities_;
  /// What was added to a quantity and taken from it: sums of several numbers.
  struct Changes {
    std::string gained, lost;
    std::size_t count = 0;
  };
  std::array<std::array<Changes, kMost>, kMost> changes_;
  std::array<std::string, kMost> prices_;
  About last_{kMost, kMost};            // what the last event was about
  std::array<bool, kMost> is_given_{};  // from one person to the other
  bool has_lost_ = false;
  std::string asked_;
  Draft draft_;
};

}  // namespace

std::optional<Draft> DraftFacts(const Workshop& workshop, Telling telling) {
  constexpr unsigned kOfPlaces = 20;
  if (workshop.random.Chance(kOfPlaces)) return DraftPlaces(workshop, telling);
  return Story(workshop, telling).Tell();
}

}  // namespace txvm::neural::questions

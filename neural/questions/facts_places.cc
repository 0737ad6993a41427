#include <algorithm>
#include <array>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "neural/questions/facts.h"

// Stories of one or two places and one or two kinds of what is there. As in facts.cc, places,
// kinds, events and question are drawn apart.

namespace txvm::neural::questions {
namespace {

constexpr std::size_t kMost = 2;  // places, and kinds

struct Place {
  std::string_view at, noun;  // "on", "the bus"
};

/// Two places that may hold the same, what, how all of it is called, and how it comes and leaves:
/// in the past, with many as its subject.
struct Topic {
  std::array<Place, kMost> places;
  std::array<std::string_view, 3> kinds;
  std::string_view all, come, leave;
  bool is_alive = true;  // else somebody puts and takes it
};

// clang-format off
constexpr std::array kTopics = {
    Topic{{{{"in", "the park"}, {"in", "the schoolyard"}}}, {"boys", "girls", "grown-ups"}, "people", "[came|showed up|arrived]", "[left|went home|walked away]"},
    Topic{{{{"on", "the bus"}, {"on", "the train"}}}, {"boys", "girls", "women"}, "people", "[got on|climbed on]", "[got off|stepped off]"},
    Topic{{{{"on", "the tram"}, {"on", "the ferry"}}}, {"men", "women", "children"}, "people", "[got on|came aboard]", "[got off|went ashore|left]"},
    Topic{{{{"in", "the classroom"}, {"in", "the gym"}}}, {"boys", "girls", "teachers"}, "people", "[entered|walked in|arrived]", "[left|went out|walked out]"},
    Topic{{{{"at", "the party"}, {"at", "the picnic"}}}, {"children", "adults", "neighbors"}, "people", "[came|arrived|turned up]", "[left|went home]"},
    Topic{{{{"at", "the pool"}, {"at", "the beach"}}}, {"boys", "girls", "lifeguards"}, "people", "[came|arrived|showed up]", "[left|went home|packed up]"},
    Topic{{{{"in", "the library"}, {"in", "the museum"}}}, {"students", "teachers", "visitors"}, "people", "[entered|walked in]", "[left|went out]"},
    Topic{{{{"in", "the restaurant"}, {"in", "the cafe"}}}, {"men", "women", "children"}, "people", "[entered|sat down to eat|arrived]", "[left|went home|paid and left]"},
    Topic{{{{"on", "the field"}, {"on", "the playground"}}}, {"runners", "soccer players", "coaches"}, "people", "[joined|came|ran in]", "[left|went home|ran off]"},
    Topic{{{{"at", "the pond"}, {"at", "the lake"}}}, {"ducks", "geese", "swans"}, "birds", "[came|flew in|landed]", "[flew away|flew off|swam away]"},
    Topic{{{{"in", "the oak tree"}, {"in", "the pine tree"}}}, {"sparrows", "robins", "crows"}, "birds", "[flew in|came|landed there]", "[flew away|flew off]"},
    Topic{{{{"on", "the fence"}, {"on", "the roof"}}}, {"pigeons", "blackbirds", "doves"}, "birds", "[landed there|came]", "[flew away|flew off|left]"},
    Topic{{{{"in", "the barn"}, {"in", "the stable"}}}, {"cows", "horses", "goats"}, "animals", "[trotted in|were led in]", "[ran out|walked out|were led out]"},
    Topic{{{{"in", "the meadow"}, {"in", "the pasture"}}}, {"sheep", "cows", "lambs"}, "animals", "[came|joined the herd|wandered in]", "[ran off|wandered off|left]"},
    Topic{{{{"in", "the aquarium"}, {"in", "the tank"}}}, {"goldfish", "snails", "crabs"}, "animals", "[were put there|were added]", "[were taken out|were moved elsewhere]"},
    Topic{{{{"in", "the garden"}, {"in", "the backyard"}}}, {"rabbits", "squirrels", "hedgehogs"}, "animals", "[came|hopped in|appeared]", "[ran away|ran off|disappeared]"},
    Topic{{{{"at", "the shelter"}, {"in", "the pet shop"}}}, {"kittens", "puppies", "rabbits"}, "animals", "[arrived|were brought in]", "[were adopted|found a home]"},
    Topic{{{{"on", "the flower bed"}, {"on", "the bush"}}}, {"bees", "butterflies", "ladybugs"}, "insects", "[landed there|flew in|came]", "[flew away|flew off]"},
    Topic{{{{"in", "the parking lot"}, {"in", "the garage"}}}, {"cars", "vans", "motorcycles"}, "vehicles", "[drove up|arrived|pulled in]", "[drove off|left|drove away]"},
    Topic{{{{"in", "the harbor"}, {"in", "the bay"}}}, {"sailboats", "fishing boats", "ferries"}, "boats", "[sailed up|arrived|appeared]", "[sailed away|left|set sail]"},
    Topic{{{{"at", "the airport"}, {"at", "the airfield"}}}, {"jets", "helicopters", "gliders"}, "aircraft", "[landed|arrived|flew in]", "[took off|flew away|left]"},
    Topic{{{{"at", "the station"}, {"at", "the depot"}}}, {"buses", "taxis", "trucks"}, "vehicles", "[arrived|pulled in|came]", "[drove off|left|pulled out]"},
    Topic{{{{"on", "the shelf"}, {"on", "the desk"}}}, {"novels", "comic books", "dictionaries"}, "books", "[were put there|were added]", "[were taken away|were borrowed|were removed]", false},
    Topic{{{{"in", "the pencil case"}, {"in", "the drawer"}}}, {"pens", "pencils", "crayons"}, "things", "[were put there|were added]", "[were taken out|were removed]", false},
    Topic{{{{"in", "the bowl"}, {"in", "the basket"}}}, {"apples", "oranges", "pears"}, "pieces of fruit", "[were put there|were added]", "[were taken out|were eaten]", false},
    Topic{{{{"in", "the fridge"}, {"in", "the cooler"}}}, {"bottles of water", "cans of soda", "jars of jam"}, "things", "[were put there|were added]", "[were taken out|were used up]", false},
    Topic{{{{"on", "the tray"}, {"on", "the plate"}}}, {"pretzels", "muffins", "brownies"}, "treats", "[were put there|were added]", "[were eaten|were taken away]", false},
    Topic{{{{"in", "the toy chest"}, {"in", "the closet"}}}, {"dolls", "toy cars", "puzzles"}, "toys", "[were put there|were added]", "[were taken out|were given away]", false},
    Topic{{{{"in", "the vase"}, {"in", "the bucket"}}}, {"roses", "tulips", "daisies"}, "flowers", "[were put there|were added]", "[were taken out|were thrown out]", false},
    Topic{{{{"in", "the warehouse"}, {"in", "the shop"}}}, {"lamps", "chairs", "mirrors"}, "items", "[were delivered|were brought in]", "[were sold|were carried out]", false},
    Topic{{{{"in", "the jar"}, {"in", "the bag"}}}, {"marbles", "buttons", "beads"}, "things", "[were put there|were added]", "[were taken out|were removed]", false},
    Topic{{{{"on", "the farm"}, {"in", "the nursery"}}}, {"pear trees", "plum trees", "cherry trees"}, "trees", "[were planted]", "[were cut down|were dug up|fell over]", false}};
// clang-format on

constexpr std::array kWholeScene = {PlotRow{Plot::kUsual, 60}, PlotRow{Plot::kHiddenStart, 22},
                                    PlotRow{Plot::kHiddenChange, 18}};
constexpr std::array kScene = {PlotRow{Plot::kUntoldStart, 50}, PlotRow{Plot::kUntoldChange, 25},
                               PlotRow{Plot::kUntoldBoth, 25}};

class Scene {
 public:
  Scene(const Workshop& workshop, Telling telling)
      : workshop_(workshop),
        random_(workshop.random),
        plot_(random_
                  .PickByWeight(telling == Telling::kWhole ? std::span<const PlotRow>(kWholeScene)
                                                           : std::span<const PlotRow>(kScene))
                  .plot),
        topic_(random_.Pick(std::span<const Topic>(kTopics))),
        places_(random_.Chance(35) ? kMost : 1),
        kinds_(random_.Chance(places_ == 1 ? 55 : 20) ? kMost : 1) {
    const std::size_t kind = random_.Below(topic_.kinds.size());
    const std::size_t other = (kind + 1 + random_.Below(2)) % topic_.kinds.size();
    names_ = {topic_.kinds[kind], topic_.kinds[other]};
    if (random_.Chance(50)) std::swap(where_[0], where_[1]);
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
    constexpr int kOfPlot = 10, kOfScenes = 100;  // following those of facts.cc
    return kOfScenes + kOfPlot * static_cast<int>(plot_) +
           static_cast<int>(places_ * kMost + kinds_);
  }

  struct About {
    std::size_t place = 0, kind = 0;
    bool operator==(const About&) const = default;
  };
  struct Changes {
    std::string gained, lost;
  };

  About Any() { return {random_.Below(places_), random_.Below(kinds_)}; }
  std::string& Quantity(About about) { return quantities_[about.place][about.kind]; }
  bool IsPlain() const { return places_ == 1 && kinds_ == 1; }
  std::string Noun(std::size_t place) const {
    return std::string(topic_.places[where_[place]].noun);
  }
  std::string Where(std::size_t place) const {
    return std::string(topic_.places[where_[place]].at) + " " + Noun(place);
  }

  char Say(std::string_view rule, About about, std::size_t numbers) {
    std::string text(workshop_.PickText(rule));
    const std::string here = Where(about.place), there = Where(1 - about.place);
    const std::string from = Noun(about.place), to = Noun(1 - about.place);
    const auto is_child = [](std::string_view name) { return name == "boys" || name == "girls"; };
    const std::string_view all =
        std::ranges::all_of(names_, is_child) ? std::string_view("children") : topic_.all;
    // An event and the question for it use the same words.
    if (come_.empty()) come_ = OneOf(topic_.come), leave_ = OneOf(topic_.leave);
    const std::array<Opening, 9> open = {Opening{"%W", here},
                                         {"%X", there},
                                         {"%F", from},
                                         {"%G", to},
                                         {"%T", names_[about.kind]},
                                         {"%U", names_[1 - about.kind]},
                                         {"%S", all},
                                         {"%A", come_},
                                         {"%L", leave_}};
    return AppendFilled(workshop_, std::move(text), open, numbers, draft_);
  }
  std::string OneOf(std::string_view group) {
    const auto parts = Alternatives(group.substr(1, group.size() - 2));
    return std::string(random_.Pick(std::span<const std::string_view>(parts)));
  }

  void TellFacts() {
    std::vector<About> left;
    for (std::size_t p = 0; p < places_; ++p) {
      for (std::size_t k = 0; k < kinds_; ++k) left.push_back({p, k});
    }
    if (random_.Chance(40)) random_.Shuffle(left);
    while (!left.empty()) {
      const About about = left.front();
      left.erase(left.begin());
      if (about == hidden_) {
        Quantity(about) = Unsaid();
        if (is_mentioned_) Say("place_some", about, 0);
        continue;
      }
      const auto other = std::ranges::find_if(left, [&](About next) {
        return next != hidden_ && (next.place == about.place || next.kind == about.kind);
      });
      if (other == left.end() || random_.Chance(35)) {
        Quantity(about) = std::string(1, Say("place_fact", about, 1));
        continue;
      }
      const char a = Say(other->kind == about.kind ? "place_pair" : "place_both", about, 2);
      Quantity(about) = std::string(1, a);
      Quantity(*other) = std::string(1, static_cast<char>(a + 1));
      left.erase(other);
    }
  }

  void TellEvent(About about, bool may_move) {
    const bool is_in = random_.Chance(45);
    const std::string_view kind = topic_.is_alive ? "" : "_thing";
    if (places_ == kMost) {
      if (may_move && random_.Chance(30)) {
        const std::string x(1, Say("place_move" + std::string(kind), about, 1));
        Change(about, false, x);
        Change({1 - about.place, about.kind}, true, x);
        is_moved_ = true;
      } else {
        const std::string rule = is_in ? "place_come_there" : "place_leave_there";
        Change(about, is_in, std::string(1, Say(rule, about, 1)));
      }
      return;
    }
    if (random_.Chance(18)) {  // two in one sentence
      TellTwoEvents(about);
      return;
    }
    const bool is_put = !topic_.is_alive && random_.Chance(40);
    const std::string rule = std::string(is_in ? "place_come" : "place_leave") +
                             (is_put                                                      ? "_thing"
                              : IsPlain() && !draft_.marked.empty() && random_.Chance(30) ? "_it"
                                                                                          : "");
    Change(about, is_in, std::string(1, Say(rule, about, 1)));
  }

  void TellTwoEvents(About about) {
    if (kinds_ == 1) {
      const char first = Say("place_two", about, 2);
      Change(about, false, std::string(1, first));
      Change(about, true, std::string(1, static_cast<char>(first + 1)));
      return;
    }
    const bool is_in = random_.Chance(50), other_in = random_.Chance(50);
    const std::string rule =
        std::string("place_kinds_") + (is_in ? "c" : "l") + (other_in ? "c" : "l");
    const char first = Say(rule, about, 2);
    Change(about, is_in, std::string(1, first));
    Change({about.place, 1 - about.kind}, other_in, std::string(1, static_cast<char>(first + 1)));
  }

  void Change(About about, bool is_in, const std::string& by) {
    Quantity(about) += (is_in ? " + " : " - ") + by;
    Changes& changes = changes_[about.place][about.kind];
    std::string& terms = is_in ? changes.gained : changes.lost;
    terms += (terms.empty() ? "" : " + ") + by;
    if (!is_in) Require("(" + Quantity(about) + ") > 0");
    has_left_ = !is_in;
    last_ = about;
  }

  void TellUsual() {
    TellFacts();
    const std::size_t events = (IsPlain() ? 1 : 0) + random_.Below(IsPlain() ? 2 : 3);
    for (std::size_t i = 0; i < events; ++i) TellEvent(Any(), true);
    Ask(last_ && random_.Chance(50) ? *last_ : Any());
  }

  void TellHiddenStart() {
    const About about = Hide(random_.Chance(70));
    TellFacts();
    if (random_.Chance(20)) TellEvent(Any(), false);
    if (changes_[about.place][about.kind].lost.empty()) TellEvent(about, false);
    const std::string end = TellEnd(about);
    Say("place_ask_start", about, 0);
    const auto& [gained, lost] = changes_[about.place][about.kind];
    asked_ = end;
    if (!lost.empty()) asked_ += " + " + lost;
    if (!gained.empty()) asked_ += " - (" + gained + ")";
  }

  void TellHiddenChange() {
    TellFacts();
    const About about = Any();
    if (random_.Chance(20)) TellEvent(Any(), false);
    // What else came or left would be asked for, too.
    const auto& [gained, lost] = changes_[about.place][about.kind];
    if (!gained.empty() || !lost.empty()) return;
    const std::string before = Quantity(about);
    const bool is_in = TellVague(about);
    const std::string end = TellEnd(about);
    AskVague(about, is_in);
    asked_ = is_in ? end + " - (" + before + ")" : before + " - " + end;
  }

  std::optional<Draft> TellUntold() {
    if (plot_ == Plot::kUntoldStart) {
      const About about = Hide(random_.Chance(60));
      TellFacts();
      if (IsPlain() || random_.Chance(60)) TellEvent(about, true);
      Ask(about);
    } else {
      const bool has_end = plot_ == Plot::kUntoldBoth;
      const About about = has_end ? Hide(true) : Any();
      TellFacts();
      const bool is_in = TellVague(about);
      if (has_end) TellEnd(about);
      if (random_.Chance(50)) {
        AskVague(about, is_in);
      } else {
        Say(has_end ? "place_ask_start" : "place_ask_now", about, 0);
      }
    }
    SetMissing(Phrasing(), draft_);
    return std::move(draft_);
  }

  About Hide(bool is_mentioned) {
    hidden_ = Any();
    is_mentioned_ = is_mentioned;
    return *hidden_;
  }
  /// A number that is drawn and never said.
  std::string Unsaid() { return std::string(1, static_cast<char>('a' + draft_.next_variable++)); }

  /// Some come, or some leave: which of them.
  bool TellVague(About about) {
    const bool is_in = random_.Chance(45);
    vague_there_ = places_ == kMost;
    Say(std::string(is_in ? "place_vague_come" : "place_vague_leave") +
            (vague_there_ ? "_there" : ""),
        about, 0);
    Quantity(about) += (is_in ? " + " : " - ") + Unsaid();
    has_left_ = !is_in;
    last_ = about;
    return is_in;
  }
  void AskVague(About about, bool is_in) {
    Say(std::string(is_in ? "place_ask_come" : "place_ask_leave") + (vague_there_ ? "_there" : ""),
        about, 0);
  }

  std::string TellEnd(About about) {
    const bool is_left = has_left_ && last_ == about && random_.Chance(50);
    std::string end(1, Say(is_left ? "place_end_left" : "place_end_now", about, 1));
    Require(end + "=" + Quantity(about));
    Require(end + " > 1");  // its noun is a plural
    return end;
  }

  void Ask(About about) {
    const std::size_t kind = random_.Below(3);
    const std::string mine = Quantity(about);
    if (kind == 0 && places_ == kMost && !(is_moved_ && plot_ == Plot::kUsual)) {
      AskBetween("places", about, mine, Quantity({1 - about.place, about.kind}));
    } else if (kind <= 1 && kinds_ == kMost) {
      AskBetween("kinds", about, mine, Quantity({about.place, 1 - about.kind}));
    } else {
      const bool is_left = has_left_ && last_ == about && random_.Chance(60);
      Say(is_left ? "place_ask_left" : "place_ask_now", about, 0);
      asked_ = mine;
    }
  }

  void AskBetween(const std::string& what, About about, const std::string& mine,
                  const std::string& others) {
    const std::size_t kind = random_.Below(3);
    if (kind == 0) {
      Say("place_all_" + what, about, 0);
      asked_ = mine + " + (" + others + ")";
      return;
    }
    const bool is_more = kind == 1;
    Say((is_more ? "place_more_" : "place_fewer_") + what, about, 0);
    const std::string& larger = is_more ? mine : others;
    const std::string& smaller = is_more ? others : mine;
    asked_ = Excess(larger, smaller, draft_);
  }

  void Require(const std::string& condition) { draft_.specification.Add(condition); }

  const Workshop& workshop_;
  Random& random_;
  Plot plot_;
  const Topic& topic_;
  std::size_t places_, kinds_;
  std::array<std::string_view, kMost> names_;
  std::array<std::size_t, kMost> where_ = {0, 1};
  std::string come_, leave_;
  std::array<std::array<std::string, kMost>, kMost> quantities_;
  std::array<std::array<Changes, kMost>, kMost> changes_;
  std::optional<About> hidden_, last_;
  bool is_mentioned_ = false, has_left_ = false, is_moved_ = false, vague_there_ = false;
  std::string asked_;
  Draft draft_;
};

}  // namespace

std::optional<Draft> DraftPlaces(const Workshop& workshop, Telling telling) {
  return Scene(workshop, telling).Tell();
}

}  // namespace txvm::neural::questions

#include <algorithm>
#include <array>
#include <string>
#include <utility>
#include <vector>

#include "neural/questions/draft.h"
#include "neural/questions/letters.h"

// Stories with numbers that are not needed. A plan has several amounts and several questions, each
// of which needs some of them, so that what one question needs another does not. The scene, the
// question, what is told besides and where it stands are drawn apart. A third of the stories tell
// nothing but what is needed, so that the number of numbers gives nothing away.

namespace txvm::neural::questions {
namespace {

constexpr std::size_t kMost = 6;  // amounts of a plan

/// An amount, in the programs A, B, ... by its place. Its clause is of a rule, or the scene's own
/// where that is a letter.
struct Part {
  std::string_view rule;
  char of_class = 'm';
  char when = 0;        // the scene's filling for %o
  bool floats = false;  // may also stand after all others
};

struct Asked {
  std::string_view rule, program;
  std::string_view condition = {};
  std::string_view told = {};      // what the words of the question lean on besides
  std::string_view not_told = {};  // what would change the answer or contradict it
  std::string_view products = {};  // "AB": A is a multiple of B
  unsigned weight = 10;
};

struct Plan {
  std::string_view scenes;
  std::span<const Part> parts;
  std::span<const Asked> asked;
  std::string_view always;  // conditions, of which those hold that are of what is told
  bool is_in_order;         // a clause may lean on those before it
  unsigned weight;
};

constexpr std::array kSlotParts = {Part{"slot_one", 'm', 'x'},   Part{"slot_one", 'm', 'y'},
                                   Part{"slot_one", 'm', 'z'},   Part{"slot_kind", 'm', 'x'},
                                   Part{"slot_rival", 'm', 'x'}, Part{"slot_rival", 'm', 'y'}};
constexpr std::array kSlotAsked = {
    Asked{.rule = "slot_more", .program = "A - B", .condition = "A > B", .weight = 14},
    Asked{.rule = "slot_fewer", .program = "A - B", .condition = "A > B"},
    Asked{.rule = "slot_two", .program = "A + B", .weight = 12},
    Asked{.rule = "slot_all", .program = "A + B", .not_told = "C"},
    Asked{.rule = "slot_all", .program = "A + B + C"},
    Asked{.rule = "slot_pair", .program = "A + B - C", .condition = "A + B > C", .weight = 12},
    Asked{.rule = "slot_kinds", .program = "A + D"},
    Asked{.rule = "slot_above", .program = "A - D", .condition = "A > D"},
    Asked{.rule = "slot_ahead", .program = "A - E", .condition = "A > E"},
    Asked{.rule = "slot_behind", .program = "E - A", .condition = "E > A"},
    Asked{.rule = "slot_both", .program = "A + E"}};

constexpr std::array kChangeParts = {
    Part{"s"}, Part{"v", 't', 0, true}, Part{"o", 'm', 0, true}, Part{"e"}, Part{"f"}, Part{"n"}};
constexpr std::array kLossAsked = {
    Asked{.rule = "change_between", .program = "A - D", .told = "E", .not_told = "F", .weight = 16},
    Asked{.rule = "change_one", .program = "A - D", .not_told = "EF"},
    Asked{.rule = "change_end", .program = "A - D - E", .not_told = "F", .weight = 12},
    Asked{.rule = "change_gone", .program = "D + E", .not_told = "F", .weight = 12},
    Asked{.rule = "change_went", .program = "A - F", .not_told = "DE", .weight = 8},
    Asked{.rule = "change_start", .program = "D + F", .not_told = "ABE", .weight = 8},
    Asked{.rule = "change_start", .program = "D + E + F", .not_told = "AB", .weight = 8},
    Asked{.rule = "change_rival", .program = "A - C", .condition = "A > C", .not_told = "F"}};
constexpr std::array kGainAsked = {
    Asked{.rule = "change_between", .program = "A + D", .told = "E", .not_told = "F", .weight = 16},
    Asked{.rule = "change_one", .program = "A + D", .not_told = "EF"},
    Asked{.rule = "change_end", .program = "A + D - E", .not_told = "F", .weight = 14},
    Asked{.rule = "change_went", .program = "F - A", .not_told = "DE"},
    Asked{.rule = "change_start", .program = "F - D", .not_told = "ABE", .weight = 8},
    Asked{.rule = "change_start", .program = "F + E - D", .not_told = "AB", .weight = 8},
    Asked{.rule = "change_rival", .program = "A - C", .condition = "A > C", .not_told = "F"}};

constexpr std::array kPartParts = {Part{"part_whole"}, Part{"part_some"}, Part{"part_few"},
                                   Part{"part_place", 'm', 0, true},
                                   Part{"part_other", 't', 0, true}};
constexpr std::array kPartAsked = {
    Asked{.rule = "part_rest", .program = "A - B", .weight = 14},
    Asked{.rule = "part_without", .program = "B - C", .weight = 14},
    Asked{.rule = "part_places", .program = "A + D"},
    Asked{.rule = "part_apart", .program = "A - D", .condition = "A > D"},
    Asked{.rule = "part_kinds", .program = "A + E"}};

constexpr std::array kGroupParts = {Part{"s", 's'}, Part{"t", 't'}, Part{"m", 's'},
                                    Part{"l", 't', 0, true}, Part{"p", 's', 0, true}};
constexpr std::array kGroupAsked = {
    Asked{.rule = "group_all", .program = "A * B", .weight = 14},
    Asked{.rule = "group_loose", .program = "A * B + D", .weight = 12},
    Asked{.rule = "group_kind", .program = "A * C"},
    Asked{.rule = "group_money", .program = "A * E"},
    Asked{.rule = "group_each", .program = "B + C"},
    Asked{.rule = "group_above", .program = "B - C", .condition = "B > C"}};

constexpr std::array kShareParts = {Part{"share_all"}, Part{"share_kind"}, Part{"share_over", 's'},
                                    Part{"share_portion", 's'}};
constexpr std::array kShareAsked = {
    Asked{
        .rule = "share_each", .program = "A / C", .not_told = "D", .products = "AC", .weight = 18},
    Asked{.rule = "share_other", .program = "B / C", .not_told = "D", .products = "BC"},
    Asked{.rule = "share_mixed", .program = "(A + B) / C", .not_told = "D", .products = "ACBC"},
    Asked{.rule = "share_sum", .program = "A + B", .not_told = "D"},
    Asked{.rule = "share_above", .program = "A - B", .condition = "A > B", .not_told = "D"},
    Asked{.rule = "share_count", .program = "A / D", .not_told = "C", .products = "AD"}};

constexpr std::array kPriceParts = {Part{"price_first", 't'}, Part{"price_second", 't'},
                                    Part{"price_count", 's'}, Part{"price_other", 's'},
                                    Part{"price_purse", 'l'}};
constexpr std::array kPriceAsked = {
    Asked{.rule = "price_ask_first", .program = "A * C", .weight = 14},
    Asked{.rule = "price_ask_second", .program = "B * D", .weight = 14},
    Asked{.rule = "price_ask_bill", .program = "A * C + B * D"},
    Asked{.rule = "price_ask_count", .program = "C + D", .weight = 12},
    Asked{.rule = "price_ask_more", .program = "C - D", .condition = "C > D"},
    Asked{.rule = "price_ask_dearer", .program = "A - B", .condition = "A > B"},
    Asked{.rule = "price_ask_pair", .program = "A + B"},
    Asked{.rule = "price_ask_left", .program = "E - A * C", .condition = "E > A * C"}};

constexpr std::array kRateParts = {Part{"a", 't'}, Part{"t", 's'}, Part{"y"}, Part{"d", 't'},
                                   Part{"w", 't'}};
constexpr std::array kRateAsked = {
    Asked{.rule = "rate_all", .program = "A * B", .weight = 16},
    Asked{.rule = "rate_both", .program = "A * B + C"},
    Asked{.rule = "rate_more", .program = "A * B - C", .condition = "A * B > C"},
    Asked{.rule = "rate_rival", .program = "A - D", .condition = "A > D", .weight = 12}};

constexpr std::array kGridParts = {Part{"a", 'g', '1'}, Part{"b", 'g', '1'}, Part{"A", 'm', '2'},
                                   Part{"B", 'm', '2'}};
constexpr std::array kGridAsked = {
    Asked{.rule = "grid_more", .program = "A - B", .condition = "A > B"},
    Asked{.rule = "grid_fewer", .program = "A - B", .condition = "A > B"},
    Asked{.rule = "grid_sum", .program = "A + B"},
    Asked{.rule = "grid_other_more", .program = "C - D", .condition = "C > D"},
    Asked{.rule = "grid_other_sum", .program = "C + D"}};

constexpr std::array kPlans = {
    Plan{"slot", kSlotParts, kSlotAsked, "", false, 34},
    Plan{"loss", kChangeParts, kLossAsked, "A > D; A > E; A > D + E; A > F", true, 16},
    Plan{"gain", kChangeParts, kGainAsked, "A > E; F > A; F > D; F + E > D", true, 12},
    Plan{"part", kPartParts, kPartAsked, "A > B; B > C; A > C", true, 14},
    Plan{"share", kShareParts, kShareAsked, "", true, 11},
    Plan{"price", kPriceParts, kPriceAsked, "E > A * C; E > B * D; E > A * C + B * D", false, 14},
    Plan{"group", kGroupParts, kGroupAsked, "", true, 14},
    Plan{"rate", kRateParts, kRateAsked, "", true, 12},
    Plan{"grid", kGridParts, kGridAsked, "", false, 12}};
constexpr std::size_t kSeenPlans = 6;

/// What nothing ever asks for.
struct Aside {
  std::string_view rule;
  char of_class;
};
constexpr std::array kAsides = {Aside{"unneeded_age", 'g'}, Aside{"unneeded_people", 't'},
                                Aside{"unneeded_time", 'g'}, Aside{"unneeded_measure", 'g'},
                                Aside{"unneeded_money", 't'}};

class Teller {
 public:
  explicit Teller(const Workshop& workshop)
      : workshop_(workshop),
        random_(workshop.random),
        plan_(random_.PickByWeight(workshop.OfSplit(std::span<const Plan>(kPlans), kSeenPlans))),
        asked_(random_.PickByWeight(plan_.asked)) {
    ChooseScene();
  }

  std::optional<Draft> Tell() {
    ChooseTold();
    for (const std::size_t part : order_) part < kMost ? TellPart(part) : TellAside();
    Ask();
    if (is_stuck_) return std::nullopt;
    Condition();
    constexpr int kPhrasings = 400;  // following those of other stories
    const auto plan = &plan_ - kPlans.data(), asked = &asked_ - plan_.asked.data();
    constexpr int kOfPlan = 20;
    return Composed(workshop_, letters_.PutInto(asked_.program),
                    kPhrasings + kOfPlan * static_cast<int>(plan) + static_cast<int>(asked),
                    std::move(draft_));
  }

 private:
  void ChooseScene() {
    const std::string_view scene = workshop_.PickScene("unneeded_scene_", plan_.scenes);
    for (const std::string_view item : Parts(scene, "; "))
      fillings_.push_back({item[0], item.substr(2)});
    if (plan_.scenes != "slot") return;
    // Any of the times and places may be the one that is asked for.
    std::vector<std::string_view> when = {Filling('x'), Filling('y'), Filling('z')};
    random_.Shuffle(when);
    for (auto& [key, by] : fillings_) {
      if (key >= 'x' && key <= 'z') by = when[static_cast<std::size_t>(key - 'x')];
    }
  }
  std::string_view Filling(char key) const {
    const auto found = std::ranges::find(fillings_, key, [](const auto& f) { return f.first; });
    if (found != fillings_.end()) return found->second;
    return key == 'X' ? Filling('x') : std::string_view{};
  }

  /// What the question needs and some more, in the order in which it is told.
  void ChooseTold() {
    std::vector<std::size_t> spare;
    std::size_t needed = 0;
    for (std::size_t i = 0; i < plan_.parts.size(); ++i) {
      const char letter = static_cast<char>('A' + i);
      const auto is_in = [letter](std::string_view list) {
        return list.find(letter) != std::string_view::npos;
      };
      if (is_in(asked_.program) || is_in(asked_.told)) {
        order_.push_back(i);
        needed += is_in(asked_.program) ? 1 : 0;
      } else if (!is_in(asked_.not_told)) {
        spare.push_back(i);
      }
    }
    random_.Shuffle(spare);
    const bool has_many = needed > 2;
    std::size_t more = random_.Chance(has_many ? 45 : 22) ? 0 : random_.Chance(60) ? 1 : 2;
    if (more > 0 && random_.Chance(17)) {
      --more;
      is_inside_ = true;
    }
    const bool has_aside = more > 0 && random_.Chance(22);
    if (has_aside) --more;
    for (std::size_t i = 0; i < std::min(more, spare.size()); ++i) order_.push_back(spare[i]);
    if (plan_.is_in_order) {
      std::ranges::sort(order_);
      std::ranges::stable_partition(order_, [&](std::size_t part) {
        return !plan_.parts[part].floats || random_.Chance(60);
      });
    } else {
      random_.Shuffle(order_);
    }
    if (!has_aside) return;
    // Between the others only where none leans on those before it.
    const std::size_t last = order_.size();
    const std::size_t at = random_.Chance(35)                        ? 0
                           : plan_.is_in_order || random_.Chance(50) ? last
                                                                     : random_.Below(last + 1);
    order_.insert(order_.begin() + static_cast<std::ptrdiff_t>(at), kMost);
  }

  void TellPart(std::size_t i) {
    const Part& part = plan_.parts[i];
    const std::string_view own = part.rule.size() == 1 ? Filling(part.rule[0]) : "";
    const std::string text(own.empty() ? Pick(part.rule) : own);
    const bool is_when = !own.empty() || part.when == 0;
    const char letter = Say(Replaced(text, "%o", is_when ? "" : Filling(part.when)), true);
    letters_.Set(static_cast<char>('A' + i), letter);
    const std::string_view other = part.when != 0 ? Filling(part.when) : "";
    SetClass(letter, !own.empty() && !other.empty() ? other[0] : part.of_class);
  }
  void TellAside() {
    const Aside& aside = random_.Pick(std::span<const Aside>(kAsides));
    SetClass(Say(std::string(Pick(aside.rule)), true), aside.of_class);
  }
  void Ask() {
    std::string text(Pick(asked_.rule));
    if (is_inside_ && text.starts_with("how ")) {
      text = std::string(Pick("unneeded_inside")) + text;
    } else {
      is_inside_ = false;
    }
    const char number = Say(std::move(text), false);
    if (is_inside_) SetClass(number, 'g');
  }

  std::string_view Pick(std::string_view rule) { return workshop_.PickText(std::string(rule)); }

  /// Appends a clause or the question; returns the letter of its number.
  char Say(std::string text, bool is_clause) {
    for (const auto& [key, by] : fillings_) {
      text = Replaced(text, std::string("%") + key, by);
    }
    text = Replaced(Replaced(text, "%X", Filling('x')), "%M", "{M}");
    PutPerson(text);
    // What the scene lacks cannot be told or asked.
    is_stuck_ = is_stuck_ || text.find('%') != std::string::npos || text.empty();
    if (is_stuck_) return 'a';
    if (!draft_.marked.empty()) {
      const bool is_joined = is_clause && !was_joined_ && random_.Chance(38);
      constexpr std::array<std::string_view, 4> kJoints = {", and", ", and", " and", ";"};
      draft_.marked += is_joined ? kJoints[random_.Below(kJoints.size())] : ".";
      was_joined_ = is_joined;
    }
    const bool has_number =
        text.find("{a}") != std::string::npos || text.find("{$a}") != std::string::npos;
    return AppendFilled(workshop_, std::move(text), {}, has_number ? 1 : 0, draft_);
  }
  /// A name, or he and she where nobody else was spoken of since.
  void PutPerson(std::string& text) {
    const bool is_other =
        text.find("{M") != std::string::npos || text.find("{K") != std::string::npos;
    const std::size_t at = text.find("%P");
    if (at != std::string::npos) {
      const bool is_known = is_last_ && random_.Chance(60);
      text.replace(at, 2, is_known ? "{he}" : "{N}");
      is_last_ = true;
    }
    text = Replaced(Replaced(text, "%P", "{he}"), "%h", "{he}");
    if (text.find("{N") != std::string::npos) is_last_ = true;
    if (is_other) is_last_ = false;
  }

  void Condition() {
    for (const std::string_view condition : Parts(plan_.always, "; ")) {
      letters_.Require(condition, draft_);
    }
    letters_.Require(asked_.condition, draft_);
    for (std::size_t i = 0; i + 1 < asked_.products.size(); i += 2) {
      const std::string hidden(1, static_cast<char>('a' + draft_.next_variable++));
      SetClass(hidden[0], 't');
      const std::string_view pair = asked_.products.substr(i, 2);
      draft_.specification.Add(letters_.PutInto(pair.substr(0, 1)) + "=" +
                               letters_.PutInto(pair.substr(1)) + "*" + hidden);
    }
  }
  void SetClass(char letter, char of_class) {
    draft_.specification.Add(std::string(1, letter) + ":" + of_class);
  }

  const Workshop& workshop_;
  Random& random_;
  const Plan& plan_;
  const Asked& asked_;
  std::vector<std::pair<char, std::string_view>> fillings_;
  std::vector<std::size_t> order_;  // kMost stands for an aside
  Letters letters_;                 // of the amounts that are told
  bool is_inside_ = false;          // the question has a number that it does not need
  bool is_last_ = false;            // the person is the last that was spoken of
  bool was_joined_ = false, is_stuck_ = false;
  Draft draft_;
};

}  // namespace

std::optional<Draft> DraftUnneeded(const Workshop& workshop) { return Teller(workshop).Tell(); }

}  // namespace txvm::neural::questions

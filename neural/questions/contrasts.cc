#include <algorithm>
#include <array>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "isa/support/result.h"
#include "neural/questions/draft.h"
#include "neural/questions/letters.h"

// One story, many questions. A story has more amounts than any of its questions needs, most of them
// of the same things, so that no noun and no unit says which are wanted. What is asked, what is
// told besides, in which order and with which asides, and where the question stands are drawn
// apart. One in eight tells nothing but what is needed.

namespace txvm::neural::questions {
namespace {

constexpr char kAside = '+';

/// "Of I", "the class of you": a text has a name where I and you have another form. Of each such
/// pair only the first that begins so is looked at: "of Ida and of I" passes.
bool HasWrongCase(std::string_view marked, std::string_view subject) {
  constexpr std::array<std::string_view, 17> kBefore = {
      "of",      "for",  "to",     "from",    "by",     "with",  "gave", "took",   "brought",
      "carried", "cost", "behind", "between", "around", "given", "beat", "reached"};
  const std::size_t kinds = subject == "I" ? kBefore.size() : 1;
  return std::ranges::any_of(std::span(kBefore).first(kinds), [&](std::string_view before) {
    const std::string pair = " " + std::string(before) + " " + std::string(subject);
    const std::size_t at = (" " + std::string(marked)).find(pair);
    return at != std::string::npos &&
           (at - 1 + pair.size() >= marked.size() || !IsLetter(marked[at - 1 + pair.size()]));
  });
}

bool Has(std::string_view list, char c) { return list.find(c) != std::string_view::npos; }

class Teller {
 public:
  explicit Teller(const Workshop& workshop)
      : workshop_(workshop),
        random_(workshop.random),
        story_(random_.Pick(std::span<const Contrasts::Story>(workshop.bank.contrasts().stories))) {
  }

  std::optional<Draft> Tell() {
    ChooseAsked();
    ChooseTold();
    if (!ChoosePlaces()) return std::nullopt;
    for (std::size_t i = 0; i < order_.size();) {
      if (i == question_at_) Ask();
      i += order_[i] == kAside ? TellAside() : TellTogether(i);
    }
    if (question_at_ >= order_.size()) Ask();
    draft_.marked += end_;
    // "They" are not two where a third person is; "I, who was 9" is no English.
    const std::vector<std::string> unusual = workshop_.expander.UnusualSubjects();
    if (!unusual.empty() &&
        (has_other_ || has_hook_ || HasWrongCase(draft_.marked, unusual.front()))) {
      return std::nullopt;
    }
    Condition();
    return Composed(workshop_, letters_.PutInto(program_),
                    kContrastPhrasings + question_.front().number, std::move(draft_));
  }

 private:
  /// One of the story's programs, all alike, and with it the texts that ask for it.
  void ChooseAsked() {
    const std::span<const Contrasts::Ask> asks = workshop_.bank.contrasts().asks;
    std::vector<std::span<const Contrasts::Ask>> groups;
    for (std::size_t i = 0; i < asks.size();) {
      std::size_t end = i + 1;
      const auto is_same = [&](const Contrasts::Ask& row) {
        return row.story == asks[i].story && row.asked == asks[i].asked;
      };
      while (end < asks.size() && is_same(asks[end])) ++end;
      if (asks[i].story == story_.name) {
        groups.push_back(asks.subspan(i, end - i));
      }
      i = end;
    }
    question_ = random_.Pick(std::span<const std::span<const Contrasts::Ask>>(groups));
    const std::string_view asked = question_.front().asked;
    program_ = asked.substr(0, asked.find_first_of("!&^"));
    for (const char mark : {'!', '&', '^'}) {
      const std::size_t at = asked.find(mark);
      if (at == std::string_view::npos) continue;
      std::string_view list = asked.substr(at + 1);
      list = list.substr(0, list.find_first_of("!&^"));
      (mark == '!' ? untold_ : mark == '&' ? besides_ : may_be_ahead_) = list;
    }
    std::vector<std::string_view> texts;
    for (const Contrasts::Ask& row : question_) texts.push_back(row.text);
    ask_ = std::string(workshop_.expander.PickText(texts));
  }

  /// What the question needs and some more.
  void ChooseTold() {
    std::string spare;
    for (std::size_t i = 0; i < story_.amounts.size(); i += 4) {
      const char amount = story_.amounts[i];
      if (Has(program_, amount) || Has(besides_, amount)) {
        told_ += amount;
      } else if (!Has(untold_, amount)) {
        spare += amount;
      }
    }
    if (random_.Chance(12)) return;
    random_.Shuffle(spare);
    const std::size_t most = told_.size() < 2 ? 4 : 3;
    std::size_t more = 1 + random_.Below(most);
    const auto takes = [&](unsigned percent) {
      const bool is_taken = more > 0 && random_.Chance(percent);
      more -= is_taken ? 1 : 0;
      return is_taken;
    };
    has_aside_ = takes(14);
    has_hook_ = takes(9);
    has_preface_ = takes(8);
    for (const char amount : spare.substr(0, std::min(more, spare.size()))) {
      if (Has(story_.apart, amount) && told_.find_first_of(story_.apart) != std::string::npos) {
        continue;
      }
      told_ += amount;
    }
    if (spare.empty()) has_aside_ = true;
  }

  /// The order of what is told and where the question stands; false where it would not be clear.
  bool ChoosePlaces() {
    std::string bound, loose;
    for (const char amount : told_) (Has(story_.order, amount) ? bound : loose) += amount;
    std::ranges::sort(bound, {}, [&](char amount) { return story_.order.find(amount); });
    random_.Shuffle(loose);
    constexpr std::size_t kFirst = 14, kMiddle = 20;
    const std::size_t draw = random_.Below(100);
    const bool has_pronoun =
        ask_.find("{he") != std::string::npos || ask_.find("{hi") != std::string::npos;
    if (draw >= kMiddle) ChooseAhead(bound);
    // After the question only what stands anywhere and is not needed.
    std::string behind;
    if (draw >= kFirst && draw < kMiddle) {
      for (const char amount : loose) behind += Has(program_, amount) ? "" : std::string(1, amount);
      std::erase_if(loose, [&](char amount) { return Has(behind, amount); });
    }
    order_ = bound;
    for (const char amount : loose) {
      order_.insert(order_.begin() + static_cast<std::ptrdiff_t>(random_.Below(order_.size() + 1)),
                    amount);
    }
    if (has_aside_) {
      const std::size_t at = random_.Chance(40) ? 0 : random_.Below(order_.size() + 1);
      order_.insert(order_.begin() + static_cast<std::ptrdiff_t>(at), kAside);
    }
    question_at_ = draw < kFirst && !has_pronoun ? 0 : order_.size();
    order_ += behind;
    return !order_.empty();
  }
  /// The last amount told with the question: "after he had sold 5 cups, how many ..."
  void ChooseAhead(std::string& bound) {
    if (bound.size() < 2 || !ask_.starts_with("how ") || !random_.Chance(30)) return;
    if (!Has(may_be_ahead_, bound.back())) return;
    std::vector<std::string_view> texts;
    for (const Contrasts::Fact& row : workshop_.bank.contrasts().ahead) {
      if (row.story == story_.name && row.amount == bound.back()) texts.push_back(row.text);
    }
    if (texts.empty()) return;
    ahead_ = workshop_.expander.PickText(texts);
    // "After Ann lost 5 cups, how many cups did she have?"
    if (ahead_.find("%P") != std::string::npos && ask_.find("{M") == std::string::npos) {
      constexpr std::string_view kPerson = "{N}";
      ask_ = Replaced(ask_, "did " + std::string(kPerson) + " ", "did {he} ");
    }
    ahead_amount_ = bound.back();
    bound.pop_back();
    has_preface_ = false;
  }

  /// Several amounts in a clause, where there is one that tells those next in the order.
  std::size_t TellTogether(std::size_t from) {
    const std::size_t until = from < question_at_ ? question_at_ : order_.size();
    const std::string_view next = std::string_view(order_).substr(from, until - from);
    std::string_view amounts;
    std::vector<std::string_view> texts;
    for (const Contrasts::Together& row : workshop_.bank.contrasts().together) {
      if (row.story != story_.name || !next.starts_with(row.amounts)) continue;
      if (row.amounts.size() > amounts.size()) texts.clear();
      if (row.amounts.size() < amounts.size()) continue;
      amounts = row.amounts;
      texts.push_back(row.text);
    }
    if (texts.empty() || random_.Chance(35)) {
      TellFact(order_[from], from == 0);
      return 1;
    }
    std::string text(workshop_.expander.PickText(texts));
    char letter = Say(std::move(text), true, amounts.size());
    for (const char amount : amounts) SetLetter(amount, letter++);
    return amounts.size();
  }
  void TellFact(char amount, bool is_first) {
    std::vector<std::string_view> texts;
    for (const Contrasts::Fact& row : workshop_.bank.contrasts().facts) {
      if (row.story == story_.name && row.amount == amount) texts.push_back(row.text);
    }
    std::string text(workshop_.expander.PickText(texts));
    char hook_class = 0;
    if (has_hook_ && is_first && question_at_ > 0 && text.starts_with("%P ")) {
      const Contrasts::Aside& hook = PickAside(workshop_.bank.contrasts().hooks);
      text = std::string(hook.text) + text.substr(2);
      hook_class = hook.of_class;
    } else if (is_first) {
      has_hook_ = false;
    }
    const char letter = Say(std::move(text), true, hook_class != 0 ? 2 : 1);
    SetLetter(amount, letter);
    if (hook_class != 0) SetClass(static_cast<char>(letter + 1), hook_class);
  }
  std::size_t TellAside() {
    const Contrasts::Aside& aside = PickAside(workshop_.bank.contrasts().asides);
    SetClass(Say(std::string(aside.text), true, 1), aside.of_class);
    return 1;
  }
  void Ask() {
    std::string text = ask_;
    const bool is_how = text.starts_with("how ");
    if (ahead_amount_ != 0) {
      SetLetter(ahead_amount_, Say(ahead_ + text, false, 1));
    } else if (has_preface_ && is_how) {
      const Contrasts::Aside& preface = PickAside(workshop_.bank.contrasts().prefaces);
      SetClass(Say(std::string(preface.text) + text, false, 1), preface.of_class);
    } else {
      Say(std::move(text), false, 0);
    }
  }
  const Contrasts::Aside& PickAside(std::span<const Contrasts::Aside> rows) {
    std::vector<std::string_view> texts;
    for (const Contrasts::Aside& row : rows) texts.push_back(row.text);
    return *std::ranges::find(rows, workshop_.expander.PickText(texts), &Contrasts::Aside::text);
  }

  /// Appends a clause or the question; returns the letter of its first number.
  char Say(std::string text, bool is_clause, std::size_t numbers) {
    const bool is_other = PutPerson(text);
    if (!draft_.marked.empty()) {
      const bool is_joined = is_clause && !was_joined_ && end_ == "." && random_.Chance(35);
      constexpr std::array<std::string_view, 7> kJoints = {", and", ", and",   " and",     ";",
                                                           ", but", ", while", ", whereas"};
      constexpr std::size_t kOfOnePerson = kJoints.size() - 2;
      const std::size_t joints = is_other && is_clause ? kJoints.size() : kOfOnePerson;
      draft_.marked += is_joined ? kJoints[random_.Below(joints)] : end_;
      was_joined_ = is_joined;
    }
    end_ = ".";
    if (text.ends_with('?') || text.ends_with('.')) {
      end_ = text.substr(text.size() - 1);
      text.pop_back();
    }
    return AppendFilled(workshop_, std::move(text), {}, numbers, draft_);
  }
  /// A name, or he and she where nobody else was spoken of since. Whether somebody else is in it.
  bool PutPerson(std::string& text) {
    const bool is_other =
        text.find("{M") != std::string::npos || text.find("{K") != std::string::npos;
    has_other_ = has_other_ || is_other;
    const std::size_t at = text.find("%P");
    if (at != std::string::npos) {
      text.replace(at, 2, is_last_ && random_.Chance(60) ? "{he}" : "{N}");
      is_last_ = true;
    }
    text = Replaced(text, "%P", is_other ? "{N}" : "{he}");
    if (text.find("{N") != std::string::npos) is_last_ = true;
    if (is_other) is_last_ = false;
    return is_other;
  }

  void Condition() {
    for (const std::string_view condition : Parts(story_.conditions, "; ")) {
      letters_.Require(condition, draft_);
    }
    // A quotient comes out even and shares more than there are portions.
    const std::size_t at = program_.find(" / ");
    if (at == std::string_view::npos) return;
    std::string whole(program_.substr(0, at));
    const std::string by(program_.substr(at + 3));
    if (whole.front() != '(') whole = "(" + whole + ")";
    letters_.Require(whole + " mod " + by + " == 0", draft_);
    letters_.Require(whole + " > " + by, draft_);
  }
  void SetLetter(char amount, char letter) {
    const std::size_t at = story_.amounts.find(amount);
    TXVM_ASSERT(at != std::string_view::npos);
    letters_.Set(amount, letter);
    SetClass(letter, story_.amounts[at + 2]);
  }
  void SetClass(char letter, char of_class) {
    draft_.specification.Add(std::string(1, letter) + ":" + of_class);
  }

  const Workshop& workshop_;
  Random& random_;
  const Contrasts::Story& story_;
  std::span<const Contrasts::Ask> question_;
  std::string_view program_, untold_, besides_, may_be_ahead_;
  std::string ask_, ahead_;
  std::string told_, order_;  // the amounts; kAside stands for an aside
  Letters letters_;
  std::size_t question_at_ = 0;
  char ahead_amount_ = 0;
  std::string end_;
  bool has_aside_ = false, has_hook_ = false, has_preface_ = false;
  bool is_last_ = false;    // the person is the last that was spoken of
  bool has_other_ = false;  // somebody else is in it
  bool was_joined_ = false;
  Draft draft_;
};

}  // namespace

std::optional<Draft> DraftContrast(const Workshop& workshop) { return Teller(workshop).Tell(); }

}  // namespace txvm::neural::questions

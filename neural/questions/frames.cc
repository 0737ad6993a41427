#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "isa/support/result.h"
#include "neural/questions/draft.h"
#include "neural/questions/rows.h"

namespace txvm::neural::questions {
namespace {

constexpr std::size_t kListFirst = 26;  // variables of a list's elements
constexpr std::size_t kListMost = 32;

// Rows as of rows.h.
#define TXVM_FRAME(family, program, specification, text) \
#family "\0" program "\0" specification "\0" text "\0"
constexpr char kPlainRows[] =
#include "neural/questions/frames_change.def"
#include "neural/questions/frames_combine.def"
#include "neural/questions/frames_compare.def"
#include "neural/questions/frames_core.def"
#include "neural/questions/frames_groups.def"
#include "neural/questions/frames_money.def"
#include "neural/questions/frames_near_change.def"
#include "neural/questions/frames_rate.def"
#include "neural/questions/frames_simple.def"
#include "neural/questions/frames_terse.def"
#include "neural/questions/frames_two_step.def"
#include "neural/questions/frames_verbs.def"
    ;
constexpr char kOtherRows[] =
#include "neural/questions/frames_abstain.def"
#include "neural/questions/frames_amounts.def"
#include "neural/questions/frames_answerable.def"
#include "neural/questions/frames_asked.def"
#include "neural/questions/frames_beyond.def"
#include "neural/questions/frames_broad_values.def"
#include "neural/questions/frames_chains.def"
#include "neural/questions/frames_choices.def"
#include "neural/questions/frames_choose.def"
#include "neural/questions/frames_choose_more.def"
#include "neural/questions/frames_classroom.def"
#include "neural/questions/frames_classroom_more.def"
#include "neural/questions/frames_crowds.def"
#include "neural/questions/frames_daily.def"
#include "neural/questions/frames_daily_more.def"
#include "neural/questions/frames_detail.def"
#include "neural/questions/frames_errands.def"
#include "neural/questions/frames_errands_more.def"
#include "neural/questions/frames_everyday.def"
#include "neural/questions/frames_expressions.def"
#include "neural/questions/frames_extra.def"
#include "neural/questions/frames_formal.def"
#include "neural/questions/frames_formal_more.def"
#include "neural/questions/frames_fresh_abstain.def"
#include "neural/questions/frames_fresh_commands.def"
#include "neural/questions/frames_fresh_extra.def"
#include "neural/questions/frames_fresh_extra_more.def"
#include "neural/questions/frames_fresh_formal.def"
#include "neural/questions/frames_fresh_relations.def"
#include "neural/questions/frames_fresh_values.def"
#include "neural/questions/frames_functions.def"
#include "neural/questions/frames_household.def"
#include "neural/questions/frames_ignore.def"
#include "neural/questions/frames_ignore_more.def"
#include "neural/questions/frames_kitchen.def"
#include "neural/questions/frames_lists.def"
#include "neural/questions/frames_market.def"
#include "neural/questions/frames_market_more.def"
#include "neural/questions/frames_more.def"
#include "neural/questions/frames_named.def"
#include "neural/questions/frames_near_decisions.def"
#include "neural/questions/frames_near_everyday.def"
#include "neural/questions/frames_near_fractions.def"
#include "neural/questions/frames_near_functions.def"
#include "neural/questions/frames_near_leftovers.def"
#include "neural/questions/frames_near_unneeded.def"
#include "neural/questions/frames_near_values.def"
#include "neural/questions/frames_nested.def"
#include "neural/questions/frames_nested_more.def"
#include "neural/questions/frames_open_chains.def"
#include "neural/questions/frames_open_daily.def"
#include "neural/questions/frames_open_decisions.def"
#include "neural/questions/frames_open_formal.def"
#include "neural/questions/frames_open_live.def"
#include "neural/questions/frames_open_missing.def"
#include "neural/questions/frames_open_ratios.def"
#include "neural/questions/frames_open_refusals.def"
#include "neural/questions/frames_open_stories.def"
#include "neural/questions/frames_open_twice.def"
#include "neural/questions/frames_outdoors.def"
#include "neural/questions/frames_outdoors_more.def"
#include "neural/questions/frames_paired.def"
#include "neural/questions/frames_parts.def"
#include "neural/questions/frames_phrases.def"
#include "neural/questions/frames_phrases_more.def"
#include "neural/questions/frames_plain.def"
#include "neural/questions/frames_plain_more.def"
#include "neural/questions/frames_quantities.def"
#include "neural/questions/frames_refusals.def"
#include "neural/questions/frames_relation.def"
#include "neural/questions/frames_relation_more.def"
#include "neural/questions/frames_school.def"
#include "neural/questions/frames_series.def"
#include "neural/questions/frames_series_more.def"
#include "neural/questions/frames_shareout.def"
#include "neural/questions/frames_shareout_more.def"
#include "neural/questions/frames_shares.def"
#include "neural/questions/frames_short.def"
#include "neural/questions/frames_short_more.def"
#include "neural/questions/frames_silent.def"
#include "neural/questions/frames_steps.def"
#include "neural/questions/frames_steps_more.def"
#include "neural/questions/frames_trade.def"
#include "neural/questions/frames_travel.def"
#include "neural/questions/frames_unasked.def"
#include "neural/questions/frames_variants.def"
#include "neural/questions/frames_wide_extra.def"
#include "neural/questions/frames_wide_live.def"
#include "neural/questions/frames_wide_ranges.def"
#include "neural/questions/frames_wide_refusals.def"
#include "neural/questions/frames_withheld.def"
#include "neural/questions/frames_wordings.def"
#include "neural/questions/frames_wordings_more.def"
#include "neural/questions/frames_world.def"
    ;
#undef TXVM_FRAME

std::vector<Frame> ReadRows() {
  // Behind the last row, there is the 0 that ends every literal.
  constexpr std::string_view kPlain(kPlainRows, sizeof kPlainRows - 1);
  constexpr std::string_view kOther(kOtherRows, sizeof kOtherRows - 1);
  std::map<std::string, int> schemas;
  std::vector<Frame> frames;
  for (std::string_view rows : {kPlain, kOther}) {
    const bool is_plain = rows.data() == kPlain.data();
    while (!rows.empty()) {
      const std::optional<Family> family = FindFamily(TakeField(rows));
      TXVM_ASSERT(family);
      Frame& frame = frames.emplace_back(
          Frame{*family, TakeField(rows), TakeField(rows), TakeField(rows), is_plain});
      frame.is_held_out = IsHeldOut(frame.text);
      const std::string key = std::string(FamilyName(frame.family)) + "|" +
                              std::string(frame.program) + "|" + std::string(frame.specification);
      frame.schema = schemas.emplace(key, static_cast<int>(schemas.size())).first->second;
    }
  }
  return frames;
}

/// One more than the highest variable below the lists'.
std::size_t NextVariable(std::uint64_t variables) {
  std::size_t next = 0;
  for (std::size_t v = 0; v < kListFirst; ++v) {
    if ((variables >> v & 1) != 0) next = v + 1;
  }
  return next;
}

std::size_t ListLength(Random& random) {
  constexpr std::int64_t kUsual = 8;
  constexpr std::int64_t kLong = 16;
  if (random.Chance(60)) return static_cast<std::size_t>(random.Between(3, kUsual));
  if (random.Chance(60)) return static_cast<std::size_t>(random.Between(kUsual, kLong));
  return static_cast<std::size_t>(random.Between(kLong, kListMost));
}

/// "3, 5, and 8" and its like, as marks.
/// With blanks alone, a minus would be taken for an operator.
std::string ListText(std::size_t length, bool may_be_negative, Random& random) {
  const std::size_t style = random.Below(may_be_negative ? 5 : 6);
  std::string out;
  for (std::size_t i = 0; i < length; ++i) {
    if (i > 0) {
      const bool is_last = i + 1 == length;
      if (style == 5) {
        out += " ";
      } else if (is_last && style < 4) {
        out += style == 0 && length > 2 ? ", and " : " and ";
      } else {
        out += ", ";
      }
    }
    out += kNumberMark;
    out += static_cast<char>('0' + kListFirst + i);
  }
  return out;
}

}  // namespace

const std::vector<Frame>& Frames() {
  static const std::vector<Frame> frames = ReadRows();
  return frames;
}

std::uint64_t VariablesOfText(std::string_view marked) {
  std::uint64_t bits = 0;
  for (std::size_t i = 0; i + 1 < marked.size(); ++i) {
    if (marked[i] == kNumberMark || marked[i] == kMoneyMark || marked[i] == kPercentMark) {
      bits |= std::uint64_t{1} << static_cast<std::size_t>(marked[i + 1] - '0');
    }
  }
  return bits;
}

std::optional<Draft> DraftFrame(const Workshop& workshop, const Frame& frame) {
  Draft draft;
  draft.schema = frame.schema;
  draft.phrasing = static_cast<int>(&frame - Frames().data());
  draft.is_held_out = frame.is_held_out;
  draft.marked = workshop.expander.Expand(frame.text);
  if (frame.program.starts_with('?')) {
    draft.abstention = frame.program;
  } else {
    draft.program = ParseProgram(frame.program);
  }
  draft.specification.Add(frame.specification);
  const bool is_story = frame.family < Family::kCommand || frame.family == Family::kLive;
  draft.order = is_story ? Order::kStory : Order::kFormula;
  draft.next_variable = NextVariable(VariablesOfText(draft.marked));
  return draft;
}

// The list stands for L in the program: "sum [L]". Its elements are variables of their own.
std::optional<Draft> DraftList(const Workshop& workshop, const Frame& frame) {
  Random& random = workshop.random;
  Draft draft;
  draft.schema = frame.schema;
  draft.phrasing = static_cast<int>(&frame - Frames().data());
  draft.is_held_out = frame.is_held_out;
  draft.order = Order::kFormula;
  const std::size_t length = ListLength(random);
  std::vector<Expr> elements;
  constexpr std::array<char, 4> kElementClasses = {'m', 'z', 'l', 'i'};
  const char element_class =
      random.Chance(8) ? 'd' : random.Pick(std::span<const char>(kElementClasses));
  for (std::size_t i = 0; i < length; ++i) {
    elements.push_back(Variable(kListFirst + i));
    draft.specification.classes[kListFirst + i] = element_class;
  }
  // Put in after expansion: the marks of many variables would look like the template's language.
  constexpr std::string_view kListMark = "\x08";
  draft.marked = workshop.expander.Expand(Replaced(frame.text, "{LIST}", kListMark));
  draft.marked = Replaced(draft.marked, kListMark, ListText(length, element_class == 'i', random));
  draft.program = ParseProgram(Replaced(frame.program, "[L]", "[]"));
  Expr* list = &draft.program.result;
  while (list->op != Op::kList && !list->args.empty()) list = &list->args[0];
  list->args = std::move(elements);
  draft.specification.Add(frame.specification);
  draft.next_variable = NextVariable(VariablesOfText(draft.marked));
  return draft;
}

namespace {

/// Whether a sentence would give a story's own quantity a second value.
bool Clashes(std::string_view sentence, std::string_view story) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 3> kSame = {
      {{"degrees", "degrees"}, {"years old", " old"}, {" tall", " tall"}}};
  return std::ranges::any_of(kSame, [&](const auto& words) {
    return sentence.find(words.first) != std::string_view::npos &&
           story.find(words.second) != std::string_view::npos;
  });
}

}  // namespace

// Between two sentences, so that the story around it stays whole.
void AddDistractor(const Workshop& workshop, Draft& draft) {
  // What is said of him or her needs one.
  const bool has_person = workshop.expander.HasPerson('N') && workshop.random.Chance(60);
  const std::vector<std::string_view>& texts =
      workshop.rules.Texts(has_person ? "distract_person" : "distract");
  constexpr int kTries = 8;
  std::string_view text = workshop.expander.PickText(texts);
  for (int i = 0; i < kTries && Clashes(text, draft.marked); ++i) {
    text = workshop.expander.PickText(texts);
  }
  const std::string sentence = workshop.expander.Expand(text, draft.next_variable);
  std::vector<std::size_t> places = {0};
  for (std::size_t at = 0; (at = draft.marked.find(". ", at)) != std::string::npos; at += 2) {
    const std::string_view before = std::string_view(draft.marked).substr(0, at);
    const bool is_title =
        before.ends_with("Mr") || before.ends_with("Mrs") || before.ends_with("Ms");
    if (!is_title) places.push_back(at + 2);
  }
  // A pronoun needs its person before it; only the first place has none.
  const std::size_t place = places.size() > 1 && workshop.random.Chance(85)
                                ? places[1 + workshop.random.Below(places.size() - 1)]
                                : places[0];
  draft.marked.insert(place, sentence + " ");
  const std::uint64_t added = VariablesOfText(sentence) & ~(std::uint64_t{1} << kOneVariable);
  while (added >> draft.next_variable != 0) ++draft.next_variable;
}

}  // namespace txvm::neural::questions

#include <algorithm>
#include <array>
#include <cstddef>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "isa/support/result.h"
#include "neural/questions/draft.h"

// Drafts from the sentences of a file as they stand: those of families, lists, composed stories (a
// start, events and a question) and stories that ask nothing, whose outcome is understood.

namespace txvm::neural::questions {

namespace {

constexpr std::size_t kListFirst = 26;  // variables of a list's elements
constexpr std::size_t kListMost = 32;

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
  draft.phrasing = frame.phrasing;
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
  draft.phrasing = frame.phrasing;
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
      workshop.bank.rules().Texts(has_person ? "distract_person" : "distract");
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

namespace {

constexpr std::size_t kMostEvents = 3;
constexpr std::size_t kTwo = 2, kFour = 4;

const Step& Draw(Stage stage, const Workshop& workshop) {
  while (true) {
    const Step& row = workshop.random.Pick(workshop.bank.steps());
    if (row.stage == stage) return row;
  }
}

/// Start, one to three events and a question.
std::vector<const Step*> DrawRows(const Workshop& workshop) {
  std::vector<const Step*> rows = {&Draw(Stage::kStart, workshop)};
  const std::size_t events = workshop.random.Below(kMostEvents + 1);
  for (std::size_t i = 0; i < events; ++i) {
    const Step& event = Draw(Stage::kEvent, workshop);
    if (event.text != rows.back()->text) rows.push_back(&event);
  }
  rows.push_back(&Draw(Stage::kAsk, workshop));
  return rows;
}

/// How many numbers a step brings.
std::size_t VariablesIn(std::string_view program) {
  std::uint64_t bits = VariablesOf(ParseProgram(program)) & ~(std::uint64_t{1} << ('v' - 'a'));
  std::size_t count = 0;
  while (bits >> count != 0) ++count;
  return count;
}

bool IsWanted(std::size_t steps, bool is_held_out, const Workshop& workshop) {
  const GeneratorOptions& options = workshop.options;
  const bool is_evaluating = options.split == Split::kHeldOut;
  if (is_evaluating && options.axis == Axis::kCompositions) return steps == kTwo && is_held_out;
  if (is_evaluating && options.axis == Axis::kLength) return steps > kTwo && is_held_out;
  if (is_held_out) return false;
  // Two steps are what most people ask.
  return steps == kTwo || (steps == 1 && workshop.random.Chance(20)) ||
         (steps > kTwo && workshop.random.Chance(50));
}

}  // namespace

std::optional<Draft> DraftComposed(const Workshop& workshop) {
  const std::vector<const Step*> rows = DrawRows(workshop);
  Draft draft;
  std::string key;
  Expr quantity;
  for (const Step* row : rows) {
    key += std::string(row->name) + " ";
    const Program moved = Moved(row->program, draft.next_variable, &quantity);
    draft.specification.Add(row->specification, draft.next_variable, &quantity);
    quantity = moved.result;
    draft.next_variable += VariablesIn(row->program);
  }
  draft.program.result = quantity;
  const std::size_t steps = Steps(draft.program);
  draft.is_held_out = steps >= kTwo && IsHeldOut(key);
  if (steps == 0 || steps > kFour || !IsWanted(steps, draft.is_held_out, workshop)) {
    return std::nullopt;
  }
  std::size_t variable = 0;
  for (const Step* row : rows) {
    if (!draft.marked.empty()) draft.marked += " ";
    draft.marked += workshop.expander.Expand(row->text, variable);
    variable += VariablesIn(row->program);
  }

  draft.schema = kFirstComposition + static_cast<int>(HashText(key) % kCompositionSchemas);
  draft.phrasing = rows.back()->number + kFirstComposition;
  return draft;
}

std::optional<Draft> DraftImplied(const Workshop& workshop) {
  const Implied& row = workshop.random.Pick(workshop.bank.implied());
  Draft draft;
  draft.specification.Add(row.specification);
  constexpr std::size_t kUnsaid = 3;  // beyond the variables of all rows
  draft.next_variable = kUnsaid;
  draft.marked = workshop.expander.Expand(row.text, 0);
  const auto phrasing = kImpliedPhrasings + row.number;
  return Composed(workshop, std::string(row.program), phrasing, std::move(draft));
}

}  // namespace txvm::neural::questions

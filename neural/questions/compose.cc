#include <algorithm>
#include <utility>

#include "neural/questions/draft.h"

namespace txvm::neural::questions {
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

}  // namespace txvm::neural::questions

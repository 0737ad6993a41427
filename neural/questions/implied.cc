#include <array>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "neural/questions/draft.h"

// People who tell a start and a change often ask nothing: what comes of it is understood.

namespace txvm::neural::questions {
std::optional<Draft> DraftImplied(const Workshop& workshop) {
  const Implied& row = workshop.random.Pick(workshop.bank.implied());
  Draft draft;
  draft.specification.Add(row.specification);
  constexpr std::size_t kUnsaid = 3;  // behind the variables of all rows
  draft.next_variable = kUnsaid;
  draft.marked = workshop.expander.Expand(row.text, 0);
  const auto phrasing = kImpliedPhrasings + row.number;
  return Composed(workshop, std::string(row.program), phrasing, std::move(draft));
}

}  // namespace txvm::neural::questions

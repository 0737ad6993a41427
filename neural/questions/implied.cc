#include <array>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "neural/questions/draft.h"

// People who tell a start and a change often ask nothing: what comes of it is understood.

namespace txvm::neural::questions {
namespace {

struct ImpliedRow {
  std::string_view program, specification, text;
};

constexpr std::array kImplied = {
#define TXVM_IMPLIED(program, specification, text) ImpliedRow{program, specification, text},
#include "neural/questions/implied.def"
#undef TXVM_IMPLIED
};

}  // namespace

std::optional<Draft> DraftImplied(const Workshop& workshop) {
  const ImpliedRow& row = workshop.random.Pick(std::span<const ImpliedRow>(kImplied));
  Draft draft;
  draft.specification.Add(row.specification);
  constexpr std::size_t kUnsaid = 3;  // behind the variables of all rows
  draft.next_variable = kUnsaid;
  draft.marked = workshop.expander.Expand(row.text, 0);
  const auto phrasing = kImpliedPhrasings + static_cast<int>(&row - kImplied.data());
  return Composed(workshop, std::string(row.program), phrasing, std::move(draft));
}

}  // namespace txvm::neural::questions

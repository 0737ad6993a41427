// Stories of places that hold something, as facts.cc tells those of people.
#pragma once

#include <optional>

#include "neural/questions/draft.h"

namespace txvm::neural::questions {

/// One or two places and one or two kinds that are in them, come and leave
/// (rules_facts_places.def).
std::optional<Draft> DraftPlaces(const Workshop& workshop, Telling telling);

}  // namespace txvm::neural::questions

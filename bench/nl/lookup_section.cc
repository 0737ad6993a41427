// Questions that only looking up answers.
// Declared in bench/nl/evaluation.h.
#include <fmt/format.h>

#include "bench/nl/evaluation.h"
#include "bench/nl/lookups.h"

namespace txvm::bench::nl {

isa::Result<void> RunLookups(Evaluation& evaluation) {
  Table table{"", {"asked for", "by chance", "right", "95 %"}, {}};
  for (const LookupSet& lookup :
       LookupSets(evaluation.options.lookup_items, evaluation.options.seed)) {
    const ItemSet& set = lookup.set;
    Tally right;
    for (const bool is_right : RightOnes(set.items, evaluation.pool.Answer(set.items, set.name))) {
      right.Count(is_right);
    }
    table.rows.push_back({set.name, fmt::format("{:.0f}", 100 * lookup.by_chance), ShareText(right),
                          IntervalText(right)});
    evaluation.report.Figure("lookups/" + set.name, right);
  }
  evaluation.report.Add(
      {"Looking up",
       {"Several quantities, one of them asked for. Nothing in the wording tells which, so "
        "picking one without looking is right by chance, in per cent. Fixed sentences, drawn "
        "names, things and numbers."},
       {std::move(table)}});
  return {};
}

}  // namespace txvm::bench::nl

// Questions by what their program is made of: nested expressions, ranges, lists, temporaries...
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "bench/nl/items.h"
#include "neural/questions/bank.h"
#include "neural/questions/generator.h"

namespace txvm::bench::nl {

struct ConstructDraw {
  std::uint64_t seed = 0;  // of the generator
  neural::questions::Axis axis = neural::questions::Axis::kTemplates;
  std::size_t items = 500;       // of each construct
  std::uint64_t most_tries = 0;  // examples of a family looked at for each
};

/// A set for every construct of the canonical language, named after it: held-out questions of the
/// axis, `templates` for texts that training never has, `none` for its own. Sets are smaller where
/// `most_tries` held too few.
std::vector<ItemSet> DrawConstructs(const neural::questions::QuestionBank& bank,
                                    const ConstructDraw& options);

}  // namespace txvm::bench::nl

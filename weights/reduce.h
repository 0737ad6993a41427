// Taking away what cannot matter: the simplification that program specialisation uses.
#pragma once

#include "weights/model.h"

namespace txvm::weights {

/// The model without units that never open or whose product reaches nothing, weights on lanes that
/// are always 0, values and heads nobody reads, lanes nobody needs and layers left empty. Every
/// pass of a state token yields what it yielded before as long as the lanes stay within their
/// declared ranges, which is what decides that a unit never opens; a lane declared 0..0 loses its
/// writers. Cost: a few passes over the non-zeros. Deterministic; Reduce(Reduce(m)) == Reduce(m).
Model Reduce(Model model);

}  // namespace txvm::weights

// A pass in words: what every head looked for and found, and what the layers made of it.
#pragma once

#include <string>

#include "weights/reference.h"

namespace txvm::weights {

/// The pass that took `before` to `output`, as lines of text: the state, each head's query, winner,
/// score and margin, the decoder's signals, the lanes that decided, the next state and the writes.
/// `model` has just run Forward(before) on the tokens of `program`. Deterministic.
std::string ExplainPass(const Model& weights, const ReferenceModel& model,
                        const isa::Program& program, const StateRecord& before,
                        const PassOutput& output);

/// The numbers of each head's matrices: which lanes a query, a key and a value read.
std::string ExplainHeads(const Model& weights);

}  // namespace txvm::weights

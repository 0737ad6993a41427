// Exhaustive checks of the weights' circuits: every byte-level circuit over all its inputs.
//
// A pass is given its registers and the tokens its heads find, so that one instruction is computed
// from chosen operands; what it yields is compared with isa/word_ops.h.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "vm/engines/hull_model.h"

namespace txvm::vm {

/// One circuit, over the inputs its name says.
struct CircuitCheck {
  std::string name;
  std::uint64_t cases = 0;
  std::uint64_t failures = 0;
  std::string first_failure;  // empty when there is none
};

/// Checks `model` laid out as `hull`. `stride` 1 takes every input; n takes one in n of the long
/// enumerations, for quick runs. About 10 million passes, 20 s, with stride 1. Deterministic.
std::vector<CircuitCheck> ProveCircuits(const weights::Model& model,
                                        std::shared_ptr<const HullModel> hull,
                                        std::uint32_t stride);

}  // namespace txvm::vm

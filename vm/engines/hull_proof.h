// Checks of the weights' circuits by enumeration: the decoder, counters and addresses, the 32-bit
// arithmetic, division, and which operands an opcode may have.
//
// A pass is given its registers and the tokens its heads find, so that one instruction is computed
// from chosen operands; what it yields is compared with isa/word_ops.h. Enumerated are bytes, not
// words: each byte (or pair of bytes) at each place with what can come in from the others, as the
// check's name says. That all words follow is the argument of docs/NUMERICS.md. Not enumerated, but
// run in random programs: the bounds of memory and of the stacks, the addresses of locals, the
// signs of narrow loads, calls and what only moves values.
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

/// Checks `model` laid out as `hull`. `stride` 1 takes every input the names say; n takes one in n
/// of the long enumerations, for quick runs. 13 million passes, 20 s, with stride 1, a few inputs
/// more than once. Deterministic.
std::vector<CircuitCheck> ProveCircuits(const weights::Model& model,
                                        std::shared_ptr<const HullModel> hull,
                                        std::uint32_t stride);

}  // namespace txvm::vm

// What plain C++, lane by lane, and the processor's own vectors say a routine on vectors results
// in.
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "isa/vector_routine.h"

namespace txvm::assembler {

/// A vector by its words, the lowest lane first.
using VectorWords = std::array<std::uint32_t, 4>;

/// The operands of one call: vectors, and the count of a shift.
struct VectorOperands {
  std::array<VectorWords, 3> vectors{};
  std::uint32_t count = 0;
};

/// The result by plain C++, NaNs canonical; of a test or bitmask in the first word, the rest 0.
VectorWords LaneByLane(const isa::VectorRoutine& row, const VectorOperands& operands);

/// The result by the processor's instruction for it, NaNs canonical; nullopt: this processor has
/// none, or none alone.
std::optional<VectorWords> OfProcessor(const isa::VectorRoutine& row,
                                       const VectorOperands& operands);

/// Bits of a lane of the operands, and whether they are floats.
struct LaneKind {
  unsigned bits = 32;
  bool is_float = false;
  friend bool operator==(const LaneKind&, const LaneKind&) = default;
};
LaneKind OperandLanes(const isa::VectorRoutine& row);

}  // namespace txvm::assembler

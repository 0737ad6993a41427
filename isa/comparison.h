// Comparisons of words, one with another.
#pragma once

#include "isa/opcode.h"

namespace txvm::isa {

/// The comparison of the same order without signs: what a signed one is on words with the top bit
/// flipped, and on the low words of numbers of two words. Any other opcode is itself.
constexpr Opcode UnsignedOf(Opcode opcode) {
  switch (opcode) {
    case Opcode::kLtS:
      return Opcode::kLtU;
    case Opcode::kGtS:
      return Opcode::kGtU;
    case Opcode::kLeS:
      return Opcode::kLeU;
    case Opcode::kGeS:
      return Opcode::kGeU;
    default:
      return opcode;
  }
}

}  // namespace txvm::isa

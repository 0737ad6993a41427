// What a pure opcode on partly known operands comes to.
#pragma once

#include <cstdint>
#include <optional>

#include "isa/opcode.h"
#include "isa/word_ops.h"
#include "vm/folded/flow.h"

namespace txvm::vm::folded {

struct PatternOperand {
  std::uint32_t value = kNone;
  std::optional<isa::Word> constant;  // its word, if it is known
};

/// opcode(a, b, c). An operand without a value is a new constant.
struct Pattern {
  isa::Opcode opcode = isa::Opcode::kNop;
  PatternOperand a, b, c;
};

struct Simplified {
  enum class Kind : std::uint8_t { kConstant, kOperand, kPattern };
  Kind kind = Kind::kPattern;
  isa::Word constant = 0;
  std::uint32_t operand = kNone;
  Pattern pattern;
};

/// Computes opcodes on constants by isa/word_ops.h, drops neutral operands, and puts a constant of
/// a commutative opcode last. SUB of a constant becomes ADD, EQ with 0 becomes EQZ.
Simplified Simplify(const Pattern& pattern);

/// The quotient or remainder of constants; nullopt when one is unknown or it traps.
std::optional<isa::Word> FoldDivision(isa::Opcode opcode, std::optional<isa::Word> a,
                                      std::optional<isa::Word> b);

/// The comparison that is true when this one is false; nullopt for other opcodes and EQZ.
std::optional<isa::Opcode> Opposite(isa::Opcode opcode);

/// Whether opcode(a, b) = opcode(b, a).
bool IsCommutative(isa::Opcode opcode);

/// The value of a pure opcode on words. REQUIRES: a class of arithmetic, comparison, bits or
/// shift, or SELECT.
isa::Word Evaluate(isa::Opcode opcode, isa::Word a, isa::Word b, isa::Word c);

}  // namespace txvm::vm::folded

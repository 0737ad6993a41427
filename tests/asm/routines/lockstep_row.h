// One opcode on whole rows of cells.
#pragma once

#include <cstddef>

#include "isa/opcode.h"
#include "isa/word_ops.h"

namespace txvm::assembler {

/// out[i] = op(a[i]) for CLZ, CTZ, POPCNT, EQZ, NEG, ABS. False for other opcodes.
bool RowOfOne(isa::Opcode op, const isa::Word* a, isa::Word* out, std::size_t lanes);
/// out[i] = op(a[i], b[i]) for the opcodes with two operands and one result. False for others.
/// REQUIRES: no b[i] is 0 in a division, and no quotient overflows.
bool RowOfTwo(isa::Opcode op, const isa::Word* a, const isa::Word* b, isa::Word* out,
              std::size_t lanes);
/// out[i] = c[i] != 0 ? a[i] : b[i].
void RowOfSelect(const isa::Word* a, const isa::Word* b, const isa::Word* c, isa::Word* out,
                 std::size_t lanes);
/// Whether any of the lanes holds `value`.
bool RowHas(const isa::Word* a, isa::Word value, std::size_t lanes);

}  // namespace txvm::assembler

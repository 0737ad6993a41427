// Integer lanes of at most 32 bits, one after the other and all of a word at once.
// Declared in asm/routines/vectors/lanes.h.
#include <optional>

#include "asm/routines/vectors/lanes.h"

namespace txvm::assembler {
namespace {

using isa::Opcode;
using isa::VectorOperation;
using isa::VectorRoutine;
using isa::Word;

/// The opcode of a comparison; nullopt: it is none.
std::optional<Opcode> Comparison(VectorOperation operation, bool is_signed) {
  switch (operation) {
    case VectorOperation::kEq:
      return Opcode::kEq;
    case VectorOperation::kNe:
      return Opcode::kNe;
    case VectorOperation::kLt:
      return is_signed ? Opcode::kLtS : Opcode::kLtU;
    case VectorOperation::kGt:
      return is_signed ? Opcode::kGtS : Opcode::kGtU;
    case VectorOperation::kLe:
      return is_signed ? Opcode::kLeS : Opcode::kLeU;
    case VectorOperation::kGe:
      return is_signed ? Opcode::kGeS : Opcode::kGeU;
    default:
      return std::nullopt;
  }
}

Cell Smaller(Cell a, Cell b, bool is_signed) {
  return Select(Operate(is_signed ? Opcode::kLtS : Opcode::kLtU, a, b), a, b);
}

Cell Larger(Cell a, Cell b, bool is_signed) {
  return Select(Operate(is_signed ? Opcode::kGtS : Opcode::kGtU, a, b), a, b);
}

/// A lane's result as a word, its operands extended; bits beyond the lane mean nothing.
std::optional<Cell> OnWords(const VectorRoutine& row, Cell a, Cell b) {
  const Word half = 1u << (row.bits - 1), full = row.bits == kWordBits ? ~0u : 2 * half - 1;
  switch (row.operation) {
    case VectorOperation::kAdd:
      return a + b;
    case VectorOperation::kSub:
      return a - b;
    case VectorOperation::kMul:
      return a * b;
    case VectorOperation::kMin:
      return Smaller(a, b, row.is_signed);
    case VectorOperation::kMax:
      return Larger(a, b, row.is_signed);
    case VectorOperation::kAvgr:
      return (a + b + 1u) >> 1;
    case VectorOperation::kAddSat:
      return row.is_signed ? Clamp(a + b, 0u - half, half - 1)
                           : Smaller(a + b, Constant(*a.graph, full), false);
    case VectorOperation::kSubSat:
      return row.is_signed ? Clamp(a - b, 0u - half, half - 1)
                           : Larger(a - b, Constant(*a.graph, 0), true);
    case VectorOperation::kQ15Mulr: {
      constexpr Word kRound = 0x4000, kShift = 15, kMax = 0x7FFF;
      const Cell product = Operate(Opcode::kShrS, a * b + kRound, kShift);
      return Smaller(product, Constant(*a.graph, kMax), true);
    }
    default:
      return std::nullopt;
  }
}

/// Lane i at the top of a word, the rest 0: such words compare as the lanes do.
Cell AtTop(Lanes lanes, Cell cell, unsigned i) {
  const unsigned above = kWordBits - lanes.bits * (i + 1);
  const Cell moved = cell << above;
  return i == 0 ? moved : moved & (lanes.Full() << (kWordBits - lanes.bits));
}

Cell CompareCell(const VectorRoutine& row, Opcode op, Cell a, Cell b) {
  const Lanes lanes{row.bits, row.is_signed};
  if (row.bits == kWordBits) return Operate(Opcode::kNeg, Operate(op, a, b));
  std::optional<Cell> out;
  for (unsigned i = 0; i < lanes.Count(); ++i) {
    const Cell flag = Operate(op, AtTop(lanes, a, i), AtTop(lanes, b, i));
    const Cell lane = flag * (lanes.Full() << (lanes.bits * i));
    out = out ? *out | lane : lane;
  }
  return *out;
}

std::optional<Cell> BinaryCell(const VectorRoutine& row, Cell a, Cell b) {
  if (const auto op = Comparison(row.operation, row.is_signed)) return CompareCell(row, *op, a, b);
  const Lanes lanes{row.bits, row.is_signed};
  std::optional<Cell> out;
  for (unsigned i = 0; i < lanes.Count(); ++i) {
    // The low halves of a product need no extension.
    const bool is_low = i == 0 && row.operation == VectorOperation::kMul;
    const std::optional<Cell> word =
        is_low ? a * b : OnWords(row, lanes.Extract(a, i), lanes.Extract(b, i));
    if (!word) return std::nullopt;
    const Cell lane = lanes.Insert(*word, i);
    out = out ? *out | lane : lane;
  }
  return out;
}

std::optional<Cell> ParallelCompare(const VectorRoutine& row, Cell a, Cell b) {
  const Lanes lanes{row.bits, row.is_signed};
  switch (row.operation) {
    case VectorOperation::kNe:
      return SpreadHigh(lanes, NotZeroHigh(lanes, a ^ b));
    case VectorOperation::kEq:
      return ~SpreadHigh(lanes, NotZeroHigh(lanes, a ^ b));
    case VectorOperation::kGe:
      return SpreadHigh(lanes, GreaterOrEqualHigh(lanes, a, b));
    case VectorOperation::kLe:
      return SpreadHigh(lanes, GreaterOrEqualHigh(lanes, b, a));
    case VectorOperation::kLt:
      return ~SpreadHigh(lanes, GreaterOrEqualHigh(lanes, a, b));
    case VectorOperation::kGt:
      return ~SpreadHigh(lanes, GreaterOrEqualHigh(lanes, b, a));
    default:
      return std::nullopt;
  }
}

/// A sum or difference that left the signed range is the end of the range that a's sign says.
Cell SaturateSigned(Lanes lanes, Cell result, Cell overflow, Cell a) {
  const Cell end = ((a >> (lanes.bits - 1)) & lanes.Ones()) + lanes.Low();
  return result ^ ((result ^ end) & SpreadHigh(lanes, overflow));
}

std::optional<Cell> ParallelBinary(const VectorRoutine& row, Cell a, Cell b) {
  const Lanes lanes{row.bits, row.is_signed};
  if (auto compared = ParallelCompare(row, a, b)) return compared;
  switch (row.operation) {
    case VectorOperation::kAdd:
      return AddLanes(lanes, a, b);
    case VectorOperation::kSub:
      return SubLanes(lanes, a, b);
    case VectorOperation::kMin:
    case VectorOperation::kMax: {
      const Cell keep = SpreadHigh(lanes, GreaterOrEqualHigh(lanes, a, b));
      return row.operation == VectorOperation::kMax ? b ^ ((a ^ b) & keep) : a ^ ((a ^ b) & keep);
    }
    case VectorOperation::kAvgr:
      return (a | b) - (((a ^ b) >> 1) & lanes.Low());
    case VectorOperation::kAddSat: {
      const Cell sum = AddLanes(lanes, a, b);
      if (row.is_signed) return SaturateSigned(lanes, sum, (a ^ sum) & (b ^ sum), a);
      return sum | SpreadHigh(lanes, (a & b) | ((a | b) & ~sum));
    }
    case VectorOperation::kSubSat: {
      const Cell difference = SubLanes(lanes, a, b);
      if (!row.is_signed) return difference & SpreadHigh(lanes, GreaterOrEqualHigh(lanes, a, b));
      return SaturateSigned(lanes, difference, (a ^ b) & (a ^ difference), a);
    }
    default:
      return std::nullopt;
  }
}

/// One operand, all lanes of a word.
std::optional<Cell> Unary(const VectorRoutine& row, Cell a) {
  const Lanes lanes{row.bits, row.is_signed};
  const bool is_word = row.bits == kWordBits;
  switch (row.operation) {
    case VectorOperation::kNeg:
      if (is_word) return Operate(Opcode::kNeg, a);
      return (Constant(*a.graph, lanes.High()) - (a & lanes.Low())) ^
             ((a & lanes.High()) ^ lanes.High());
    case VectorOperation::kAbs: {
      if (is_word) return Operate(Opcode::kAbs, a);
      const Cell sign = (a >> (lanes.bits - 1)) & lanes.Ones();
      return (a ^ (sign * lanes.Full())) + sign;
    }
    case VectorOperation::kPopcnt: {
      constexpr Word kPairs = 0x55555555, kNibbles = 0x33333333, kBytes = 0x0F0F0F0F;
      const Cell pairs = a - ((a >> 1) & kPairs);
      const Cell nibbles = (pairs & kNibbles) + ((pairs >> 2) & kNibbles);
      return (nibbles + (nibbles >> 4)) & kBytes;
    }
    default:
      return std::nullopt;
  }
}

/// Shifts of all lanes by the count in the last cell, modulo their width.
Cells Shift(const VectorRoutine& row, const Cells& in) {
  const Lanes lanes{row.bits, row.is_signed};
  const Cell given = in.back();
  Cells out;
  if (row.bits == kWordBits) {
    const Opcode op = row.operation == VectorOperation::kShl ? Opcode::kShl
                      : row.is_signed                        ? Opcode::kShrS
                                                             : Opcode::kShrU;
    for (std::size_t i = 0; i < kVectorCells; ++i) out.push_back(Operate(op, in[i], given));
    return out;
  }
  const Cell count = given & (row.bits - 1u);
  const Cell full = Constant(*given.graph, lanes.Full());
  const bool is_left = row.operation == VectorOperation::kShl;
  // The bits of a lane that come from it.
  const Cell kept = is_left ? (Operate(Opcode::kShl, full, count) & lanes.Full()) * lanes.Ones()
                            : Operate(Opcode::kShrU, full, count) * lanes.Ones();
  // Those that its sign fills.
  const Cell fill = Operate(Opcode::kShrU, full, count) ^ lanes.Full();
  for (std::size_t i = 0; i < kVectorCells; ++i) {
    const Cell moved = Operate(is_left ? Opcode::kShl : Opcode::kShrU, in[i], count) & kept;
    const Cell sign = (in[i] >> (lanes.bits - 1)) & lanes.Ones();
    out.push_back(row.is_signed && !is_left ? moved | (sign * fill) : moved);
  }
  return out;
}

using BinaryFunction = std::optional<Cell> (*)(const VectorRoutine&, Cell, Cell);

Cells OnPairs(const VectorRoutine& row, const Cells& in, BinaryFunction function) {
  Cells out;
  if (in.size() != 2 * kVectorCells) return out;
  for (std::size_t i = 0; i < kVectorCells; ++i) {
    const std::optional<Cell> cell = function(row, in[i], in[i + kVectorCells]);
    if (!cell) return {};
    out.push_back(*cell);
  }
  return out;
}

}  // namespace

Cells ComposeInteger(const VectorRoutine& row, const Cells& in) {
  if (row.bits > kWordBits) return {};
  if (row.operation == VectorOperation::kShl || row.operation == VectorOperation::kShr) {
    return Shift(row, in);
  }
  return OnPairs(row, in, BinaryCell);
}

Cells ComposeParallel(const VectorRoutine& row, const Cells& in) {
  if (row.bits > kWordBits) return {};
  if (in.size() == 2 * kVectorCells) {
    return row.bits == kWordBits ? Cells{} : OnPairs(row, in, ParallelBinary);
  }
  Cells out;
  for (const Cell& cell : in) {
    const std::optional<Cell> made = Unary(row, cell);
    if (!made) return {};
    out.push_back(*made);
  }
  return out;
}

}  // namespace txvm::assembler

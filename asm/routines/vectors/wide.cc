// Lanes of 64 bits: two cells each, the low one first.
// Declared in asm/routines/vectors/lanes.h.
#include <optional>

#include "asm/routines/vectors/lanes.h"

namespace txvm::assembler {
namespace {

using isa::Opcode;
using isa::RoutineId;
using isa::VectorOperation;
using isa::VectorRoutine;

struct Pair {
  Cell low, high;
};

Cell AllBits(Cell flag) { return Operate(Opcode::kNeg, flag); }

Cell Smaller(Pair a, Pair b) {
  return Select(Operate(Opcode::kEq, a.high, b.high), Operate(Opcode::kLtU, a.low, b.low),
                Operate(Opcode::kLtS, a.high, b.high));
}

/// A comparison of two lanes, 0 or 1; nullopt: it is none.
std::optional<Cell> Compare(VectorOperation operation, Pair a, Pair b) {
  const auto differ = [&] { return (a.low ^ b.low) | (a.high ^ b.high); };
  switch (operation) {
    case VectorOperation::kEq:
      return Operate(Opcode::kEqz, differ());
    case VectorOperation::kNe:
      return Operate(Opcode::kEqz, Operate(Opcode::kEqz, differ()));
    case VectorOperation::kLt:
      return Smaller(a, b);
    case VectorOperation::kGt:
      return Smaller(b, a);
    case VectorOperation::kLe:
      return Operate(Opcode::kEqz, Smaller(b, a));
    case VectorOperation::kGe:
      return Operate(Opcode::kEqz, Smaller(a, b));
    default:
      return std::nullopt;
  }
}

std::optional<Pair> Binary(VectorOperation operation, Pair a, Pair b) {
  if (const std::optional<Cell> flag = Compare(operation, a, b)) {
    const Cell bits = AllBits(*flag);
    return Pair{bits, bits};
  }
  switch (operation) {
    case VectorOperation::kAdd: {
      const Cell low = a.low + b.low;
      return Pair{low, a.high + b.high + Operate(Opcode::kLtU, low, b.low)};
    }
    case VectorOperation::kSub:
      return Pair{a.low - b.low, a.high - b.high - Operate(Opcode::kLtU, a.low, b.low)};
    case VectorOperation::kMul: {
      const std::array<Cell, 4> operands = {a.low, a.high, b.low, b.high};
      const std::vector<Cell> product = Call(RoutineId::kI64Mul, operands);
      return Pair{product[0], product[1]};
    }
    default:
      return std::nullopt;
  }
}

std::optional<Pair> Unary(VectorOperation operation, Pair a) {
  constexpr isa::Word kSignShift = 31;
  if (operation == VectorOperation::kNeg) {
    return Pair{Operate(Opcode::kNeg, a.low), ~a.high + Operate(Opcode::kEqz, a.low)};
  }
  if (operation != VectorOperation::kAbs) return std::nullopt;
  const Cell sign = a.high >> kSignShift, bits = AllBits(sign);
  const Cell low = (a.low ^ bits) + sign;
  return Pair{low, (a.high ^ bits) + Operate(Opcode::kLtU, low, sign)};
}

/// By a count modulo 64, in the last cell.
Pair Shift(const VectorRoutine& row, Pair a, Cell count) {
  constexpr isa::Word kFar = 32, kSignShift = 31;
  const Cell far = count & kFar, zero = Constant(*count.graph, 0);
  if (row.operation == VectorOperation::kShl) {
    const Cell low_up = Operate(Opcode::kShl, a.low, count);
    const Cell across = Operate(Opcode::kRotl, a.low, count) ^ low_up;
    return {Select(far, zero, low_up),
            Select(far, low_up, Operate(Opcode::kShl, a.high, count) | across)};
  }
  const Cell moved = Operate(row.is_signed ? Opcode::kShrS : Opcode::kShrU, a.high, count);
  const Cell unsigned_moved = Operate(Opcode::kShrU, a.high, count);
  const Cell across = Operate(Opcode::kRotr, a.high, count) ^ unsigned_moved;
  const Cell filled = row.is_signed ? Operate(Opcode::kShrS, a.high, kSignShift) : zero;
  return {Select(far, moved, Operate(Opcode::kShrU, a.low, count) | across),
          Select(far, filled, moved)};
}

}  // namespace

Cells ComposeWide(const VectorRoutine& row, const Cells& in) {
  constexpr unsigned kLaneBits = 64;
  Cells out;
  if (row.bits != kLaneBits) return out;
  for (std::size_t i = 0; i < kVectorCells; i += 2) {
    const Pair a{in[i], in[i + 1]};
    std::optional<Pair> made;
    if (row.operation == VectorOperation::kShl || row.operation == VectorOperation::kShr) {
      made = Shift(row, a, in.back());
    } else if (in.size() == kVectorCells) {
      made = Unary(row.operation, a);
    } else {
      made = Binary(row.operation, a, {in[i + kVectorCells], in[i + kVectorCells + 1]});
    }
    if (!made) return {};
    out.push_back(made->low);
    out.push_back(made->high);
  }
  return out;
}

}  // namespace txvm::assembler

#include "asm/routines/vectors/lanes.h"

namespace txvm::assembler {

using isa::Opcode;
using isa::Word;

Cell Lanes::Extract(Cell cell, unsigned i) const {
  if (bits == kWordBits) return cell;
  const unsigned above = kWordBits - bits * (i + 1);
  if (is_signed) return Operate(Opcode::kShrS, cell << above, kWordBits - bits);
  const Cell low = cell >> (bits * i);
  return above == 0 ? low : low & Full();
}

Cell Lanes::Insert(Cell word, unsigned i, bool fits) const {
  const bool is_top = i + 1 == Count();
  return (fits || is_top ? word : word & Full()) << (bits * i);
}

/// Without the top bits no carry leaves a lane; the top bits are a sum modulo 2.
Cell AddLanes(Lanes lanes, Cell a, Cell b) {
  if (lanes.bits == kWordBits) return a + b;
  return ((a & lanes.Low()) + (b & lanes.Low())) ^ ((a ^ b) & lanes.High());
}

/// With the top bits set no borrow leaves a lane.
Cell SubLanes(Lanes lanes, Cell a, Cell b) {
  if (lanes.bits == kWordBits) return a - b;
  return ((a | lanes.High()) - (b & lanes.Low())) ^ (((a ^ b) & lanes.High()) ^ lanes.High());
}

Cell SpreadHigh(Lanes lanes, Cell cell) {
  return ((cell >> (lanes.bits - 1)) & lanes.Ones()) * lanes.Full();
}

/// `t`'s top bits compare what is below them. Where the top bits of a and b differ, they decide:
/// for unsigned lanes that of a, for signed ones that of b.
Cell GreaterOrEqualHigh(Lanes lanes, Cell a, Cell b) {
  const Cell t = (a | lanes.High()) - (b & lanes.Low());
  const Cell top = lanes.is_signed ? b : a;
  return t ^ ((a ^ b) & (t ^ top));
}

Cell NotZeroHigh(Lanes lanes, Cell cell) { return ((cell & lanes.Low()) + lanes.Low()) | cell; }

Cell Clamp(Cell value, Word low, Word high) {
  Graph& graph = *value.graph;
  const Cell top = Constant(graph, high), bottom = Constant(graph, low);
  const Cell below = Select(Operate(Opcode::kLtS, value, top), value, top);
  return Select(Operate(Opcode::kGtS, below, bottom), below, bottom);
}

/// From products of halves, of which no sum overflows.
std::array<Cell, 2> WideProduct(Cell a, Cell b, bool is_signed) {
  constexpr unsigned kHalf = 16;
  constexpr Word kLowHalf = 0xFFFF;
  const Opcode shift = is_signed ? Opcode::kShrS : Opcode::kShrU;
  const Cell a0 = a & kLowHalf, b0 = b & kLowHalf;
  const Cell a1 = Operate(shift, a, kHalf), b1 = Operate(shift, b, kHalf);
  const Cell x = a1 * b0 + ((a0 * b0) >> kHalf);
  const Cell y = a0 * b1 + (x & kLowHalf);
  return {a * b, a1 * b1 + Operate(shift, x, kHalf) + Operate(shift, y, kHalf)};
}

}  // namespace txvm::assembler

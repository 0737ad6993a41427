// Operations on all 128 bits, tests of all lanes, and swizzle.
// Declared in asm/routines/vectors/lanes.h.
#include "asm/routines/vectors/lanes.h"

namespace txvm::assembler {
namespace {

using isa::Opcode;
using isa::VectorOperation;
using isa::VectorRoutine;
using isa::Word;

Cell IsNotZero(Cell cell) { return Operate(Opcode::kEqz, Operate(Opcode::kEqz, cell)); }

Cell AllTrue(const VectorRoutine& row, const Cells& in) {
  constexpr unsigned kLongBits = 64;
  if (row.bits >= kWordBits) {
    const auto is_zero = [](Cell cell) { return Operate(Opcode::kEqz, cell); };
    const Cell any = row.bits == kLongBits
                         ? is_zero(in[0] | in[1]) | is_zero(in[2] | in[3])
                         : is_zero(in[0]) | is_zero(in[1]) | is_zero(in[2]) | is_zero(in[3]);
    return is_zero(any);
  }
  const Lanes lanes{row.bits};
  Cell all = NotZeroHigh(lanes, in[0]);
  for (std::size_t i = 1; i < in.size(); ++i) all = all & NotZeroHigh(lanes, in[i]);
  return Operate(Opcode::kEq, all & lanes.High(), lanes.High());
}

/// The signs of the lanes of one cell as the low bits of a word. A product gathers those of four
/// bytes in its top four bits: no two of its terms meet, so nothing carries.
Cell SignsOf(unsigned bits, Cell cell) {
  constexpr unsigned kByteBits = 8, kHalfBits = 16;
  constexpr Word kGather = 0x10204080, kGathered = 28, kBytes = 0x01010101;
  if (bits == kByteBits) return (((cell >> (kByteBits - 1)) & kBytes) * kGather) >> kGathered;
  const Cell top = cell >> (kWordBits - 1);
  if (bits != kHalfBits) return top;
  return ((cell >> (kHalfBits - 1)) & 1u) | ((cell >> (kWordBits - 2)) & 2u);
}

Cell Bitmask(const VectorRoutine& row, const Cells& in) {
  const bool is_long = row.bits > kWordBits;
  const unsigned lanes = is_long ? 1 : kWordBits / row.bits;
  Cell out = Constant(*in[0].graph, 0);
  bool is_first = true;
  for (unsigned i = is_long ? 1 : 0, at = 0; i < in.size(); i += is_long ? 2 : 1, at += lanes) {
    const Cell signs = SignsOf(row.bits, in[i]) << at;
    out = is_first ? signs : out | signs;
    is_first = false;
  }
  return out;
}

/// Each byte of `b` names a byte of `a`; from 16 on the result is 0. Shift counts are modulo 32, so
/// 8 times the name is the place inside its cell.
Cells Swizzle(const Cells& in) {
  constexpr unsigned kByteBits = 8;
  constexpr Word kOddCell = 4, kUpperCells = 8, kByte = 0xFF, kCount = 16, kToBits = 3;
  const Lanes bytes{kByteBits};
  Cells out;
  for (std::size_t cell = 0; cell < kVectorCells; ++cell) {
    Cell word = Constant(*in[0].graph, 0);
    for (unsigned i = 0; i < bytes.Count(); ++i) {
      const Cell name = bytes.Extract(in[kVectorCells + cell], i);
      const Cell odd = name & kOddCell;
      const Cell from =
          Select(name & kUpperCells, Select(odd, in[3], in[2]), Select(odd, in[1], in[0]));
      const Cell byte = Operate(Opcode::kShrU, from, name << kToBits) & kByte;
      const Cell lane = bytes.Insert(byte * Operate(Opcode::kLtU, name, kCount), i, true);
      word = i == 0 ? lane : word | lane;
    }
    out.push_back(word);
  }
  return out;
}

Cell OnBits(VectorOperation operation, const Cells& in, std::size_t i) {
  const Cell a = in[i];
  if (operation == VectorOperation::kNot) return ~a;
  const Cell b = in[i + kVectorCells];
  switch (operation) {
    case VectorOperation::kAnd:
      return a & b;
    case VectorOperation::kAndNot:
      return a & ~b;
    case VectorOperation::kOr:
      return a | b;
    case VectorOperation::kXor:
      return a ^ b;
    default:
      return b ^ ((a ^ b) & in[i + 2 * kVectorCells]);
  }
}

}  // namespace

Cells ComposeWhole(const VectorRoutine& row, const Cells& in) {
  switch (row.operation) {
    case VectorOperation::kNot:
    case VectorOperation::kAnd:
    case VectorOperation::kAndNot:
    case VectorOperation::kOr:
    case VectorOperation::kXor:
    case VectorOperation::kBitSelect: {
      Cells out;
      for (std::size_t i = 0; i < kVectorCells; ++i) out.push_back(OnBits(row.operation, in, i));
      return out;
    }
    case VectorOperation::kAnyTrue:
      return {IsNotZero(in[0] | in[1] | in[2] | in[3])};
    case VectorOperation::kAllTrue:
      return {AllTrue(row, in)};
    case VectorOperation::kBitmask:
      return {Bitmask(row, in)};
    case VectorOperation::kSwizzle:
      return Swizzle(in);
    default:
      return {};
  }
}

}  // namespace txvm::assembler

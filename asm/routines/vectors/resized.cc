// Operations whose result has lanes of another width than their operands.
// Declared in asm/routines/vectors/lanes.h.
#include <optional>

#include "asm/routines/vectors/lanes.h"

namespace txvm::assembler {
namespace {

using isa::Opcode;
using isa::VectorOperation;
using isa::VectorRoutine;
using isa::Word;

constexpr unsigned kLongBits = 64;
constexpr Word kSignShift = 31;

Cell OrAll(const Cells& cells) {
  Cell out = cells.front();
  for (std::size_t i = 1; i < cells.size(); ++i) out = out | cells[i];
  return out;
}

/// All lanes of a vector as words.
Cells Words(Lanes lanes, std::span<const Cell> vector) {
  Cells words;
  for (const Cell& cell : vector) {
    for (unsigned i = 0; i < lanes.Count(); ++i) words.push_back(lanes.Extract(cell, i));
  }
  return words;
}

/// A vector of lanes that are words; bits beyond a lane mean nothing unless `fit`.
Cells Packed(Lanes lanes, const Cells& words, bool fit = false) {
  Cells out;
  for (std::size_t at = 0; at < words.size(); at += lanes.Count()) {
    Cells parts;
    for (unsigned i = 0; i < lanes.Count(); ++i) {
      parts.push_back(lanes.Insert(words[at + i], i, fit));
    }
    out.push_back(OrAll(parts));
  }
  return out;
}

/// The half of an operand that `row` widens.
std::span<const Cell> HalfOf(const VectorRoutine& row, std::span<const Cell> operand) {
  constexpr std::size_t kHalf = kVectorCells / 2;
  const bool is_high = row.operation == VectorOperation::kExtendHigh ||
                       row.operation == VectorOperation::kExtmulHigh;
  return operand.subspan(is_high ? kHalf : 0, kHalf);
}

Cells Extend(const VectorRoutine& row, const Cells& in) {
  const std::span<const Cell> half = HalfOf(row, in);
  if (row.bits == kLongBits) {
    Cells out;
    for (const Cell& cell : half) {
      out.push_back(cell);
      out.push_back(row.is_signed ? Operate(Opcode::kShrS, cell, kSignShift)
                                  : Constant(*cell.graph, 0));
    }
    return out;
  }
  const Lanes from{row.bits / 2u, row.is_signed}, to{row.bits, row.is_signed};
  return Packed(to, Words(from, half), !row.is_signed);
}

Cells Extmul(const VectorRoutine& row, const Cells& in) {
  const std::span<const Cell> all(in);
  const auto a = HalfOf(row, all.first(kVectorCells)), b = HalfOf(row, all.subspan(kVectorCells));
  Cells words;
  if (row.bits == kLongBits) {
    for (std::size_t i = 0; i < a.size(); ++i) {
      const auto [low, high] = WideProduct(a[i], b[i], row.is_signed);
      words.push_back(low);
      words.push_back(high);
    }
    return words;
  }
  const Lanes from{row.bits / 2u, row.is_signed}, to{row.bits, row.is_signed};
  const Cells left = Words(from, a), right = Words(from, b);
  for (std::size_t i = 0; i < left.size(); ++i) words.push_back(left[i] * right[i]);
  return Packed(to, words, !row.is_signed);
}

/// Sums of neighbours. Bytes are two to a word: with 128 added to each (signed), no sum is
/// negative, and 256 is subtracted modulo 2^16 by an addition that leaves no lane.
Cell ExtaddCell(const VectorRoutine& row, Cell cell) {
  constexpr unsigned kByteBits = 8;
  const Lanes from{row.bits / 2u, row.is_signed};
  if (from.bits > kByteBits) return from.Extract(cell, 0) + from.Extract(cell, 1);
  constexpr Word kEven = 0x00FF00FF, kBias = 0x80808080, kUnbias = 0x7F007F00, kTop = 0x80008000;
  const Cell bytes = row.is_signed ? cell ^ kBias : cell;
  const Cell sums = (bytes & kEven) + ((bytes >> kByteBits) & kEven);
  return row.is_signed ? (sums + kUnbias) ^ kTop : sums;
}

Cells Narrow(const VectorRoutine& row, const Cells& in) {
  const Lanes from{row.bits * 2u, true}, to{row.bits, row.is_signed};
  const Word half = 1u << (row.bits - 1), full = 2 * half - 1;
  Cells words = Words(from, in);
  for (Cell& word : words) {
    word = row.is_signed ? Clamp(word, 0u - half, half - 1) : Clamp(word, 0, full);
  }
  return Packed(to, words, !row.is_signed);
}

Cells Dot(const Cells& in) {
  constexpr unsigned kHalf = 16;
  const Lanes lanes{kHalf, true};
  Cells out;
  for (std::size_t i = 0; i < kVectorCells; ++i) {
    const Cell a = in[i], b = in[i + kVectorCells];
    out.push_back(lanes.Extract(a, 0) * lanes.Extract(b, 0) +
                  lanes.Extract(a, 1) * lanes.Extract(b, 1));
  }
  return out;
}

/// Sums of two products of signed bytes, as words that fit 16 bits: 2 * 128 * 128 alone does not.
Cells DotWords(const Cells& in) {
  constexpr unsigned kByteBits = 8;
  constexpr Word kMax = 0x7FFF;
  const Lanes bytes{kByteBits, true};
  const std::span<const Cell> all(in);
  const Cells a = Words(bytes, all.first(kVectorCells));
  const Cells b = Words(bytes, all.subspan(kVectorCells, kVectorCells));
  Cells words;
  for (std::size_t i = 0; i < a.size(); i += 2) {
    const Cell sum = a[i] * b[i] + a[i + 1] * b[i + 1];
    const Cell top = Constant(*sum.graph, kMax);
    words.push_back(Select(Operate(Opcode::kLtS, sum, top), sum, top));
  }
  return words;
}

Cells DotAdd(const Cells& in) {
  const Cells words = DotWords(in);
  Cells out;
  for (std::size_t i = 0; i < kVectorCells; ++i) {
    out.push_back(words[2 * i] + words[2 * i + 1] + in[2 * kVectorCells + i]);
  }
  return out;
}

}  // namespace

Cells ComposeResized(const VectorRoutine& row, const Cells& in) {
  switch (row.operation) {
    case VectorOperation::kExtendLow:
    case VectorOperation::kExtendHigh:
      return Extend(row, in);
    case VectorOperation::kExtmulLow:
    case VectorOperation::kExtmulHigh:
      return Extmul(row, in);
    case VectorOperation::kExtadd: {
      Cells out;
      for (const Cell& cell : in) out.push_back(ExtaddCell(row, cell));
      return out;
    }
    case VectorOperation::kNarrow:
      return Narrow(row, in);
    case VectorOperation::kDot:
      return Dot(in);
    case VectorOperation::kRelaxedDot:
      return Packed({row.bits, true}, DotWords(in));
    case VectorOperation::kRelaxedDotAdd:
      return DotAdd(in);
    default:
      return {};
  }
}

}  // namespace txvm::assembler

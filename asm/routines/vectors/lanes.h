// What composers of vector routines share: operands in cells, lanes of a cell, and the expressions
// on all lanes of a cell at once.
// NOTATION  Masks repeat over the lanes of a word: Ones 0x01010101, High 0x80808080 (the top bit of
// each lane), Low 0x7F7F7F7F for lanes of 8 bits. A flag is 0 or 1 in the lowest bit of each lane.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "asm/routines/vectors/graph.h"
#include "isa/vector_routine.h"

namespace txvm::assembler {

inline constexpr unsigned kWordBits = 32;
inline constexpr std::size_t kVectorCells = 4;

using Cells = std::vector<Cell>;

/// The lanes of a row: of 8 or 16 bits unless said otherwise.
struct Lanes {
  unsigned bits = 8;
  bool is_signed = false;

  unsigned Count() const { return kWordBits / bits; }  // in a cell
  isa::Word Full() const { return bits == kWordBits ? ~0u : (1u << bits) - 1; }
  isa::Word Ones() const { return ~0u / Full(); }
  isa::Word High() const { return Ones() << (bits - 1); }
  isa::Word Low() const { return ~High(); }

  /// Lane i of a cell as a word, extended as `is_signed` says.
  Cell Extract(Cell cell, unsigned i) const;
  /// A word's low bits as lane i, the other lanes 0. `fits`: its other bits are 0 already.
  Cell Insert(Cell word, unsigned i, bool fits = false) const;
};

/// What is between two operands, lane by lane, on all lanes of a word.
Cell AddLanes(Lanes lanes, Cell a, Cell b);
Cell SubLanes(Lanes lanes, Cell a, Cell b);
/// All bits of the lanes whose top bit is set in `cell`.
Cell SpreadHigh(Lanes lanes, Cell cell);
/// The top bit of each lane says whether a >= b; the other bits mean nothing.
Cell GreaterOrEqualHigh(Lanes lanes, Cell a, Cell b);
/// The top bit of each lane says whether it is not 0; the other bits mean nothing.
Cell NotZeroHigh(Lanes lanes, Cell cell);
/// `value` limited to low..high, all signed.
Cell Clamp(Cell value, isa::Word low, isa::Word high);

/// Composers of a row on its operands' cells. Empty: not one of theirs.
Cells ComposeInteger(const isa::VectorRoutine& row, const Cells& in);   // lane by lane
Cells ComposeParallel(const isa::VectorRoutine& row, const Cells& in);  // all lanes of a word
Cells ComposeWide(const isa::VectorRoutine& row, const Cells& in);      // lanes of 64 bits
Cells ComposeResized(const isa::VectorRoutine& row, const Cells& in);   // to lanes of another width
Cells ComposeWhole(const isa::VectorRoutine& row, const Cells& in);     // bits, tests, swizzle
Cells ComposeFloat(const isa::VectorRoutine& row, const Cells& in);     // floats

/// The unsigned or signed product of two words, low word first.
std::array<Cell, 2> WideProduct(Cell a, Cell b, bool is_signed);

}  // namespace txvm::assembler

// Operand sets that reach every corner of a routine: random ones with all exponent differences,
// subnormals, ties, overflow, signed zeros, NaNs and neighbours of powers of two, or all there are.
#pragma once

#include <cstdint>
#include <span>

#include "asm/routines/routines.h"
#include "tests/asm/routines/lockstep.h"
#include "tests/asm/routines/vector_oracle.h"
#include "tests/support/random.h"

namespace txvm::assembler {

/// A stream of operand sets of one routine; the same seed gives the same stream.
class OperandSource {
 public:
  OperandSource(RoutineId id, std::uint64_t seed);

  /// Whether two routines read operands of the same kinds: the same seed gives them the same
  /// stream.
  static bool Alike(RoutineId a, RoutineId b);

  /// Fills every lane of the routine's operand rows.
  void Fill(std::span<Row> rows);

 private:
  using U64 = std::uint64_t;

  enum class Kind : std::uint8_t { kFloat, kDouble, kWord, kWide, kVector };

  static Kind KindOf(RoutineId id);
  static bool IsPair(RoutineId id);
  U64 Float(int bits, int fraction_bits);
  U64 Near(U64 a, int bits, int fraction_bits);
  U64 Integer(int bits);
  void FillVectors(std::span<Row> rows);
  U64 VectorLane(U64 before, std::size_t corner);

  support::Random random_;
  Kind kind_;
  bool is_pair_;
  LaneKind lanes_;             // of vectors
  std::size_t next_pair_ = 0;  // of corner values of vectors
};

/// The rows of a routine with one cell of operands: lane i holds first + i.
void FillInOrder(std::span<Row> rows, std::uint32_t first);

}  // namespace txvm::assembler

// The routines on vectors, as facts about their lanes: a projection of vector_routines.def.
#pragma once

#include <array>
#include <cstdint>

#include "isa/routine.h"

namespace txvm::isa {

/// What a routine on vectors does. Names that begin with F work on floats; those without, on
/// integers of VectorRoutine::bits.
enum class VectorOperation : std::uint8_t {
  // All 128 bits.
  kNot,
  kAnd,
  kAndNot,
  kOr,
  kXor,
  kBitSelect,
  kAnyTrue,
  // Integer lanes.
  kSwizzle,
  kAdd,
  kSub,
  kMul,
  kAbs,
  kNeg,
  kPopcnt,
  kAllTrue,
  kBitmask,
  kShl,
  kShr,
  kEq,
  kNe,
  kLt,
  kGt,
  kLe,
  kGe,
  kMin,
  kMax,
  kAddSat,
  kSubSat,
  kAvgr,
  kQ15Mulr,
  // Integer lanes of another width than the operands'.
  kNarrow,
  kExtendLow,
  kExtendHigh,
  kExtmulLow,
  kExtmulHigh,
  kExtadd,
  kDot,
  // Float lanes.
  kFAbs,
  kFNeg,
  kFSqrt,
  kFCeil,
  kFFloor,
  kFTrunc,
  kFNearest,
  kFAdd,
  kFSub,
  kFMul,
  kFDiv,
  kFMin,
  kFMax,
  kFPmin,
  kFPmax,
  kFEq,
  kFNe,
  kFLt,
  kFGt,
  kFLe,
  kFGe,
  // Between floats and integers, and between floats.
  kConvert,
  kTruncSat,
  kDemote,
  kPromote,
  // Of relaxed SIMD, those that are no other routine's.
  kMadd,
  kNmadd,
  kRelaxedDot,
  kRelaxedDotAdd,
};

/// One row of vector_routines.def.
struct VectorRoutine {
  RoutineId id{};
  VectorOperation operation{};
  std::uint8_t bits = 0;
  bool is_signed = false;
};

inline constexpr auto kVectorRoutines = std::to_array<VectorRoutine>({
#define TXVM_VECTOR_ROUTINE(Name, text, in, out, steps, operation, bits, sign) \
  {RoutineId::k##Name, VectorOperation::k##operation, bits, #sign[0] == 'S'},
#include "isa/vector_routines.def"
#undef TXVM_VECTOR_ROUTINE
});

/// The row of a routine on vectors; null for any other. O(1).
constexpr const VectorRoutine* FindVectorRoutine(RoutineId id) {
  const auto first = static_cast<std::size_t>(kVectorRoutines.front().id);
  const auto index = static_cast<std::size_t>(id);
  return index < first ? nullptr : &kVectorRoutines[index - first];
}

}  // namespace txvm::isa

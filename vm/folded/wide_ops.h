// Types of the register form beyond words, and the operations on them; a projection of
// wide_ops.def.
#pragma once

#include <cstdint>
#include <string_view>

#include "isa/routine.h"

namespace txvm::vm::folded {

/// What a value is. A long has two words, the low one first. A vector has two longs; variables and
/// memory hold those, so a vector is a value inside a block alone.
enum class Type : std::uint8_t { kNothing, kWord, kLong, kSingle, kDouble, kVector };

enum class WideOp : std::uint8_t {
#define TXVM_WIDE(Name, text, result, a, b) k##Name,
#include "vm/folded/wide_ops.def"
#undef TXVM_WIDE
};

struct WideInfo {
  std::string_view text;
  Type result = Type::kNothing, a = Type::kNothing, b = Type::kNothing;
};

inline constexpr WideInfo kWideOps[] = {
#define TXVM_WIDE(Name, text, result, a, b) {text, Type::k##result, Type::k##a, Type::k##b},
#include "vm/folded/wide_ops.def"
#undef TXVM_WIDE
};

/// The row of an operation.
constexpr const WideInfo& Info(WideOp op) { return kWideOps[static_cast<std::size_t>(op)]; }

/// Whether an operation compares: its value is 0 or 1.
constexpr bool IsComparison(WideOp op) {
  const WideInfo& info = Info(op);
  return info.result == Type::kWord && info.b != Type::kNothing;
}

/// The operation that a call of a routine is.
constexpr WideOp OperationOf(isa::RoutineId id) {
  switch (id) {
#define TXVM_ROUTINE(Name, text, in, out, steps, traps) \
  case isa::RoutineId::k##Name:                         \
    return WideOp::k##Name;
#define TXVM_VECTOR_ROUTINE(Name, text, in, out, steps, operation, bits, sign)
#include "isa/routines.def"
#undef TXVM_ROUTINE
    default:
      return WideOp::kPair;  // on vectors: Op::kVector
  }
}

/// Bytes that a value takes in a space or in memory.
constexpr std::uint32_t BytesOf(Type type) {
  return type == Type::kLong || type == Type::kDouble ? 8 : 4;
}

constexpr bool IsFloat(Type type) { return type == Type::kSingle || type == Type::kDouble; }

}  // namespace txvm::vm::folded

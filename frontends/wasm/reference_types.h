// References to functions of one type, and references that are never null, as value types.
#pragma once

#include <cstdint>

#include "frontends/wasm/module.h"

namespace txvm::frontends::wat {

/// What a reference refers to: a row of these, or kFirstSignature plus the index of a signature.
enum class Heap : std::uint32_t { kFunc, kExtern, kNoFunc, kNoExtern, kExn, kFirstSignature = 16 };

/// The heap type of functions with one signature.
constexpr Heap HeapOfSignature(std::uint32_t signature) {
  return static_cast<Heap>(static_cast<std::uint32_t>(Heap::kFirstSignature) + signature);
}

/// The type of references to `heap`. Equal arguments give equal types.
constexpr ValueType ReferenceTo(Heap heap, bool is_nullable) {
  if (is_nullable && heap == Heap::kFunc) return ValueType::kFuncRef;
  if (is_nullable && heap == Heap::kExtern) return ValueType::kExternRef;
  if (heap == Heap::kExn) return ValueType::kExnRef;  // null or not
  return static_cast<ValueType>(static_cast<std::uint32_t>(kFirstTyped) +
                                2 * static_cast<std::uint32_t>(heap) + (is_nullable ? 1 : 0));
}

/// What references of a type refer to. REQUIRES: IsReference(type).
constexpr Heap HeapOf(ValueType type) {
  if (type == ValueType::kFuncRef) return Heap::kFunc;
  if (type == ValueType::kExternRef) return Heap::kExtern;
  if (type == ValueType::kExnRef) return Heap::kExn;
  return static_cast<Heap>(
      (static_cast<std::uint32_t>(type) - static_cast<std::uint32_t>(kFirstTyped)) / 2);
}

/// Whether null is a value of a type. REQUIRES: IsReference(type).
constexpr bool IsNullable(ValueType type) {
  if (type == ValueType::kFuncRef || type == ValueType::kExternRef) return true;
  if (type == ValueType::kExnRef) return true;
  return (static_cast<std::uint32_t>(type) - static_cast<std::uint32_t>(kFirstTyped)) % 2 == 1;
}

/// The same without null. REQUIRES: IsReference(type).
constexpr ValueType WithoutNull(ValueType type) { return ReferenceTo(HeapOf(type), false); }

/// Whether references of a type refer to functions. REQUIRES: IsReference(type).
constexpr bool IsFunctionHeap(Heap heap) {
  return heap == Heap::kFunc || heap == Heap::kNoFunc || heap >= Heap::kFirstSignature;
}

/// The signature of the functions that references of this heap type name. REQUIRES: it is one of
/// HeapOfSignature.
constexpr std::uint32_t SignatureOfHeap(Heap heap) {
  return static_cast<std::uint32_t>(heap) - static_cast<std::uint32_t>(Heap::kFirstSignature);
}

/// Whether functions of signature `sub` may stand where `super` is expected: it is the same, or is
/// declared as a subtype. Cost O(depth).
bool IsSubsignature(const Module& module, std::uint32_t sub, std::uint32_t super);

/// Whether every value of `sub` is one of `super`.
bool IsSubtype(const Module& module, ValueType sub, ValueType super);

/// The same for lists of one length.
bool AreSubtypes(const Module& module, const std::vector<ValueType>& sub,
                 const std::vector<ValueType>& super);

/// Whether values of `sub` in module `from` may stand where `super` of module `to` is expected:
/// types of functions are compared by what they are made of.
bool IsSubtypeAcross(const Module& from, ValueType sub, const Module& to, ValueType super);

/// Whether signatures of two modules are the same: declared in the same way, in equal groups.
bool AreEqualAcross(const Module& from, std::uint32_t left, const Module& to, std::uint32_t right);

/// Whether a function of signature `sub` of module `from` may be imported as `super` of module
/// `to`.
bool IsSubsignatureAcross(const Module& from, std::uint32_t sub, const Module& to,
                          std::uint32_t super);

}  // namespace txvm::frontends::wat

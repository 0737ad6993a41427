#include "frontends/wasm/declarations.h"

#include <fmt/format.h>

#include "frontends/wasm/reference_types.h"

namespace txvm::frontends::wasm {

using isa::ErrorCode;
using wat::ValueType;

namespace {

/// The code of an abstract heap type; nullopt for what is none that is read.
std::optional<wat::Heap> AbstractHeap(std::uint8_t byte) {
  switch (byte) {
    case 0x70:
      return wat::Heap::kFunc;
    case 0x6F:
      return wat::Heap::kExtern;
    case 0x73:
      return wat::Heap::kNoFunc;
    case 0x72:
      return wat::Heap::kNoExtern;
    case 0x69:
    case 0x74:  // noexn: its only value is a null that every exnref may have
      return wat::Heap::kExn;
    default:
      return std::nullopt;
  }
}

void RefuseType(Cursor& cursor, std::uint8_t byte, std::size_t at) {
  cursor.Fail(
      ErrorCode::kUnsupported,
      fmt::format("uses a reference type of garbage collection (0x{:02x}): not supported", byte),
      at);
}

}  // namespace

ValueType ReadHeapType(Cursor& cursor, const Declarations& declarations, bool is_nullable) {
  constexpr std::uint8_t kFirstAbstract = 0x60, kAfterAbstract = 0x80;
  const std::size_t start = cursor.offset();
  const std::uint8_t byte = cursor.Peek();
  if (const auto heap = AbstractHeap(byte)) {
    (void)cursor.Byte("a heap type");
    return ReferenceTo(*heap, is_nullable);
  }
  if (byte >= kFirstAbstract && byte < kAfterAbstract && !cursor.AtEnd()) {
    if (byte >= 0x69 && byte <= 0x74) {
      RefuseType(cursor, byte, start);
    } else {
      cursor.Fail(ErrorCode::kSyntax, fmt::format("malformed heap type 0x{:02x}", byte), start);
    }
    return ValueType::kOther;
  }
  const std::int64_t index = cursor.S33("a heap type");
  if (!cursor.ok()) return ValueType::kOther;
  if (index < 0) {
    cursor.Fail(ErrorCode::kSyntax, fmt::format("malformed heap type {}", index), start);
    return ValueType::kOther;
  }
  const auto type = static_cast<std::uint32_t>(index);
  if (!CheckIndex(cursor, "type", type, declarations.types.size(), start)) return ValueType::kOther;
  return ReferenceTo(wat::HeapOfSignature(declarations.types[type]), is_nullable);
}

ValueType ReadValueType(Cursor& cursor, const Declarations& declarations) {
  constexpr std::uint8_t kNullable = 0x63, kNotNullable = 0x64;
  const std::size_t start = cursor.offset();
  const std::uint8_t byte = cursor.Byte("a value type");
  switch (byte) {
    case 0x7F:
      return ValueType::kI32;
    case 0x7E:
      return ValueType::kI64;
    case 0x7D:
      return ValueType::kF32;
    case 0x7C:
      return ValueType::kF64;
    case 0x7B:
      return ValueType::kV128;
    case 0x70:
      return ValueType::kFuncRef;
    case 0x6F:
      return ValueType::kExternRef;
    case 0x69:
    case 0x72:
    case 0x73:
    case 0x74:
      return ReferenceTo(*AbstractHeap(byte), true);
    case kNullable:
    case kNotNullable:
      if (declarations.is_version_2) {
        cursor.Fail(ErrorCode::kSyntax, fmt::format("malformed value type 0x{:02x}", byte), start);
        return ValueType::kOther;
      }
      return ReadHeapType(cursor, declarations, byte == kNullable);
    // The references of garbage collection.
    case 0x6A:
    case 0x6B:
    case 0x6C:
    case 0x6D:
    case 0x6E:
    case 0x71:
      RefuseType(cursor, byte, start);
      return ValueType::kOther;
    default:
      cursor.Fail(ErrorCode::kSyntax, fmt::format("malformed value type 0x{:02x}", byte), start);
      return ValueType::kOther;
  }
}

ValueType ReadReferenceType(Cursor& cursor, const Declarations& declarations) {
  const std::size_t start = cursor.offset();
  const std::uint8_t byte = cursor.Peek();
  const ValueType type = ReadValueType(cursor, declarations);
  if (cursor.ok() && !IsReference(type)) {
    cursor.Fail(ErrorCode::kSyntax, fmt::format("malformed reference type 0x{:02x}", byte), start);
  }
  return type;
}

bool CheckIndex(Cursor& cursor, const char* what, std::uint32_t index, std::size_t count,
                std::size_t at) {
  if (index < count) return true;
  if (cursor.ok()) {
    cursor.Fail(ErrorCode::kInvalid,
                fmt::format("unknown {} {}: the module has {}", what, index, count), at);
  }
  return false;
}

}  // namespace txvm::frontends::wasm

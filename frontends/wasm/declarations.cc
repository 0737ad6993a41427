#include "frontends/wasm/declarations.h"

#include <fmt/format.h>

namespace txvm::frontends::wasm {

using isa::ErrorCode;
using wat::ValueType;

ValueType ReadValueType(Cursor& cursor) {
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
    case 0x74:  // noexn: its only value is a null that every exnref may have
      return ValueType::kExnRef;
    // The references of typed function references and garbage collection, from 0x63 to none.
    case 0x63:
    case 0x64:
    case 0x6A:
    case 0x6B:
    case 0x6C:
    case 0x6D:
    case 0x6E:
    case 0x71:
    case 0x72:
    case 0x73:
      cursor.Fail(
          ErrorCode::kUnsupported,
          fmt::format("uses a reference type of garbage collection (0x{:02x}): not supported",
                      byte),
          start);
      return ValueType::kOther;
    default:
      cursor.Fail(ErrorCode::kSyntax, fmt::format("malformed value type 0x{:02x}", byte), start);
      return ValueType::kOther;
  }
}

ValueType ReadReferenceType(Cursor& cursor) {
  const std::size_t start = cursor.offset();
  const std::uint8_t byte = cursor.Peek();
  const ValueType type = ReadValueType(cursor);
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

// What a body or a constant expression needs to know of its module beyond wat::Module.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "frontends/wasm/cursor.h"
#include "frontends/wasm/module.h"

namespace txvm::frontends::wasm {

/// Facts of the sections read so far.
struct Declarations {
  std::vector<std::uint32_t> types;         // of a type index: its index in Module::signatures
  std::vector<bool> is_open;                // (types,) whether others may be declared subtypes
  std::vector<wat::ValueType> elements;     // (element segments,) their types
  std::optional<std::uint32_t> data_count;  // data segments, where a section says so
  std::vector<bool> referable;              // (functions,) whether ref.func in a body may name it
  std::uint32_t imported_globals = 0;
  bool is_version_2 = false;  // ReadOptions::is_version_2
};

/// The value type that follows. Fault: kSyntax for what is none, kInvalid for an index beyond
/// `declarations.types`, kUnsupported for the types of garbage collection.
wat::ValueType ReadValueType(Cursor& cursor, const Declarations& declarations);

/// The same where only a reference may stand.
wat::ValueType ReadReferenceType(Cursor& cursor, const Declarations& declarations);

/// The type of references to the heap type that follows.
wat::ValueType ReadHeapType(Cursor& cursor, const Declarations& declarations, bool is_nullable);

using wat::IsReference;

/// Checks an index; the fault is "unknown WHAT INDEX". Returns whether it is in range.
bool CheckIndex(Cursor& cursor, const char* what, std::uint32_t index, std::size_t count,
                std::size_t at);

}  // namespace txvm::frontends::wasm

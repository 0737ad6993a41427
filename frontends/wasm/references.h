// References, tables that change and segments that are used at run time, as words and calls.
#pragma once

#include "frontends/wasm/module.h"
#include "isa/support/result.h"

namespace txvm::frontends::wat {

/// Elements that a table has room for when the module can grow it and names no maximum.
inline constexpr std::uint32_t kGrowRoom = 1024;
/// Elements that a table can have when code changes it, by default.
inline constexpr std::uint32_t kMaxLiveElements = 65'536;

/// Makes every reference a word, and code of every instruction on references, tables and segments.
/// A null is 0, a function its index plus one; what an embedding passes as an externref is kept as
/// it is. A table that table instructions name, or that is shared, becomes one global for each
/// element and one for its size; its elements are found by a balanced tree, 4 steps a level. An
/// indirect call through it reads the reference, then calls through a fixed table of all functions
/// that references can name. Other tables stay as they are. A segment that is used at run time
/// becomes a tree of its elements or words and a global with its length, which is 0 once dropped.
/// Signatures keep their indices, so types that differ in references stay apart.
/// A module without any of these is returned with its constants computed and its segments that are
/// not active dropped; so is one that was lowered before.
/// Errors: kLimit (a table that changes has more than `max_table` elements), kInvalid (an element
/// segment outside its table). Cost O(code + elements), 16 instructions an element.
isa::Result<Module> LowerReferences(Module module, std::uint32_t max_table = kMaxLiveElements);

}  // namespace txvm::frontends::wat

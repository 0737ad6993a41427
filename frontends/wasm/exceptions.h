// Exceptions, on a machine whose calls end only by a return.
// A throw puts its values into cells of its tag and sets the cell `pending`. Each call that may
// throw is followed by a check of that cell, 2 steps: where it is set, the function goes to its
// handler, or returns zeros. Which calls may throw is found over the whole module
// (exception_calls.h), so that a function from which nothing can be thrown stays as it is.
// A reference to an exception is its value: the tag's number and the words of its values. Nothing
// is allocated, and nothing can run out. Only where those are more than 4 words, or where a tag or
// a table holds such references, are they numbers of slots, which are never used again.
#pragma once

#include <cstdint>

#include "frontends/wasm/module.h"
#include "isa/support/result.h"

namespace txvm::frontends::wat {

inline constexpr std::uint32_t kMaxExceptionSlots = 1'024;  // taken in one instance's life
inline constexpr std::uint32_t kMaxSlotWords = 65'536;      // of all slots together
inline constexpr std::uint32_t kMaxTagValues = 65'536;      // of all tags of a module
inline constexpr std::uint32_t kMaxHandlerCode = 1u << 24;  // instructions of functions that throw,
inline constexpr std::uint32_t kMaxCodeForThrower = 8;  // and this many for each of the module's

/// Whether LowerExceptions changes the module: it has tags, exnref, or instructions on exceptions.
bool UsesExceptions(const Module& module);

/// Replaces every instruction on exceptions, and exnref by i64, v128 or i32. Exported functions and
/// the start function, where something is thrown in them, are called through a function that begins
/// without an exception and traps with kUncaughtException where one comes out.
/// Module::exceptions says where the exception is. Host functions may throw (but those of WASI), by
/// setting these cells, where imports_throw. A module without tags and tries stays as it is.
/// Errors: kLimit (kMaxTagValues, or kMaxHandlerCode, which a module reaches that rethrows from
/// many handlers and has many tags). Cost O(code * log code + handlers * values of tags).
isa::Result<Module> LowerExceptions(Module module);

/// What LowerExceptions makes of exnref in this module: i64 or v128, or i32 where it is a slot's
/// number.
ValueType LoweredExnRef(const Module& module);

}  // namespace txvm::frontends::wat

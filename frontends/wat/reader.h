// Reads a module with WABT and hands it over in txvm's own form. Nothing of WABT shows here.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "frontends/wasm/module.h"
#include "isa/support/result.h"

namespace txvm::frontends::wat {

inline constexpr std::size_t kMaxSourceBytes = 16u << 20;  // text or binary; WABT's form of it is
                                                           // ~70 bytes per instruction
inline constexpr std::size_t kMaxTrustedBytes = 512u
                                                << 10;  // larger ones are tried in a child first
inline constexpr std::uint64_t kMaxItems = 1u
                                           << 22;   // tokens of a text; instructions, targets and
                                                    // elements of a binary: ~70 bytes each in WABT
inline constexpr std::uint64_t kItemsPerField = 8;  // what a function, type, import, ... counts for
inline constexpr std::uint32_t kMaxNesting = 1'000;  // WABT recurses: kReadingStackBytes holds them
inline constexpr std::uint32_t kMaxFunctionLocals = 50'000;  // parameters included, as in browsers
// Of all functions, without parameters: 8 bytes of a binary declare 50,000.
inline constexpr std::uint64_t kMaxModuleLocals = std::uint64_t{1} << 24;

inline constexpr std::uint64_t kMaxTypeCopies = 1u
                                                << 24;  // values of types, summed over the blocks
                                                        // and calls that WABT copies them to

/// Parses and validates a module in text form.
/// Errors: kSyntax, kInvalid, kLimit (size, nesting, locals, values), each with its place; kHost
/// when the system refuses a thread or a process to read it in. Needs 64 KiB of the caller's stack.
isa::Result<Module> ReadText(std::string_view text, std::string_view file);

}  // namespace txvm::frontends::wat

// WABT's reader of the text format as an oracle for the own one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "frontends/wasm/module.h"
#include "isa/support/result.h"

namespace txvm::frontends::wat {

inline constexpr std::size_t kMaxWabtBytes = 16u << 20;  // text or binary; WABT's form of it is
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

/// Parses and validates a module in text form with WABT. A large or risky text is tried in a child
/// process first. Errors: kSyntax, kInvalid, kLimit (size, nesting, locals, values), kHost.
isa::Result<Module> ReadTextWithWabt(std::string_view text, std::string_view file);

/// The bytes WABT makes of a module in text form, without names; empty when it makes none. WABT may
/// abort on a malformed text: ask for those that ReadTextWithWabt accepts.
std::vector<std::uint8_t> EncodeWithWabt(std::string_view text);

}  // namespace txvm::frontends::wat

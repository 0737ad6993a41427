// Looks at hostile input before WABT's parser does. WABT 1.0.32 aborts on some malformed text and
// overflows the stack on deep nesting; its lexer and its binary walk do neither, so the guard uses
// those two and refuses what the parser could not survive.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "isa/result.h"

namespace txvm::frontends::wat {

/// Accepts text that the parser can be given. Errors: kLimit (size, nesting), kSyntax (an element
/// expression the parser asserts on). Modules embedded as strings are checked too.
isa::Result<void> GuardText(std::string_view text, std::string_view file);

/// Accepts a binary module that the reader can be given. Errors: kLimit (size, nesting).
/// Malformed modules are accepted: the reader itself refuses those.
isa::Result<void> GuardBinary(std::span<const std::uint8_t> bytes, std::string_view file);

}  // namespace txvm::frontends::wat

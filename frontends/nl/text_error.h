// Errors in texts that people write: a question, a canonical program.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "isa/result.h"

namespace txvm::frontends::nl {

/// The error about the byte `at` of a text, which may be its end: line and column (in bytes) in
/// `file`, and the line where it is short. REQUIRES: at <= text.size(). Cost O(text).
isa::Error ErrorAt(std::string_view text, std::size_t at, std::string_view file,
                   isa::ErrorCode code, std::string message);

}  // namespace txvm::frontends::nl

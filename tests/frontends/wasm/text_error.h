// An error at a place of a source text, with the line it shows.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "isa/support/result.h"

namespace txvm::frontends::wat {

/// An Error at line:column (from 1; values below 1 mean unknown) of `text`. O(text).
isa::Error TextError(isa::ErrorCode code, std::string message, std::string_view text,
                     std::string_view file, int line, int column);

}  // namespace txvm::frontends::wat

// The text of wide_helpers.wat, which is part of the binary.
#pragma once

#include <string_view>

namespace txvm::frontends::wat {

/// The text of "wide_helpers.wat"; empty for any other name.
std::string_view EmbeddedText(std::string_view name);

}  // namespace txvm::frontends::wat

// The texts of wide_helpers.wat and bulk_helpers.wat, which are part of the binary.
#pragma once

#include <string_view>

namespace txvm::frontends::wat {

/// The text of "wide_helpers.wat" or "bulk_helpers.wat"; empty for any other name.
std::string_view EmbeddedText(std::string_view name);

}  // namespace txvm::frontends::wat

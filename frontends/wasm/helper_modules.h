// The binary forms of wide_helpers.wat and bulk_helpers.wat, which are part of txvm.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace txvm::frontends::wat {

/// The bytes of "wide_helpers" or "bulk_helpers", names of functions included; empty for any other
/// name.
std::span<const std::uint8_t> HelperModule(std::string_view name);

}  // namespace txvm::frontends::wat

// Bytes as text that JSON and HTML may hold.
#pragma once

#include <cstdint>
#include <span>
#include <string>

namespace txvm::isa {

/// Base64 with padding, without line breaks. O(bytes). Source: RFC 4648, section 4.
std::string Base64(std::span<const std::uint8_t> bytes);

}  // namespace txvm::isa

// SHA-256 of a byte string: how a config.json names the weights it belongs to.
#pragma once

#include <cstdint>
#include <span>
#include <string>

namespace txvm::isa {

/// 64 lower-case hex digits. O(bytes). Source: FIPS 180-4.
std::string Sha256(std::span<const std::uint8_t> bytes);

}  // namespace txvm::isa

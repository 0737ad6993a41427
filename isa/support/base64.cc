#include "isa/support/base64.h"

#include <string_view>

namespace txvm::isa {

std::string Base64(std::span<const std::uint8_t> bytes) {
  constexpr std::string_view kDigits =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  constexpr std::uint32_t kMask = 63;
  std::string text;
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    std::uint32_t group = std::uint32_t{bytes[i]} << 16;
    if (i + 1 < bytes.size()) group |= std::uint32_t{bytes[i + 1]} << 8;
    if (i + 2 < bytes.size()) group |= bytes[i + 2];
    text += kDigits[group >> 18];
    text += kDigits[group >> 12 & kMask];
    text += i + 1 < bytes.size() ? kDigits[group >> 6 & kMask] : '=';
    text += i + 2 < bytes.size() ? kDigits[group & kMask] : '=';
  }
  return text;
}

}  // namespace txvm::isa

#include "isa/text.h"

#include <fmt/format.h>

#include <cstdint>

namespace txvm::isa {
namespace {

void AppendEscaped(std::string& out, std::string_view text) {
  constexpr std::string_view kHex = "0123456789abcdef";
  for (const char c : text) {
    const auto byte = static_cast<std::uint8_t>(c);
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (byte >= 0x20 && byte < 0x7F) {
      out += c;
    } else {
      out += '\\';
      out += kHex[byte >> 4];
      out += kHex[byte & 0xF];
    }
  }
}

}  // namespace

std::string Quoted(std::string_view text) {
  std::string out = "\"";
  AppendEscaped(out, text);
  return out + '"';
}

std::string QuotedShort(std::string_view text) {
  std::string out = "\"";
  AppendEscaped(out, text.substr(0, kShownBytes));
  return out + (text.size() > kShownBytes ? "...\"" : "\"");
}

std::string CountMismatch(std::string_view subject, std::string_view verb, std::string_view what,
                          std::size_t expected, std::size_t given) {
  return fmt::format("{} {} {} {}{}, but {} {} given", subject, verb, expected, what,
                     expected == 1 ? "" : "s", given, given == 1 ? "was" : "were");
}

}  // namespace txvm::isa

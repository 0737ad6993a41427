#include "isa/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>

namespace txvm::isa {
namespace {

bool IsPrintable(char c) { return c >= 0x20 && c < 0x7F; }

void AppendHex(std::string& out, char c) {
  constexpr std::string_view kHex = "0123456789abcdef";
  const auto byte = static_cast<std::uint8_t>(c);
  out += '\\';
  out += kHex[byte >> 4];
  out += kHex[byte & 0xF];
}

void AppendEscaped(std::string& out, std::string_view text) {
  for (const char c : text) {
    if (!IsPrintable(c)) {
      AppendHex(out, c);
      continue;
    }
    if (c == '"' || c == '\\') out += '\\';
    out += c;
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

std::string Printable(std::string_view text, std::size_t most) {
  std::string out;
  for (const char c : text.substr(0, most)) IsPrintable(c) ? out.push_back(c) : AppendHex(out, c);
  return text.size() > most ? out + "..." : out;
}

std::string Replaced(std::string_view text, std::string_view what, std::string_view by) {
  std::string out;
  for (std::size_t at; (at = text.find(what)) != std::string_view::npos;) {
    out += text.substr(0, at);
    out += by;
    text.remove_prefix(at + what.size());
  }
  return out += text;
}

bool EqualsIgnoreCase(std::string_view a, std::string_view b) {
  const auto upper = [](char c) {
    return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
  };
  return std::ranges::equal(a, b, {}, upper, upper);
}

std::string CountMismatch(std::string_view subject, std::string_view verb, std::string_view what,
                          std::size_t expected, std::size_t given) {
  return fmt::format("{} {} {} {}{}, but {} {} given", subject, verb, expected, what,
                     expected == 1 ? "" : "s", given, given == 1 ? "was" : "were");
}

}  // namespace txvm::isa

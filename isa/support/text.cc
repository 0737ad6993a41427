#include "isa/support/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

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

std::string NameList(std::span<const std::string_view> names) {
  std::string text;
  for (const std::string_view name : names.first(std::min(names.size(), kShownNames))) {
    text += fmt::format("{}'{}'", text.empty() ? "" : ", ", Printable(name));
  }
  if (names.size() > kShownNames) text += fmt::format(" and {} more", names.size() - kShownNames);
  return text;
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

std::string PluralText(std::uint64_t count, std::string_view what) {
  return fmt::format("{}{}", what, count == 1 ? "" : what.ends_with('s') ? "es" : "s");
}

std::string CountText(std::uint64_t count, std::string_view what) {
  return fmt::format("{} {}", count, PluralText(count, what));
}

std::string ExceedText(std::uint64_t count, std::string_view what) {
  return fmt::format("{} exceed{}", CountText(count, what), count == 1 ? "s" : "");
}

std::string CountMismatch(std::string_view subject, std::string_view verb, std::string_view what,
                          std::size_t expected, std::size_t given) {
  return fmt::format("{} {} {}, but {} {} given", subject, verb, CountText(expected, what), given,
                     given == 1 ? "was" : "were");
}

std::string ShownLine(std::string_view text, std::uint32_t line) {
  if (line == 0) return {};
  for (std::uint32_t i = 1; i < line; ++i) {
    const std::size_t newline = text.find('\n');
    if (newline == std::string_view::npos) return {};
    text.remove_prefix(newline + 1);
  }
  text = text.substr(0, text.find('\n'));
  if (text.ends_with('\r')) text.remove_suffix(1);
  return text.size() <= kShownLineBytes ? std::string(text) : std::string();
}

Error ErrorAt(std::string_view text, std::size_t at, std::string_view file, ErrorCode code,
              std::string message) {
  const std::string_view before = text.substr(0, at);
  const std::size_t begin = before.rfind('\n') + 1;  // npos + 1 is 0
  Error error{code, std::move(message), {std::string(file), 0, 0}, {}};
  error.place.line = static_cast<std::uint32_t>(1 + std::ranges::count(before, '\n'));
  error.place.column = static_cast<std::uint32_t>(at - begin + 1);
  error.source_line = ShownLine(text.substr(begin), 1);
  return error;
}

}  // namespace txvm::isa

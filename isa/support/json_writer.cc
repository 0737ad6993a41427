// JSON out.
#include "isa/support/json_writer.h"

#include <fmt/format.h>

#include <cmath>
#include <cstddef>

namespace txvm::isa {
namespace {

constexpr unsigned char kFirstPrintable = 0x20;
constexpr std::string_view kReplacement = "\xEF\xBF\xBD";  // U+FFFD in UTF-8

// Length of the well-formed UTF-8 sequence that starts `text`, 0 when there is none.
// Source: Unicode Standard table 3-7.
std::size_t Utf8Length(std::string_view text) {
  const auto byte = [&](std::size_t i) {
    return i < text.size() ? static_cast<unsigned char>(text[i]) : 0u;
  };
  const auto in = [&](std::size_t i, unsigned low, unsigned high) {
    return byte(i) >= low && byte(i) <= high;
  };
  const unsigned lead = byte(0);
  if (lead < 0x80) return 1;
  if (in(0, 0xC2, 0xDF)) return in(1, 0x80, 0xBF) ? 2 : 0;
  if (in(0, 0xE0, 0xEF)) {
    const unsigned low = lead == 0xE0 ? 0xA0 : 0x80;
    const unsigned high = lead == 0xED ? 0x9F : 0xBF;
    return in(1, low, high) && in(2, 0x80, 0xBF) ? 3 : 0;
  }
  if (in(0, 0xF0, 0xF4)) {
    const unsigned low = lead == 0xF0 ? 0x90 : 0x80;
    const unsigned high = lead == 0xF4 ? 0x8F : 0xBF;
    return in(1, low, high) && in(2, 0x80, 0xBF) && in(3, 0x80, 0xBF) ? 4 : 0;
  }
  return 0;
}

void AppendQuoted(std::string& out, std::string_view text) {
  out.push_back('"');
  while (!text.empty()) {
    const auto c = static_cast<unsigned char>(text.front());
    const std::size_t length = Utf8Length(text);
    if (c == '"' || c == '\\') {
      out.push_back('\\');
      out.push_back(static_cast<char>(c));
    } else if (c == '\n') {
      out += "\\n";
    } else if (c == '\t') {
      out += "\\t";
    } else if (c < kFirstPrintable || c == 0x7F) {
      out += fmt::format("\\u{:04x}", c);
    } else if (length == 0) {
      out += kReplacement;
    } else {
      out += text.substr(0, length);
    }
    text.remove_prefix(length == 0 ? 1 : length);
  }
  out.push_back('"');
}

}  // namespace

void JsonWriter::Separate() {
  if (needs_comma_) text_ += ", ";
  needs_comma_ = true;
}

JsonWriter& JsonWriter::Open(char bracket) {
  Separate();
  text_.push_back(bracket);
  needs_comma_ = false;
  return *this;
}

JsonWriter& JsonWriter::Close(char bracket) {
  text_.push_back(bracket);
  needs_comma_ = true;
  return *this;
}

JsonWriter& JsonWriter::Raw(std::string_view value) {
  Separate();
  text_ += value;
  return *this;
}

JsonWriter& JsonWriter::Key(std::string_view key) {
  Separate();
  AppendQuoted(text_, key);
  text_ += ": ";
  needs_comma_ = false;
  return *this;
}

JsonWriter& JsonWriter::Int(std::int64_t value) { return Raw(fmt::format("{}", value)); }
JsonWriter& JsonWriter::Uint(std::uint64_t value) { return Raw(fmt::format("{}", value)); }

JsonWriter& JsonWriter::Number(double value) {
  if (!std::isfinite(value)) return Null();
  return Raw(fmt::format("{:.6g}", value));
}

JsonWriter& JsonWriter::String(std::string_view value) {
  Separate();
  AppendQuoted(text_, value);
  return *this;
}

}  // namespace txvm::isa

// JSON out. Goals: stable key order, valid UTF-8 whatever the strings hold, one line per value.
// Non-goals: reading JSON, pretty printing.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace txvm::isa {

/// Builds one JSON text from left to right. INVARIANT: commas and key separators are placed by the
/// writer, so any sequence of balanced Begin/End calls with a Key before each object member is
/// valid JSON.
class JsonWriter {
 public:
  JsonWriter& BeginObject() { return Open('{'); }
  JsonWriter& EndObject() { return Close('}'); }
  JsonWriter& BeginArray() { return Open('['); }
  JsonWriter& EndArray() { return Close(']'); }
  JsonWriter& Key(std::string_view key);

  JsonWriter& Null() { return Raw("null"); }
  JsonWriter& Bool(bool value) { return Raw(value ? "true" : "false"); }
  JsonWriter& Int(std::int64_t value);
  JsonWriter& Uint(std::uint64_t value);
  /// As it is written. REQUIRES: a number of JSON's.
  JsonWriter& Number(std::string_view text) { return Raw(text); }
  /// Six significant digits; null when not finite.
  JsonWriter& Number(double value);
  /// Escapes control characters; bytes that are not valid UTF-8 become U+FFFD.
  JsonWriter& String(std::string_view value);
  /// The string, or null when it is empty.
  JsonWriter& StringOrNull(std::string_view value) {
    return value.empty() ? Null() : String(value);
  }

  /// The text so far.
  const std::string& text() const { return text_; }

 private:
  JsonWriter& Open(char bracket);
  JsonWriter& Close(char bracket);
  JsonWriter& Raw(std::string_view value);
  void Separate();

  std::string text_;
  bool needs_comma_ = false;
};

}  // namespace txvm::isa

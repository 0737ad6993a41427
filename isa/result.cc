#include "isa/result.h"

#include <fmt/format.h>

#include <cstdio>
#include <cstdlib>

namespace txvm::isa {

namespace {

// A line of someone else's file for a terminal: control characters would be obeyed, not shown.
std::string Shown(std::string_view line) {
  std::string shown(line);
  for (char& c : shown) {
    if ((static_cast<unsigned char>(c) < ' ' && c != '\t') || c == '\x7F') c = '?';
  }
  return shown;
}

// Whether a byte of UTF-8 goes on with the character before it.
bool IsContinuation(char byte) {
  constexpr unsigned kTopBits = 0xC0, kContinuation = 0x80;
  return (static_cast<unsigned char>(byte) & kTopBits) == kContinuation;
}

}  // namespace

std::string Error::ToString() const {
  std::string text;
  if (!place.file.empty()) {
    text = Shown(place.file);
    if (place.line != 0) text += fmt::format(":{}", place.line);
    if (place.line != 0 && place.column != 0) text += fmt::format(":{}", place.column);
    text += ": ";
  }
  text += "error: " + message;
  if (source_line.empty() || place.column == 0) return text;
  // Tabs are kept in the caret's line, so that the caret stands under its character whatever the
  // tab width; a column is a byte, and the bytes of one character of UTF-8 take one place.
  std::string indent;
  for (std::size_t i = 0; i + 1 < place.column && i < source_line.size(); ++i) {
    if (IsContinuation(source_line[i])) continue;
    indent += source_line[i] == '\t' ? '\t' : ' ';
  }
  return text + "\n  " + Shown(source_line) + "\n  " + indent + "^";
}

namespace internal {

void AssertFailed(const char* condition, const char* file, int line) {
  std::fprintf(stderr, "%s:%d: txvm bug: assertion failed: %s\n", file, line, condition);
  std::abort();
}

}  // namespace internal
}  // namespace txvm::isa

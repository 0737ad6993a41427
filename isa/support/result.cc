#include "isa/support/result.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>

namespace txvm::isa {

namespace {

// Whether a byte of UTF-8 goes on with the character before it.
bool IsContinuation(char byte) {
  constexpr unsigned kTopBits = 0xC0, kContinuation = 0x80;
  return (static_cast<unsigned char>(byte) & kTopBits) == kContinuation;
}

// The bytes of the character of UTF-8 at the front of a text; 0 where a terminal would obey it, as
// it does the control characters U+0000 to U+001F and U+007F to U+009F, or might not know it.
std::size_t ShownBytes(std::string_view text) {
  constexpr unsigned kOfTwo = 0xC2, kOfThree = 0xE0, kOfFour = 0xF0, kAfter = 0xF5;  // first bytes
  constexpr unsigned kDelete = 0x7F, kAfterControls = 0xA0;
  const auto first = static_cast<unsigned char>(text.front());
  if (first <= kDelete) return first >= ' ' && first != kDelete ? 1 : 0;
  if (first < kOfTwo || first >= kAfter) return 0;
  const std::size_t bytes = first < kOfThree ? 2 : first < kOfFour ? 3 : 4;
  if (text.size() < bytes || !std::ranges::all_of(text.substr(1, bytes - 1), IsContinuation)) {
    return 0;
  }
  const bool is_control = first == kOfTwo && static_cast<unsigned char>(text[1]) < kAfterControls;
  return is_control ? 0 : bytes;
}

// A text of someone else's for a terminal: '?' for every byte that is not shown, but for `kept`.
std::string Shown(std::string_view text, std::string_view kept = "\t") {
  std::string shown;
  while (!text.empty()) {
    const std::size_t bytes = kept.contains(text.front()) ? 1 : ShownBytes(text);
    shown += bytes == 0 ? "?" : text.substr(0, bytes);
    text.remove_prefix(bytes == 0 ? 1 : bytes);
  }
  return shown;
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
  text += "error: " + Shown(message, "\t\n");  // a compiler's has lines
  if (source_line.empty() || place.column == 0) return text;
  // Tabs are kept in the caret's line, so that the caret stands under its character whatever the
  // tab width; a column is a byte, and the bytes of one character of UTF-8 take one place.
  const std::string line = Shown(source_line);  // as many bytes
  std::string indent;
  for (std::size_t i = 0; i + 1 < place.column && i < line.size(); ++i) {
    if (IsContinuation(line[i])) continue;
    indent += line[i] == '\t' ? '\t' : ' ';
  }
  return text + "\n  " + line + "\n  " + indent + "^";
}

namespace internal {

void AssertFailed(const char* condition, const char* file, int line) {
  std::fprintf(stderr, "%s:%d: txvm bug: assertion failed: %s\n", file, line, condition);
  std::abort();
}

}  // namespace internal
}  // namespace txvm::isa

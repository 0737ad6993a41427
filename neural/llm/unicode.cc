#include "neural/llm/unicode.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <span>

namespace txvm::neural::llm {
namespace {

struct Range {
  char32_t first, last;
};
constexpr Range kLetters[] = {
#define TXVM_RANGE(first, last) {first, last},
#include "neural/llm/unicode_letters.def"
};
constexpr Range kNumbers[] = {
#include "neural/llm/unicode_numbers.def"
};
constexpr Range kWords[] = {
#include "neural/llm/unicode_words.def"
#undef TXVM_RANGE
};
static_assert(std::size(kLetters) > 600 && std::size(kNumbers) > 100);

constexpr char32_t kAsciiEnd = 0x80;

bool IsIn(std::span<const Range> ranges, char32_t value) {
  const auto after = std::ranges::upper_bound(ranges, value, {}, &Range::first);
  return after != ranges.begin() && value <= std::prev(after)->last;
}

}  // namespace

CodePoint FirstCodePoint(std::string_view text) {
  constexpr CodePoint kInvalid{kReplacementCharacter, 1, false};
  constexpr std::array<char32_t, 5> kLeast = {0, 0, 0x80, 0x800, 0x10000};  // by size
  constexpr char32_t kSurrogates = 0xD800, kSurrogatesEnd = 0xE000, kEnd = 0x110000;
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char lead = byte(0);
  if (lead < kAsciiEnd) return {lead, 1, true};
  const std::size_t size = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2;
  if (lead < 0xC2 || lead > 0xF4 || text.size() < size) return kInvalid;
  char32_t value = lead & (0x7Fu >> size);
  for (std::size_t i = 1; i < size; ++i) {
    if ((byte(i) & 0xC0) != 0x80) return kInvalid;
    value = value << 6 | (byte(i) & 0x3Fu);
  }
  const bool surrogate = value >= kSurrogates && value < kSurrogatesEnd;
  if (value < kLeast[size] || surrogate || value >= kEnd) return kInvalid;
  return {value, size, true};
}

void AppendUtf8(char32_t value, std::string& text) {
  const auto tail = [&](unsigned shift) {
    text += static_cast<char>(0x80 | (value >> shift & 0x3F));
  };
  if (value < kAsciiEnd) {
    text += static_cast<char>(value);
  } else if (value < 0x800) {
    text += static_cast<char>(0xC0 | value >> 6);
    tail(0);
  } else if (value < 0x10000) {
    text += static_cast<char>(0xE0 | value >> 12);
    tail(6);
    tail(0);
  } else {
    text += static_cast<char>(0xF0 | value >> 18);
    tail(12);
    tail(6);
    tail(0);
  }
}

std::string ValidUtf8(std::string_view text) {
  std::string valid;
  valid.reserve(text.size());
  while (!text.empty()) {
    const CodePoint point = FirstCodePoint(text);
    if (point.valid) {
      valid += text.substr(0, point.size);
    } else {
      AppendUtf8(kReplacementCharacter, valid);
    }
    text.remove_prefix(point.size);
  }
  return valid;
}

bool IsLetter(char32_t value) {
  if (value < kAsciiEnd) return (value | 0x20) >= 'a' && (value | 0x20) <= 'z';
  return IsIn(kLetters, value);
}
bool IsNumber(char32_t value) {
  if (value < kAsciiEnd) return value >= '0' && value <= '9';
  return IsIn(kNumbers, value);
}
bool IsWordPart(char32_t value) { return IsIn(kWords, value); }
bool IsSpace(char32_t value) {
  return (value >= 0x09 && value <= 0x0D) || value == 0x20 || value == 0x85 || value == 0xA0 ||
         value == 0x1680 || (value >= 0x2000 && value <= 0x200A) || value == 0x2028 ||
         value == 0x2029 || value == 0x202F || value == 0x205F || value == 0x3000;
}

}  // namespace txvm::neural::llm

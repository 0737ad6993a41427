// UTF-8 and the four classes of characters that pre-tokenizers ask for.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace txvm::neural::llm {

inline constexpr char32_t kReplacementCharacter = 0xFFFD;

/// A character and the bytes it takes.
struct CodePoint {
  char32_t value = 0;
  std::size_t size = 0;
  bool valid = true;
};

/// The character at the front of a text that is not empty. Bytes that are no UTF-8 (overlong,
/// surrogate, beyond 0x10FFFF, cut off) count one by one as U+FFFD.
CodePoint FirstCodePoint(std::string_view text);
void AppendUtf8(char32_t value, std::string& text);
/// `text` with every byte that is no UTF-8 replaced by U+FFFD.
std::string ValidUtf8(std::string_view text);

/// General categories L and N of Unicode 16.0, what belongs to words, and the White_Space property.
bool IsLetter(char32_t value);
bool IsNumber(char32_t value);
bool IsWordPart(char32_t value);
bool IsSpace(char32_t value);

}  // namespace txvm::neural::llm

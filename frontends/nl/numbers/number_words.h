// Numbers written in words: "twenty-five", "one hundred and three", "two thousand five hundred".
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace txvm::frontends::nl {

enum class WordKind : std::uint8_t {
  kZero,
  kUnit,
  kTeen,
  kTen,
  kHundred,
  kScale,         // thousand and up
  kOrdinal,       // first..ninth, also after a ten
  kPlace,         // the ordinals from tenth on that are one word
  kDigitOrdinal,  // st, nd, rd, th: only after digits
};

struct NumberWord {
  WordKind kind = WordKind::kZero;
  std::uint64_t value = 0;
};

/// The row of number_words.def, whatever the case of the letters.
std::optional<NumberWord> FindNumberWord(std::string_view word);

/// The end of the run of ASCII letters that begins at `at`; `at` itself when there is none.
std::size_t EndOfWord(std::string_view text, std::size_t at);

/// Where the next word of a number would begin after one that ends at `at`: after blanks, or
/// after one hyphen; `at` itself when there is neither.
std::size_t NextWord(std::string_view text, std::size_t at);

/// A number in words, or an ordinal that begins like one ("twenty-first") and is none.
struct WordNumber {
  std::uint64_t value = 0;
  std::size_t end = 0;      // one past its last letter
  bool is_ordinal = false;  // to be left as words
};

/// The longest number in words that begins at `at`, the first letter of a word. "and" joins only
/// after a hundred or a scale; "five six" and "nineteen ninety" are two numbers each. A bare scale
/// or hundred after a larger scale is left to who scales the number: "two million thousand".
std::optional<WordNumber> ReadWordNumber(std::string_view text, std::size_t at);

}  // namespace txvm::frontends::nl

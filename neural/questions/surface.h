// The last step from an expanded text to what a user would type: numbers in digits or words, "an"
// for "a", capitals, and, if asked for, the carelessness of real typing.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "neural/questions/numbers.h"
#include "neural/questions/random.h"

namespace txvm::neural::questions {

/// A stretch of a question: a number, or the text between two.
struct TextPiece {
  bool is_number = false;
  std::size_t variable = 0;
  std::string text;
};

struct SurfaceOptions {
  bool words = false;        // small numbers in words
  bool commas = true;        // 1,000
  bool dollar_sign = true;   // $5, else 5 dollars
  bool percent_sign = true;  // 5%, else 5 percent
  bool lower_case = false;
  bool no_punctuation = false;  // drops what ends sentences and apostrophes
  unsigned typos = 0;           // misspelt words, at most
};

/// Options as people type: mostly plain.
SurfaceOptions DrawSurface(Random& random);

/// The pieces of the question, text and numbers in turn. Nothing when a word of the text would be
/// read as a number or as a part of one.
std::optional<std::vector<TextPiece>> Surface(std::string_view marked, const Numbers& numbers,
                                              const SurfaceOptions& options, Random& random);

/// "12", "1,200", "2.50".
std::string InDigits(const Fraction& value, bool commas, bool is_money);
/// "twenty-five"; nothing beyond 9999, below 0 or for a fraction.
std::optional<std::string> InWords(const Fraction& value);
/// Whether a lower-case word means a number.
bool IsNumberWord(std::string_view lower);

}  // namespace txvm::neural::questions

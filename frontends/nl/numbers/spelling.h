// How the numbers of a question are spelled, as far as the text alone tells: digits, powers of ten,
// fractions, scales and "point". Lexer.h lists the forms. What depends on the numbers before one is
// lexer.cc's.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "frontends/nl/numbers/number.h"

namespace txvm::frontends::nl {

/// A number as it was found: plain decimal text and a fraction after it, times a power of ten, and
/// where it ends.
struct Spelling {
  std::string decimal;
  std::size_t end = 0;
  std::int64_t exponent = 0;
  SmallFraction fraction;
};

/// Digits joined by commas without blanks: "1,000", "1,2,3".
struct CommaRun {
  std::size_t end = 0;
  bool is_list = false;    // it begins with 0, or a group is too long to be one and is no year
  bool is_indian = false;  // "12,34,567"
};

inline constexpr std::size_t kGroup = 3;  // digits between two thousands separators

/// The character at `at`; NUL after the text.
constexpr char At(std::string_view text, std::size_t at) {
  return at < text.size() ? text[at] : '\0';
}

/// The end of the run of digits that begins at `at`; `at` itself when there is none.
std::size_t EndOfDigits(std::string_view text, std::size_t at);

/// Whether a number in digits, without its sign, begins at `at`.
bool StartsDigits(std::string_view text, std::size_t at);

/// The run of commas whose first digit is at `at`.
CommaRun CommasAt(std::string_view text, std::size_t at);

/// Where three digits end that one blank separates from a digit before `end`, as thousands are in
/// "10 000"; `end` when there are none. After ' ' only where they begin with 0: "10 500" may be
/// two numbers, "10 000" hardly is, nor are "10, 000" and "10 ,000". U+00A0, U+2009 and U+202F join
/// any three.
std::size_t AfterBlankGroup(std::string_view text, std::size_t end);

/// Whether the digits from `at` to `end` and those after a comma may be one number with a comma
/// before its fraction, as in "1.234,56", where a point parts thousands, and in "0,75".
bool MayEndInComma(std::string_view text, std::size_t at, std::size_t end);

/// Takes "k" after a decimal or a fraction into it; false where there is none.
bool ReadThousand(std::string_view text, Spelling& spelling);

/// Takes "e3" or "k" after a decimal into it.
void ReadExponent(std::string_view text, Spelling& spelling);

/// Where a word for a scale that number_words.def lacks ends after a number, as in "5 lakh" or "2
/// quintillion"; `end` where there is none.
std::size_t AfterUnknownScale(std::string_view text, std::size_t end);

/// Where letters end after an amount from `begin` to `end` that may mean a million, a billion or a
/// trillion or else a unit; `end` where there are none. "M" glued to any number; "m", "bn", "tr"
/// and such beside a currency, also after one blank: "$3m", "$3 bn", "3 m€".
std::size_t AfterDoubtfulScale(std::string_view text, std::size_t begin, std::size_t end);

/// Where a half or quarters end after a number that ends at `end` in a thousand or more, of which
/// they may be a part: "two million and a half"; `end` where there are none.
std::size_t AfterDoubtfulHalf(std::string_view text, std::size_t end);

/// Where a proper fraction of small numbers ends whose digits begin at `at`, after a sign and a
/// currency at `begin`, with letters that may scale all of it or its divisor alone: "1/2k",
/// "$1/2m"; `at` where there is none.
std::size_t AfterDoubtfulFraction(std::string_view text, std::size_t begin, std::size_t at);

/// Takes the fraction of "1 3/4" or "1 ¾" after its integer, and a k after that, as in "1
/// 3/4k"; false where there is none.
bool ReadMixed(std::string_view text, Spelling& spelling);

/// "1/2 million", "3/4 thousand": a proper fraction of small numbers and a scale, at `at`.
std::optional<Spelling> ReadScaledFraction(std::string_view text, std::size_t at);

/// Takes what belongs to a number after its digits or words, in this order: the digits after
/// "point" ("three point one four", and after an integer also "3 point 14"), the fraction in words
/// after an integer ("two and a half", "3 and three quarters"; with "of" after it, it is a share
/// of something else), scales ("2.5 million", "5 hundred thousand", "3-thousand"), and what is
/// below the last scale ("3 thousand five hundred", "2 hundred and 50", "3 thousand 500").
void ReadRest(std::string_view text, Spelling& spelling);

/// "point five", where a number may begin with "point"; a minus before it makes sure of that.
std::optional<Spelling> ReadLonePoint(std::string_view text, std::size_t at, bool negative);

/// Whether "minus" at `at` is the sign of a number and no difference: after an operator, and
/// after words that an operand or a place on a scale follows. At the beginning it may be a
/// command.
bool MayBeSign(std::string_view text, std::size_t at);

/// Whether digits that end at `end` are those of "21st".
bool IsOrdinal(std::string_view text, std::size_t end);

/// Whether an ordinal says to which power: "to the 5th power".
bool IsExponent(std::string_view text, std::size_t begin, std::size_t end);

/// Whether an ordinal that ends at `end` says which Fibonacci number: "10th Fibonacci number",
/// "10th term of the Fibonacci sequence".
bool IsFibonacciIndex(std::string_view text, std::size_t end);

/// An ordinal in words that says the one or the other: "fifth", "tenth". The second and the third
/// power are words to the reader, as squared and cubed.
std::optional<Spelling> ReadPlace(std::string_view text, std::size_t at);

}  // namespace txvm::frontends::nl

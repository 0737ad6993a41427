// What the characters of a question are to its numbers, by their bytes in UTF-8.
#pragma once

#include <array>
#include <cstddef>
#include <string_view>

#include "frontends/nl/numbers/number.h"

namespace txvm::frontends::nl {

constexpr bool IsDigit(char c) { return c >= '0' && c <= '9'; }
constexpr bool IsLetter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
constexpr bool IsBlank(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

/// Length in bytes of the blank at `at`; 0 where none stands. The end of a line is one, "\r\n" as
/// well, and so are U+00A0, U+2009 and U+202F: Plain (codec.h) makes ' ' of each.
std::size_t BlankLength(std::string_view text, std::size_t at);

/// Where the blanks that begin at `at` end; `at` itself when there is none.
std::size_t AfterBlanks(std::string_view text, std::size_t at);

/// Where the blanks that end at `at` begin; `at` itself when there is none.
std::size_t BeforeBlanks(std::string_view text, std::size_t at);

/// Length in bytes of the letter, digit or underscore of a word at `at`; 0 where none stands. Of
/// the characters beyond ASCII, signs, punctuation and currencies (U+0080-U+00BF, the signs for
/// times and divided by, U+2000-U+2FFF) end a word; all others continue it.
std::size_t WordCharacter(std::string_view text, std::size_t at);

/// Whether a word ends before `at`.
bool IsAfterWord(std::string_view text, std::size_t at);

/// Whether a text is this word in lower case, whatever the case of its ASCII letters.
bool IsWord(std::string_view text, std::string_view lower);

/// Length in bytes of the minus at `at`, "-", U+2212 or the dash U+2013; 0 where none stands.
std::size_t MinusLength(std::string_view text, std::size_t at);

/// Length in bytes of the apostrophe at `at`, straight or curved; 0 where none stands.
std::size_t ApostropheLength(std::string_view text, std::size_t at);

/// The currencies that are written before an amount.
inline constexpr std::array<std::string_view, 6> kCurrencies = {"$", "€", "£", "¥", "₹", "₩"};

/// Length in bytes of the currency sign at `at`; 0 where none stands.
std::size_t CurrencyLength(std::string_view text, std::size_t at);

/// Whether a currency sign ends before `at`.
bool IsAfterCurrency(std::string_view text, std::size_t at);

/// A character that is a fraction.
struct FractionSign {
  std::string_view sign;
  SmallFraction value;
};

/// The fraction at `at`, of a table that never changes; null where none stands.
const FractionSign* FractionSignAt(std::string_view text, std::size_t at);

}  // namespace txvm::frontends::nl

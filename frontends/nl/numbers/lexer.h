// Finds the numbers of a question and takes them out, so that a reader sees slots N0, N1, ... and
// copies any magnitude exactly. Written by hand: no pattern language anywhere.
//
// Numbers are: digits (12), with thousands separators (1,000), decimals (2.50, .5), powers of ten
// (2e3, 10k), fraction signs (½, 1½), mixed numbers (1 3/4, two and a half), a minus, "minus" or
// "negative" where an operand may stand (-5, -$5, negative five, plus minus 5), scales after them
// (2.5 million, 5 hundred thousand, 3-thousand), and words (twenty-five, one hundred and three,
// three point one four, point five).
// Currency and percent signs stay in the text; only a $ after a minus belongs to its number. Not
// numbers: ordinals (third, 21st, twenty-first) but for exponents and places in the Fibonacci
// sequence (to the 5th power, tenth Fibonacci number), digits inside a word (A4), and words such as
// half, twice and dozen. Refused: what would be cut into pieces that mean something else (1.2.3,
// 1000,000, 12,34,567, 10 000, 10M).
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "frontends/nl/numbers/number.h"
#include "isa/support/result.h"

namespace txvm::frontends::nl {

/// A number of a question. Slot k is the k-th.
struct Number {
  Rational value;
  std::size_t begin = 0, end = 0;  // bytes of the question
  std::string text;                // as it was written
};

/// A question and its numbers, in order.
struct Lexed {
  std::string text;
  std::vector<Number> numbers;
};

/// A part of a question: a slot, or the text between two.
struct Piece {
  bool is_slot = false;
  std::size_t slot = 0;
  std::string_view text;  // of Lexed::text
};

inline constexpr std::size_t kMostQuestionBytes = std::size_t{1} << 20;

/// Errors: kSyntax for digits that have no one plain meaning; kLimit for a text beyond
/// kMostQuestionBytes, for more than kMaxSlots numbers, or for one that does not fit in 256 bits;
/// all but the first with line and column (in bytes) in "question", and the line where it is short.
/// Cost O(text).
isa::Result<Lexed> Lex(std::string_view text);

/// The question cut at its numbers; views into lexed.text.
std::vector<Piece> Pieces(const Lexed& lexed);

/// The question with "N0", "N1", ... in place of its numbers, for people to read.
std::string Slotted(const Lexed& lexed);

}  // namespace txvm::frontends::nl

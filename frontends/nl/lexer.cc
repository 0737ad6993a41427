#include "frontends/nl/lexer.h"

#include <fmt/format.h>

#include <optional>
#include <utility>

#include "frontends/nl/number_words.h"
#include "frontends/nl/token.h"

namespace txvm::frontends::nl {
namespace {

using isa::Error;
using isa::ErrorCode;
using isa::Result;

constexpr std::size_t kGroup = 3;  // digits between two thousands separators

bool IsDigit(char c) { return c >= '0' && c <= '9'; }
bool IsBlank(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }
bool IsLetter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
/// Length of the letter, digit or underscore of a word at `at`; 0 where none stands. Of the
/// characters beyond ASCII, signs, punctuation and currencies (U+0080-U+00BF, the signs for times
/// and divided by, U+2000-U+2FFF) end a word; all others continue it.
std::size_t WordCharacter(std::string_view text, std::size_t at) {
  constexpr unsigned kContinuation = 0x80, kLead = 0xC0, kLatinSigns = 0xC2, kLatin = 0xC3;
  constexpr unsigned kTimes = 0x97, kDividedBy = 0xB7, kSigns = 0xE2;
  const auto byte = [&](std::size_t i) {
    return i < text.size() ? static_cast<unsigned char>(text[i]) : 0U;
  };
  if (at >= text.size()) return 0;
  const unsigned lead = byte(at), next = byte(at + 1);
  if (lead < kContinuation) {
    return IsLetter(text[at]) || IsDigit(text[at]) || text[at] == '_' ? 1 : 0;
  }
  if (lead == kLatinSigns || lead == kSigns) return 0;
  if (lead == kLatin && (next == kTimes || next == kDividedBy)) return 0;
  if (lead < kLead) return 0;
  std::size_t length = 1;
  while ((byte(at + length) & kLead) == kContinuation) ++length;
  return length;
}

/// Whether a word ends before `at`.
bool IsAfterWord(std::string_view text, std::size_t at) {
  constexpr unsigned kLead = 0xC0, kContinuation = 0x80;
  while (at > 0) {
    --at;
    if ((static_cast<unsigned char>(text[at]) & kLead) != kContinuation) {
      return WordCharacter(text, at) != 0;
    }
  }
  return false;
}

/// A number as it was found: plain decimal text, and where it ends.
struct Spelling {
  std::string decimal;
  std::size_t end = 0;
};

class Lexer {
 public:
  explicit Lexer(std::string_view text) : text_(text) { out_.text = text; }
  Result<Lexed> Run() &&;

 private:
  char At(std::size_t i) const { return i < text_.size() ? text_[i] : '\0'; }
  std::size_t EndOfDigits(std::size_t at) const {
    while (IsDigit(At(at))) ++at;
    return at;
  }
  bool StartsDigits(std::size_t at) const {
    const bool after_point = at > 0 && At(at - 1) == '.';  // "1..10"
    return IsDigit(At(at)) || (At(at) == '.' && IsDigit(At(at + 1)) && !after_point);
  }
  bool MinusIsSign(std::size_t at) const;
  Spelling ReadDigits(std::size_t at) const;
  void ReadScale(Spelling& spelling) const;
  std::optional<Spelling> ReadWords(std::size_t at);
  void ReadPoint(Spelling& spelling) const;
  bool IsOrdinal(std::size_t end) const;
  bool IsPercent(std::size_t end) const;
  Result<void> Add(std::size_t begin, Spelling spelling, bool negative);
  Result<void> Step();
  Result<void> TakeDigits(std::size_t begin, bool negative);
  Result<void> TakeWord();

  std::string_view text_;
  std::size_t at_ = 0;
  Lexed out_;
};

/// A minus directly before digits is a sign unless an operand stands before it.
bool Lexer::MinusIsSign(std::size_t at) const {
  if (At(at) != '-' || !StartsDigits(at + 1)) return false;
  if (IsAfterWord(text_, at)) return false;
  std::size_t before = at;
  while (before > 0 && IsBlank(text_[before - 1])) --before;
  if (before == 0) return true;
  const char c = text_[before - 1];
  return !IsDigit(c) && c != ')' && c != ']' && c != '%';
}

// digits := digit{1,3} {"," digit{3}} ["." digit+] | digit+ ["." digit+] | "." digit+
Spelling Lexer::ReadDigits(std::size_t at) const {
  Spelling out;
  std::size_t end = EndOfDigits(at);
  out.decimal = text_.substr(at, end - at);
  if (end - at >= 1 && end - at <= kGroup) {
    while (At(end) == ',' && EndOfDigits(end + 1) == end + 1 + kGroup) {
      out.decimal += text_.substr(end + 1, kGroup);
      end += 1 + kGroup;
    }
  }
  if (At(end) == '.' && IsDigit(At(end + 1))) {
    const std::size_t stop = EndOfDigits(end + 1);
    out.decimal += text_.substr(end, stop - end);
    end = stop;
  }
  out.end = end;
  return out;
}

/// Moves the point of a decimal number to the right.
std::string Shift(std::string decimal, std::uint64_t scale) {
  constexpr std::uint64_t kTen = 10;
  std::size_t point = decimal.find('.');
  if (point == std::string::npos) {
    point = decimal.size();
    decimal.push_back('.');
  }
  for (; scale > 1; scale /= kTen, ++point) {
    if (point + 1 == decimal.size()) decimal.push_back('0');
    std::swap(decimal[point], decimal[point + 1]);
  }
  if (decimal.ends_with('.')) decimal.pop_back();
  return decimal;
}

/// "2.5 million", "5 hundred".
void Lexer::ReadScale(Spelling& spelling) const {
  std::size_t at = spelling.end;
  while (At(at) == ' ') ++at;
  if (at == spelling.end) return;
  const std::size_t end = EndOfWord(text_, at);
  const auto word = FindNumberWord(text_.substr(at, end - at));
  if (!word || (word->kind != WordKind::kScale && word->kind != WordKind::kHundred)) return;
  spelling.decimal = Shift(std::move(spelling.decimal), word->value);
  spelling.end = end;
}

/// "three point one four": digits in words behind "point".
void Lexer::ReadPoint(Spelling& spelling) const {
  constexpr std::string_view kPoint = " point";
  if (text_.substr(spelling.end, kPoint.size()) != kPoint) return;
  std::string fraction;
  std::size_t end = spelling.end + kPoint.size();
  while (At(end) == ' ') {
    const std::size_t stop = EndOfWord(text_, end + 1);
    const auto word = FindNumberWord(text_.substr(end + 1, stop - end - 1));
    if (!word || (word->kind != WordKind::kUnit && word->kind != WordKind::kZero)) break;
    fraction.push_back(static_cast<char>('0' + word->value));
    end = stop;
  }
  if (fraction.empty()) return;
  spelling.decimal += "." + fraction;
  spelling.end = end;
}

/// Whether digits that end here are those of "21st".
bool Lexer::IsOrdinal(std::size_t end) const {
  const std::size_t stop = EndOfWord(text_, end);
  const auto word = FindNumberWord(text_.substr(end, stop - end));
  return stop > end && word && word->kind == WordKind::kDigitOrdinal;
}

bool Lexer::IsPercent(std::size_t end) const {
  while (At(end) == ' ') ++end;
  return At(end) == '%' || text_.substr(end).starts_with("percent");
}

Result<void> Lexer::Add(std::size_t begin, Spelling spelling, bool negative) {
  const auto column = static_cast<std::uint32_t>(begin + 1);
  if (out_.numbers.size() == kMaxSlots) {
    return std::unexpected(Error{ErrorCode::kLimit,
                                 fmt::format("more than {} numbers in one question; the next is {}",
                                             kMaxSlots, text_.substr(begin, spelling.end - begin)),
                                 {"", 1, column},
                                 {}});
  }
  auto value = ParseDecimal((negative ? "-" : "") + spelling.decimal);
  if (!value) {
    value.error().place = {"", 1, column};
    return std::unexpected(std::move(value).error());
  }
  Number number;
  number.value = *value;
  number.begin = begin;
  number.end = spelling.end;
  number.text = text_.substr(begin, spelling.end - begin);
  number.is_money = begin > 0 && text_[begin - 1] == '$';
  number.is_percent = IsPercent(spelling.end);
  out_.numbers.push_back(std::move(number));
  at_ = spelling.end;
  return {};
}

Result<void> Lexer::TakeDigits(std::size_t begin, bool negative) {
  Spelling spelling = ReadDigits(begin + (negative ? 1 : 0));
  if (IsOrdinal(spelling.end)) {
    at_ = EndOfWord(text_, spelling.end);
    return {};
  }
  ReadScale(spelling);
  return Add(begin, std::move(spelling), negative);
}

Result<void> Lexer::TakeWord() {
  const std::size_t begin = at_;
  const std::optional<WordNumber> number = ReadWordNumber(text_, begin);
  if (number && number->is_ordinal) {
    at_ = number->end;
    return {};
  }
  if (number && WordCharacter(text_, number->end) == 0) {
    Spelling spelling{std::to_string(number->value), number->end};
    ReadPoint(spelling);
    return Add(begin, std::move(spelling), false);
  }
  while (const std::size_t length = WordCharacter(text_, at_)) at_ += length;
  return {};
}

Result<void> Lexer::Step() {
  if (StartsDigits(at_)) return TakeDigits(at_, false);
  if (MinusIsSign(at_)) return TakeDigits(at_, true);
  if (WordCharacter(text_, at_) != 0) return TakeWord();
  ++at_;
  return {};
}

Result<Lexed> Lexer::Run() && {
  while (at_ < text_.size()) TXVM_CHECK_OK(Step());
  return std::move(out_);
}

}  // namespace

Result<Lexed> Lex(std::string_view text) { return Lexer(text).Run(); }

std::vector<Piece> Pieces(const Lexed& lexed) {
  std::vector<Piece> pieces;
  std::size_t at = 0;
  const std::string_view text = lexed.text;
  const auto add_text = [&](std::size_t end) {
    if (end > at) pieces.push_back({false, 0, text.substr(at, end - at)});
  };
  for (std::size_t slot = 0; slot < lexed.numbers.size(); ++slot) {
    const Number& number = lexed.numbers[slot];
    add_text(number.begin);
    pieces.push_back({true, slot, text.substr(number.begin, number.end - number.begin)});
    at = number.end;
  }
  add_text(text.size());
  return pieces;
}

std::string Slotted(const Lexed& lexed) {
  std::string out;
  for (const Piece& piece : Pieces(lexed)) {
    out += piece.is_slot ? TokenText(SlotToken(piece.slot)) : std::string(piece.text);
  }
  return out;
}

}  // namespace txvm::frontends::nl

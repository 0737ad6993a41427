#include "frontends/nl/lexer.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <numeric>
#include <optional>
#include <utility>

#include "frontends/nl/characters.h"
#include "frontends/nl/number_words.h"
#include "frontends/nl/token.h"
#include "neural/llm/unicode.h"

namespace txvm::frontends::nl {
namespace {

using isa::Error;
using isa::ErrorCode;
using isa::Result;

constexpr std::size_t kGroup = 3;       // digits between two thousands separators
constexpr std::size_t kMostShown = 40;  // bytes of a spelling in a message
constexpr std::uint64_t kTen = 10;

/// The text in a message: valid UTF-8, cut where it is long.
std::string Shown(std::string_view text) {
  const std::string shown = neural::llm::ValidUtf8(text.substr(0, kMostShown));
  return text.size() <= kMostShown ? shown : shown + "...";
}

/// A number as it was found: plain decimal text and a fraction behind it, times a power of ten, and
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
  bool is_list = false;    // a group is too long for one between separators and is no year
  bool is_indian = false;  // "12,34,567"
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
    return IsDigit(At(at)) || (At(at) == '.' && IsDigit(At(at + 1)) && !after_point) ||
           FractionSignAt(text_, at) != nullptr;
  }
  bool IsAfterOperand(std::size_t at) const;
  std::size_t BehindSign(std::size_t at) const;
  std::size_t BehindNegative(std::size_t at) const;
  CommaRun CommasAt(std::size_t at) const;
  Spelling ReadDecimal(std::size_t at);
  void ReadExponent(Spelling& spelling) const;
  std::string_view WhyMalformed(std::size_t at, std::size_t end) const;
  Error Refused(ErrorCode code, std::size_t at, std::string message) const;
  std::unexpected<Error> RefuseSpelling(std::size_t at, std::string_view why) const;
  bool ReadMixed(Spelling& spelling) const;
  Result<Spelling> ReadDigits(std::size_t at);
  void ReadScale(Spelling& spelling) const;
  bool ReadPoint(Spelling& spelling, std::size_t at) const;
  bool MayBePoint(std::size_t at) const;
  std::optional<Spelling> ReadLonePoint(std::size_t at, bool negative) const;
  bool IsOrdinal(std::size_t end) const;
  bool IsPercent(std::size_t end) const;
  Result<void> Add(std::size_t begin, Spelling spelling, bool negative);
  Result<void> Step();
  Result<void> TakeDigits(std::size_t begin, std::size_t digits);
  Result<void> TakeWord();

  std::string_view text_;
  std::size_t at_ = 0;
  std::size_t list_end_ = 0;  // of a run of commas that separate no thousands
  Lexed out_;
};

/// Whether an operand ends before `at`, apart from blanks.
bool Lexer::IsAfterOperand(std::size_t at) const {
  std::size_t before = at;
  while (before > 0 && IsBlank(text_[before - 1])) --before;
  if (before == 0) return false;
  const char c = text_[before - 1];
  if (IsDigit(c) || c == ')' || c == ']' || c == '}' || c == '%') return true;
  if (out_.numbers.empty()) return false;
  std::string_view between = text_.substr(out_.numbers.back().end);
  between.remove_suffix(text_.size() - before);
  while (between.starts_with(' ')) between.remove_prefix(1);
  return between.empty() || IsWord(between, "percent");
}

/// A minus directly before digits, or before a $ and digits, is a sign unless an operand stands
/// before it. Where the digits begin; `at` where there is no sign.
std::size_t Lexer::BehindSign(std::size_t at) const {
  const std::size_t length = MinusLength(text_, at);
  if (length == 0) return at;
  const std::size_t digits = at + length + (At(at + length) == '$' ? 1 : 0);
  if (!StartsDigits(digits) || IsAfterWord(text_, at) || IsAfterOperand(at)) return at;
  return digits;
}

/// "negative" directly before a number is its sign, but not in "non-negative" and not where it is
/// said of the number before it: "if 5 is negative 3 else 4". Where the number, or another word,
/// begins; `at` where there is no such sign.
std::size_t Lexer::BehindNegative(std::size_t at) const {
  const std::size_t stop = EndOfWord(text_, at);
  if (!IsWord(text_.substr(at, stop - at), "negative") || (at > 0 && text_[at - 1] == '-')) {
    return at;
  }
  if (!out_.numbers.empty()) {
    const std::size_t end = out_.numbers.back().end;
    if (IsWord(text_.substr(end, at - end), " is ")) return at;
  }
  std::size_t next = stop;
  while (At(next) == ' ') ++next;
  if (next == stop) return at;
  if (At(next) == '$' && StartsDigits(next + 1)) ++next;
  return StartsDigits(next) || IsLetter(At(next)) ? next : at;
}

CommaRun Lexer::CommasAt(std::size_t at) const {
  constexpr std::size_t kYear = 4;  // digits; written without separators, from 1900 to 2099
  CommaRun run{EndOfDigits(at), false, false};
  const std::size_t first = run.end - at;
  std::size_t groups = 1, last = first, pairs = 0;
  for (std::size_t begin = at;;) {
    const std::string_view century = text_.substr(begin, 2);
    const bool is_year = last == kYear && (century == "19" || century == "20");
    run.is_list = run.is_list || (last > kGroup && !is_year);
    if (At(run.end) != ',' || !IsDigit(At(run.end + 1))) break;
    begin = run.end + 1;
    run.end = EndOfDigits(begin);
    last = run.end - begin;
    ++groups;
    pairs += last == 2 ? 1 : 0;
  }
  run.is_indian = first >= 1 && first <= 2 && groups > 2 && pairs == groups - 2 && last == kGroup;
  return run;
}

// decimal := digit{1,3} {"," digit{3}} ["." digit+] | digit+ ["." digit+] | "." digit+
Spelling Lexer::ReadDecimal(std::size_t at) {
  Spelling out;
  std::size_t end = EndOfDigits(at);
  out.decimal = text_.substr(at, end - at);
  if (end > at && at >= list_end_) {
    if (const CommaRun run = CommasAt(at); run.is_list) list_end_ = run.end;
  }
  if (end - at >= 1 && end - at <= kGroup && at >= list_end_) {
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

// exponent := ("e" | "E") ["+" | minus] digit+ | "k" | "K", with no word character behind it
void Lexer::ReadExponent(Spelling& spelling) const {
  constexpr std::int64_t kThousand = 3, kMost = 1'000'000'000;  // far beyond 256 bits
  const char sign = At(spelling.end);
  std::size_t at = spelling.end + 1;
  if ((sign == 'k' || sign == 'K') && WordCharacter(text_, at) == 0) {
    spelling.exponent = kThousand;
    spelling.end = at;
  }
  if (sign != 'e' && sign != 'E') return;
  const std::size_t minus = MinusLength(text_, at);
  at += At(at) == '+' ? 1 : minus;
  const std::size_t stop = EndOfDigits(at);
  if (stop == at || WordCharacter(text_, stop) != 0) return;
  std::int64_t exponent = 0;
  for (; at < stop; ++at) {
    exponent = std::min(exponent * static_cast<std::int64_t>(kTen) + (text_[at] - '0'), kMost);
  }
  spelling.exponent = minus != 0 ? -exponent : exponent;
  spelling.end = stop;
}

/// What is wrong with digits that begin at `at` and were read to `end`; nothing where they and what
/// is glued to them have one plain meaning.
std::string_view Lexer::WhyMalformed(std::size_t at, std::size_t end) const {
  const char c = At(end);
  const std::size_t glued = IsDigit(At(end + 1)) ? EndOfDigits(end + 1) - end - 1 : 0;
  if (c == '.' && glued > 0) return "a number has one point at most";
  if (IsDigit(c) || FractionSignAt(text_, end) != nullptr) {
    return "a fraction stands alone or ends an integer";
  }
  if ((c == ',' && glued > 1 && At(end + 1) == '0') ||
      ((c == '_' || c == '\'') && glued == kGroup)) {
    return "thousands are separated as in 1,000,000, and the numbers of a list by a comma and a "
           "blank";
  }
  if (IsDigit(At(at)) && at >= list_end_ && CommasAt(at).is_indian) {
    return "it is a list, or a number without groups of three digits; write a blank behind each "
           "comma of a list";
  }
  const std::string_view word = text_.substr(end, EndOfWord(text_, end) - end);
  const bool is_money = at > 0 && At(at - 1) == '$';
  if (WordCharacter(text_, end + word.size()) != 0) return {};
  if (word == "M" || (is_money && (word == "m" || IsWord(word, "b") || IsWord(word, "bn")))) {
    return "write million or billion in full if that is meant, else a blank before the unit";
  }
  return {};
}

/// The error with its place: line and column of the byte `at`.
Error Lexer::Refused(ErrorCode code, std::size_t at, std::string message) const {
  constexpr std::size_t kMostLine = 200;  // bytes; a longer line is not shown
  const std::string_view before = text_.substr(0, at);
  const std::size_t begin = before.rfind('\n') + 1;  // npos + 1 is 0
  const std::string_view line = text_.substr(begin, text_.find('\n', at) - begin);
  Error error{code, std::move(message), {}, {}};
  error.place = {"question", static_cast<std::uint32_t>(1 + std::ranges::count(before, '\n')),
                 static_cast<std::uint32_t>(at - begin + 1)};
  if (line.size() <= kMostLine) error.source_line = line;
  return error;
}

std::unexpected<Error> Lexer::RefuseSpelling(std::size_t at, std::string_view why) const {
  std::size_t end = at;
  while (end < text_.size() && end - at <= kMostShown) {
    const FractionSign* fraction = FractionSignAt(text_, end);
    const bool joins = std::string_view(".,'").find(text_[end]) != std::string_view::npos;
    const std::size_t length = fraction != nullptr             ? fraction->sign.size()
                               : joins && IsDigit(At(end + 1)) ? 1
                                                               : WordCharacter(text_, end);
    if (length == 0) break;
    end += length;
  }
  return std::unexpected(
      Refused(ErrorCode::kSyntax, at,
              fmt::format("'{}' is no number: {}", Shown(text_.substr(at, end - at)), why)));
}

// mixed := digit+ " " digit{1,2} "/" digit{1,2}, a proper fraction that nothing is glued to
/// The fraction of "1 3/4" behind its integer; false where there is none.
bool Lexer::ReadMixed(Spelling& spelling) const {
  constexpr std::size_t kMostDigits = 2;
  const auto value = [this](std::size_t begin, std::size_t end) {
    std::uint32_t out = 0;
    std::from_chars(text_.data() + begin, text_.data() + end, out);
    return out;
  };
  if (At(spelling.end) != ' ') return false;
  const std::size_t begin = spelling.end + 1, slash = EndOfDigits(begin);
  const std::size_t end = EndOfDigits(slash + 1);
  if (At(slash) != '/' || slash - begin > kMostDigits || end - slash - 1 > kMostDigits)
    return false;
  const SmallFraction fraction = {value(begin, slash), value(slash + 1, end)};
  if (fraction.numerator == 0 || fraction.numerator >= fraction.denominator) return false;
  const char next = At(end);
  const bool is_glued = WordCharacter(text_, end) != 0 || next == '/' || next == '-' ||
                        next == '^' || ((next == '.' || next == ',') && IsDigit(At(end + 1)));
  if (is_glued) return false;
  const std::uint32_t common = std::gcd(fraction.numerator, fraction.denominator);
  spelling.fraction = {fraction.numerator / common, fraction.denominator / common};
  spelling.end = end;
  return true;
}

// digits := decimal [exponent] | [digit+] fraction_sign | mixed
Result<Spelling> Lexer::ReadDigits(std::size_t at) {
  Spelling out = ReadDecimal(at);
  const FractionSign* fraction = FractionSignAt(text_, out.end);
  const bool is_integer = out.decimal.find('.') == std::string::npos;
  if (fraction != nullptr && is_integer) {
    out.fraction = fraction->value;
    out.end += fraction->sign.size();
  } else if (!is_integer || out.decimal.empty() || !ReadMixed(out)) {
    ReadExponent(out);
  }
  const std::string_view why = WhyMalformed(at, out.end);
  if (!why.empty()) return RefuseSpelling(at, why);
  return out;
}

/// "2.5 million", "5 hundred thousand".
void Lexer::ReadScale(Spelling& spelling) const {
  while (At(spelling.end) == ' ') {
    std::size_t at = spelling.end;
    while (At(at) == ' ') ++at;
    const std::size_t end = EndOfWord(text_, at);
    const auto word = FindNumberWord(text_.substr(at, end - at));
    if (!word || (word->kind != WordKind::kScale && word->kind != WordKind::kHundred)) return;
    for (std::uint64_t scale = word->value; scale > 1; scale /= kTen) ++spelling.exponent;
    spelling.end = end;
  }
}

/// "three point one four": digits in words behind "point", which begins at `at`.
bool Lexer::ReadPoint(Spelling& spelling, std::size_t at) const {
  std::size_t end = EndOfWord(text_, at);
  if (!IsWord(text_.substr(at, end - at), "point")) return false;
  std::string fraction;
  while (At(end) == ' ') {
    const std::size_t stop = EndOfWord(text_, end + 1);
    const auto word = FindNumberWord(text_.substr(end + 1, stop - end - 1));
    if (!word || (word->kind != WordKind::kUnit && word->kind != WordKind::kZero)) break;
    fraction.push_back(static_cast<char>('0' + word->value));
    end = stop;
  }
  if (fraction.empty()) return false;
  spelling.decimal += "." + fraction;
  spelling.end = end;
  return true;
}

/// Whether a number may begin with "point" at `at`: at the beginning, behind an operator, and
/// behind words that an operand follows. "The point" and "at this point" are none.
bool Lexer::MayBePoint(std::size_t at) const {
  constexpr std::array<std::string_view, 13> kBefore = {
      "is",   "plus", "minus", "times",    "by",       "and",   "of",
      "than", "to",   "add",   "subtract", "multiply", "divide"};
  std::size_t end = at;
  while (end > 0 && IsBlank(text_[end - 1])) --end;
  if (end == 0) return true;
  const char c = text_[end - 1];
  if (c == '(' || c == '[') return true;
  if (end == at) return false;
  if (std::string_view("+-*/^=<>").find(c) != std::string_view::npos) return true;
  std::size_t begin = end;
  while (begin > 0 && IsLetter(text_[begin - 1])) --begin;
  const std::string_view word = text_.substr(begin, end - begin);
  return std::ranges::any_of(kBefore, [word](std::string_view row) { return IsWord(word, row); });
}

/// "point five".
std::optional<Spelling> Lexer::ReadLonePoint(std::size_t at, bool negative) const {
  Spelling out;
  if (!ReadPoint(out, at) || WordCharacter(text_, out.end) != 0) return std::nullopt;
  if (!negative && !MayBePoint(at)) return std::nullopt;
  return out;
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
  const std::string_view written = text_.substr(begin, spelling.end - begin);
  if (out_.numbers.size() == kMaxSlots) {
    return std::unexpected(
        Refused(ErrorCode::kLimit, begin,
                fmt::format("more than {} numbers in one question; the next is {}", kMaxSlots,
                            Shown(written))));
  }
  const std::string decimal = (negative ? "-" : "") + spelling.decimal;
  auto value = spelling.fraction.numerator == 0
                   ? ParseDecimal(decimal, spelling.exponent)
                   : ParseMixed(decimal, spelling.fraction, spelling.exponent);
  if (!value) {
    return std::unexpected(Refused(value.error().code, begin, std::move(value.error().message)));
  }
  Number number;
  number.value = *value;
  number.begin = begin;
  number.end = spelling.end;
  number.text = written;
  number.is_money =
      (begin > 0 && text_[begin - 1] == '$') || number.text.find('$') != std::string::npos;
  number.is_percent = IsPercent(spelling.end);
  out_.numbers.push_back(std::move(number));
  at_ = spelling.end;
  return {};
}

/// A number whose sign, if any, begins at `begin` and whose digits at `digits`.
Result<void> Lexer::TakeDigits(std::size_t begin, std::size_t digits) {
  TXVM_TRY(Spelling spelling, ReadDigits(digits));
  if (IsOrdinal(spelling.end)) {
    at_ = EndOfWord(text_, spelling.end);
    return {};
  }
  ReadScale(spelling);
  return Add(begin, std::move(spelling), digits != begin);
}

Result<void> Lexer::TakeWord() {
  const std::size_t begin = at_, at = BehindNegative(begin);
  const bool negative = at != begin;
  if (StartsDigits(at)) return TakeDigits(begin, at);
  const std::optional<WordNumber> number = ReadWordNumber(text_, at);
  if (number && number->is_ordinal) {
    at_ = number->end;
    return {};
  }
  std::optional<Spelling> spelling = ReadLonePoint(at, negative);
  if (number && WordCharacter(text_, number->end) == 0) {
    spelling = {std::to_string(number->value), number->end, 0, {}};
    if (At(number->end) == ' ') ReadPoint(*spelling, number->end + 1);
  }
  if (spelling) {
    ReadScale(*spelling);
    return Add(begin, *std::move(spelling), negative);
  }
  while (const std::size_t length = WordCharacter(text_, at_)) at_ += length;
  return {};
}

Result<void> Lexer::Step() {
  const bool is_glued_fraction = FractionSignAt(text_, at_) != nullptr && IsAfterWord(text_, at_);
  if (StartsDigits(at_) && !is_glued_fraction) return TakeDigits(at_, at_);
  if (const std::size_t digits = BehindSign(at_); digits != at_) return TakeDigits(at_, digits);
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

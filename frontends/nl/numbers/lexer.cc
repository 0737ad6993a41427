#include "frontends/nl/numbers/lexer.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "frontends/nl/numbers/characters.h"
#include "frontends/nl/numbers/number_words.h"
#include "frontends/nl/numbers/slot.h"
#include "frontends/nl/numbers/spelling.h"
#include "isa/support/text.h"
#include "neural/llm/unicode.h"

namespace txvm::frontends::nl {
namespace {

using isa::Error;
using isa::ErrorCode;
using isa::Result;

constexpr std::size_t kMostShown = 40;  // bytes of a spelling in a message

/// The text in a message: valid UTF-8, cut where it is long.
std::string Shown(std::string_view text) {
  const std::string shown = neural::llm::ValidUtf8(text.substr(0, kMostShown));
  return text.size() <= kMostShown ? shown : shown + "...";
}

class Lexer {
 public:
  explicit Lexer(std::string_view text) : text_(text) { out_.text = text; }
  Result<Lexed> Run() &&;

 private:
  bool IsAfterOperand(std::size_t at) const;
  std::size_t AfterSign(std::size_t at) const;
  std::size_t AfterSignWord(std::size_t at) const;
  bool IsTimesSign(std::size_t at) const;
  Spelling ReadDecimal(std::size_t at);
  std::string_view WhyMalformed(std::size_t at, std::size_t end) const;
  Error Refused(ErrorCode code, std::size_t at, std::string message) const;
  std::unexpected<Error> RefuseSpelling(std::size_t at, std::string_view why) const;
  std::unexpected<Error> RefuseText(std::size_t begin, std::size_t end, std::string_view why) const;
  Result<Spelling> ReadDigits(std::size_t at);
  Result<void> Add(std::size_t begin, Spelling spelling, bool negative);
  Result<void> Step();
  Result<void> TakeDigits(std::size_t begin, std::size_t digits);
  Result<void> TakeWord();

  std::string_view text_;
  std::size_t at_ = 0;
  std::size_t after_ = 0;     // the last number and the blanks after it
  std::size_t list_end_ = 0;  // of a run of commas that separate no thousands
  Lexed out_;
};

/// Whether an operand ends before `at`, apart from blanks.
bool Lexer::IsAfterOperand(std::size_t at) const {
  const std::size_t before = BeforeBlanks(text_, at);
  if (before == 0) return false;
  const std::string_view left = text_.substr(0, before);
  const auto ends_operand = [](char c) { return IsDigit(c) || c == ')' || c == ']' || c == '}'; };
  if (ends_operand(left.back()) || left.ends_with('%')) return true;
  if (left.ends_with("²") || left.ends_with("³")) return true;
  if (left.ends_with('!')) {
    const std::size_t operand = BeforeBlanks(left, before - 1);
    if (operand > 0 && ends_operand(left[operand - 1])) return true;
  }
  if (out_.numbers.empty()) return false;
  constexpr std::array<std::string_view, 5> kAfterOperands = {"percent", "per cent", "squared",
                                                              "cubed", "factorial"};
  if (before == out_.numbers.back().end) return true;
  const std::string_view said = text_.substr(after_, before - std::min(before, after_));
  return std::ranges::any_of(kAfterOperands,
                             [said](std::string_view row) { return IsWord(said, row); });
}

/// A minus directly before digits, or before a currency and digits, is a sign unless an operand
/// stands before it. Where the digits begin; `at` where there is no sign.
std::size_t Lexer::AfterSign(std::size_t at) const {
  const std::size_t length = MinusLength(text_, at);
  if (length == 0) return at;
  const std::size_t digits = at + length + CurrencyLength(text_, at + length);
  if (!StartsDigits(text_, digits) || IsAfterWord(text_, at) || IsAfterOperand(at)) return at;
  return digits;
}

/// "negative" directly before a number is its sign, but not in "non-negative" and not where it is
/// said of the number before it: "if 5 is negative 3 else 4"; and so is "minus" where no difference
/// may stand. Where the number, or another word, begins; `at` where there is no such sign.
std::size_t Lexer::AfterSignWord(std::size_t at) const {
  const std::size_t stop = EndOfWord(text_, at);
  const std::string_view word = text_.substr(at, stop - at);
  const bool is_minus = IsWord(word, "minus");
  if (!is_minus && !IsWord(word, "negative")) return at;
  if (is_minus ? !MayBeSign(text_, at) : at > 0 && text_[at - 1] == '-') return at;
  if (!is_minus && !out_.numbers.empty()) {
    const std::size_t end = BeforeBlanks(text_, at);
    const bool is_apart = after_ > out_.numbers.back().end && end < at && end > after_;
    if (is_apart && IsWord(text_.substr(after_, end - after_), "is")) return at;
  }
  std::size_t next = AfterBlanks(text_, stop);
  if (next == stop) return at;
  const std::size_t currency = CurrencyLength(text_, next);
  if (StartsDigits(text_, next + currency)) next += currency;
  return StartsDigits(text_, next) || IsLetter(At(text_, next)) ? next : at;
}

/// Whether `at` is the x of "5x3", "5x.3" or "5x½"; "0x3" is no product.
bool Lexer::IsTimesSign(std::size_t at) const {
  const bool is_x = text_[at] == 'x' || text_[at] == 'X';
  const bool is_point = At(text_, at + 1) == '.' && IsDigit(At(text_, at + 2));
  const bool is_factor =
      is_point || IsDigit(At(text_, at + 1)) || FractionSignAt(text_, at + 1) != nullptr;
  if (!is_x || !is_factor || out_.numbers.empty()) return false;
  const Number& before = out_.numbers.back();
  return before.end == at && before.text != "0";
}

// decimal := digit{1,3} {"," digit{3}} ["." digit+] | digit+ ["." digit+] | "." digit+
// The first digit before a comma is not 0.
Spelling Lexer::ReadDecimal(std::size_t at) {
  Spelling out;
  std::size_t end = EndOfDigits(text_, at);
  out.decimal = text_.substr(at, end - at);
  if (end > at && at >= list_end_) {
    if (const CommaRun run = CommasAt(text_, at); run.is_list) list_end_ = run.end;
  }
  if (end - at >= 1 && end - at <= kGroup && at >= list_end_) {
    while (At(text_, end) == ',' && EndOfDigits(text_, end + 1) == end + 1 + kGroup) {
      out.decimal += text_.substr(end + 1, kGroup);
      end += 1 + kGroup;
    }
  }
  if (At(text_, end) == '.' && IsDigit(At(text_, end + 1))) {
    const std::size_t stop = EndOfDigits(text_, end + 1);
    out.decimal += text_.substr(end, stop - end);
    end = stop;
  }
  out.end = end;
  return out;
}

/// What is wrong with digits that begin at `at` and were read to `end`; nothing where they and what
/// is glued to them have one plain meaning.
std::string_view Lexer::WhyMalformed(std::size_t at, std::size_t end) const {
  const char c = At(text_, end);
  const std::size_t glued = IsDigit(At(text_, end + 1)) ? EndOfDigits(text_, end + 1) - end - 1 : 0;
  if (c == '.' && glued > 0) return "a number has one point at most";
  Spelling power;  // an "e3" that is left stands after a fraction
  power.end = end;
  ReadExponent(text_, power);
  if (IsDigit(c) || FractionSignAt(text_, end) != nullptr || power.end != end) {
    return "a fraction stands alone or ends an integer";
  }
  if (MayEndInComma(text_, at, end)) {
    return "a point stands before a fraction and commas between thousands, as in 1,234.56; write a "
           "blank after each comma of a list";
  }
  const std::size_t mark = c == '_' ? 1 : ApostropheLength(text_, end);
  const bool is_marked = mark > 0 && EndOfDigits(text_, end + mark) == end + mark + kGroup;
  if ((c == ',' && glued > 1 && At(text_, end + 1) == '0') || is_marked ||
      AfterBlankGroup(text_, end) != end) {
    return "thousands are separated as in 1,000,000, and the numbers of a list by a comma and a "
           "blank";
  }
  if (IsDigit(At(text_, at)) && at >= list_end_ && CommasAt(text_, at).is_indian) {
    return "it is a list, or a number without groups of three digits; write a blank after each "
           "comma of a list";
  }
  return {};
}

Error Lexer::Refused(ErrorCode code, std::size_t at, std::string message) const {
  return isa::ErrorAt(text_, at, "question", code, std::move(message));
}

std::unexpected<Error> Lexer::RefuseSpelling(std::size_t at, std::string_view why) const {
  std::size_t end = at;
  while (end < text_.size() && end - at <= kMostShown) {
    const FractionSign* fraction = FractionSignAt(text_, end);
    const bool is_point = text_[end] == '.' || text_[end] == ',';
    const std::size_t joint = is_point ? 1 : ApostropheLength(text_, end);
    const bool joins = joint > 0 && IsDigit(At(text_, end + joint));
    const std::size_t length = fraction != nullptr ? fraction->sign.size()
                               : joins             ? joint
                                                   : WordCharacter(text_, end);
    const std::size_t next = length == 0 ? AfterBlankGroup(text_, end) : end + length;
    if (next == end) break;
    end = next;
  }
  return RefuseText(at, end, why);
}

std::unexpected<Error> Lexer::RefuseText(std::size_t begin, std::size_t end,
                                         std::string_view why) const {
  return std::unexpected(
      Refused(ErrorCode::kSyntax, begin,
              fmt::format("'{}' is no number: {}", Shown(text_.substr(begin, end - begin)), why)));
}

// digits := decimal [exponent] | [digit+] fraction_sign ["k" | "K"] | mixed
Result<Spelling> Lexer::ReadDigits(std::size_t at) {
  Spelling out = ReadDecimal(at);
  const FractionSign* fraction = FractionSignAt(text_, out.end);
  const bool is_integer = out.decimal.find('.') == std::string::npos;
  if (fraction != nullptr && is_integer) {
    out.fraction = fraction->value;
    out.end += fraction->sign.size();
    ReadThousand(text_, out);
  } else if (!is_integer || out.decimal.empty() || !ReadMixed(text_, out)) {
    ReadExponent(text_, out);
  }
  const std::string_view why = WhyMalformed(at, out.end);
  if (!why.empty()) return RefuseSpelling(at, why);
  return out;
}

Result<void> Lexer::Add(std::size_t begin, Spelling spelling, bool negative) {
  const std::string_view written = text_.substr(begin, spelling.end - begin);
  if (out_.numbers.size() == kMaxSlots) {
    return std::unexpected(
        Refused(ErrorCode::kLimit, begin,
                fmt::format("more than {} numbers in one question; the next is {}", kMaxSlots,
                            Shown(written))));
  }
  if (const std::size_t end = AfterUnknownScale(text_, spelling.end); end != spelling.end) {
    return RefuseText(begin, end,
                      "the words for scales are hundred to quadrillion; write it in digits");
  }
  if (const std::size_t end = AfterDoubtfulScale(text_, begin, spelling.end); end != spelling.end) {
    return RefuseText(begin, end,
                      "write thousand, million, billion or trillion in full if that is meant, else "
                      "name the unit");
  }
  if (const std::size_t end = AfterDoubtfulHalf(text_, spelling.end); end != spelling.end) {
    return RefuseText(
        begin, end,
        "the part may be of the scale or of one; write it as 1.5 million, or in digits");
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
  out_.numbers.push_back(std::move(number));
  at_ = spelling.end;
  after_ = AfterBlanks(text_, at_);
  return {};
}

/// A number whose sign, if any, begins at `begin` and whose digits at `digits`.
Result<void> Lexer::TakeDigits(std::size_t begin, std::size_t digits) {
  const bool is_divisor = begin > 0 && text_[begin - 1] == '/';  // "1/2/3 million"
  if (!is_divisor) {
    if (const std::size_t end = AfterDoubtfulFraction(text_, begin, digits); end != digits) {
      return RefuseText(begin, end,
                        "letters after a fraction may scale all of it or its divisor alone; write "
                        "thousand or million in full, or blanks around the /");
    }
    auto scaled = ReadScaledFraction(text_, digits);
    if (scaled) return Add(begin, *std::move(scaled), digits != begin);
  }
  TXVM_TRY(Spelling spelling, ReadDigits(digits));
  if (IsOrdinal(text_, spelling.end)) {
    at_ = EndOfWord(text_, spelling.end);
    if (!IsExponent(text_, begin, at_) && !IsFibonacciIndex(text_, at_)) return {};
    spelling.end = at_;
    return Add(begin, std::move(spelling), digits != begin);
  }
  ReadRest(text_, spelling);
  return Add(begin, std::move(spelling), digits != begin);
}

Result<void> Lexer::TakeWord() {
  if (IsTimesSign(at_)) {
    ++at_;
    return TakeDigits(at_, at_);
  }
  const std::size_t begin = at_, at = AfterSignWord(begin);
  const bool negative = at != begin;
  if (StartsDigits(text_, at)) return TakeDigits(begin, at);
  const std::optional<WordNumber> number = ReadWordNumber(text_, at);
  if (number && number->is_ordinal) {
    at_ = number->end;
    return {};
  }
  std::optional<Spelling> spelling = ReadLonePoint(text_, at, negative);
  if (!spelling) spelling = ReadPlace(text_, at);
  if (number && WordCharacter(text_, number->end) == 0) {
    spelling = {std::to_string(number->value), number->end, 0, {}};
  }
  if (spelling) {
    ReadRest(text_, *spelling);
    return Add(begin, *std::move(spelling), negative);
  }
  while (const std::size_t length = WordCharacter(text_, at_)) at_ += length;
  return {};
}

Result<void> Lexer::Step() {
  const bool is_glued_fraction = FractionSignAt(text_, at_) != nullptr && IsAfterWord(text_, at_);
  if (StartsDigits(text_, at_) && !is_glued_fraction) return TakeDigits(at_, at_);
  if (const std::size_t digits = AfterSign(at_); digits != at_) return TakeDigits(at_, digits);
  if (WordCharacter(text_, at_) != 0) return TakeWord();
  ++at_;
  return {};
}

Result<Lexed> Lexer::Run() && {
  while (at_ < text_.size()) TXVM_CHECK_OK(Step());
  return std::move(out_);
}

}  // namespace

Result<Lexed> Lex(std::string_view text) {
  if (text.size() > kMostQuestionBytes) {
    return isa::Fail(ErrorCode::kLimit,
                     fmt::format("the question has {} bytes, more than the limit of {}",
                                 text.size(), kMostQuestionBytes));
  }
  return Lexer(text).Run();
}

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
    out += piece.is_slot ? SlotText(piece.slot) : std::string(piece.text);
  }
  return out;
}

}  // namespace txvm::frontends::nl

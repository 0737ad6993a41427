#include "frontends/nl/numbers/spelling.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <numeric>
#include <span>
#include <utility>

#include "frontends/nl/numbers/characters.h"
#include "frontends/nl/numbers/number_words.h"

namespace txvm::frontends::nl {
namespace {

constexpr std::uint64_t kTen = 10;
constexpr std::string_view kOperators = "+-*/^=<>";
constexpr std::array<std::string_view, 12> kBeforeOperands = {
    "is",   "plus", "minus", "times",    "by",       "of",
    "than", "to",   "add",   "subtract", "multiply", "divide"};

/// The word of letters that ends at `end`.
std::string_view WordBefore(std::string_view text, std::size_t end) {
  std::size_t begin = end;
  while (begin > 0 && IsLetter(text[begin - 1])) --begin;
  return text.substr(begin, end - begin);
}

bool IsOneOf(std::string_view word, std::span<const std::string_view> rows) {
  return std::ranges::any_of(rows, [word](std::string_view row) { return IsWord(word, row); });
}

/// Whether an operand begins at `at`: at the beginning, after an operator, and after words that
/// an operand follows. "The point" and "at this point" are none.
bool AwaitsOperand(std::string_view text, std::size_t at) {
  const std::size_t end = BeforeBlanks(text, at);
  if (end == 0) return true;
  const char c = text[end - 1];
  if (c == '(' || c == '[') return true;
  if (end == at) return false;
  if (kOperators.find(c) != std::string_view::npos) return true;
  const std::string_view word = WordBefore(text, end);
  return IsWord(word, "and") || IsOneOf(word, kBeforeOperands);
}

/// The words of letters after `end`, one after the other; empty where something else stands.
class Words {
 public:
  Words(std::string_view text, std::size_t end) : text_(text), end_(end) {}
  std::size_t end() const { return end_; }
  std::string_view Next() {
    const std::size_t at = NextWord(text_, end_);
    if (at == end_) return {};
    end_ = EndOfWord(text_, at);
    return text_.substr(at, end_ - at);
  }

 private:
  std::string_view text_;
  std::size_t end_;
};

/// Whether neither a point nor a fraction nor a scale was read.
bool IsInteger(const Spelling& spelling) {
  return spelling.decimal.find('.') == std::string::npos && spelling.fraction.numerator == 0 &&
         spelling.exponent == 0;
}

/// What stands after "point": digits, and where they end.
struct Fraction {
  std::string digits;
  std::size_t end = 0;
};

/// The words of "point one four" after the blanks at `at`.
Fraction DigitWordsAfter(std::string_view text, std::size_t at) {
  Fraction out{{}, at};
  while (true) {
    const std::size_t begin = AfterBlanks(text, out.end), stop = EndOfWord(text, begin);
    const auto word = FindNumberWord(text.substr(begin, stop - begin));
    const bool is_digit = word && (word->kind == WordKind::kUnit || word->kind == WordKind::kZero);
    if (begin == out.end || !is_digit || WordCharacter(text, stop) != 0) return out;
    out.digits.push_back(static_cast<char>('0' + word->value));
    out.end = stop;
  }
}

/// The digits of "point 14" after the blanks at `at`; none where they may be another number's.
Fraction DigitsAfter(std::string_view text, std::size_t at) {
  const std::size_t begin = AfterBlanks(text, at), end = EndOfDigits(text, begin);
  const char next = At(text, end);
  const bool is_glued = WordCharacter(text, end) != 0 || FractionSignAt(text, end) != nullptr ||
                        ((next == '.' || next == ',') && IsDigit(At(text, end + 1)));
  if (begin == at || is_glued) return {};
  return {std::string(text.substr(begin, end - begin)), end};
}

bool EndsInS(std::string_view text) { return text.ends_with('s') || text.ends_with('S'); }

std::string_view Singular(std::string_view word) {
  return word.substr(0, word.size() - (EndsInS(word) ? 1 : 0));
}

/// The power of ten of a word for a scale, which may be a plural: "5 millions"; 0 for another word.
std::int64_t ScaleOf(std::string_view word) {
  const auto found = FindNumberWord(Singular(word));
  std::int64_t power = 0;
  if (!found || (found->kind != WordKind::kScale && found->kind != WordKind::kHundred))
    return power;
  for (std::uint64_t scale = found->value; scale > 1; scale /= kTen) ++power;
  return power;
}

// half := ("a" | "one") ("half" | "quarter") | "three" "quarters", after "and"; what is "of"
// something is a share of that: "3 and a half of the rest". Where one ends that begins at `at`;
// `at` itself where there is none.
std::size_t AfterHalf(std::string_view text, std::size_t at, SmallFraction& value) {
  struct Row {
    std::string_view count, part;
    SmallFraction value;
  };
  constexpr std::array<Row, 5> kRows = {{{"a", "half", {1, 2}},
                                         {"one", "half", {1, 2}},
                                         {"a", "quarter", {1, 4}},
                                         {"one", "quarter", {1, 4}},
                                         {"three", "quarters", {3, 4}}}};
  Words words(text, at);
  if (!IsWord(words.Next(), "and")) return at;
  const std::string_view count = words.Next(), part = words.Next();
  const std::size_t stop = words.end();
  if (WordCharacter(text, stop) != 0 || IsWord(words.Next(), "of")) return at;
  for (const Row& row : kRows) {
    if (!IsWord(count, row.count) || !IsWord(part, row.part)) continue;
    value = row.value;
    return stop;
  }
  return at;
}

/// Whether a number ends in a thousand or more; a half after it may be half of that.
bool EndsInLargeScale(std::string_view text, std::size_t end) {
  constexpr std::int64_t kThousand = 3;  // power of ten
  return ScaleOf(WordBefore(text, end)) >= kThousand;
}

void ReadHalf(std::string_view text, Spelling& spelling) {
  if (!IsInteger(spelling) || EndsInLargeScale(text, spelling.end)) return;
  spelling.end = AfterHalf(text, spelling.end, spelling.fraction);
}

/// "2.5 million", "5 hundred thousand", "3-thousand". The power of ten of the last scale; 0 for
/// none.
std::int64_t ReadScale(std::string_view text, Spelling& spelling) {
  std::int64_t last = 0;
  while (true) {
    const std::size_t at = NextWord(text, spelling.end), end = EndOfWord(text, at);
    if (at == spelling.end || WordCharacter(text, end) != 0) return last;
    const std::int64_t power = ScaleOf(text.substr(at, end - at));
    if (power == 0) return last;
    last = power;
    spelling.exponent += last;
    spelling.end = end;
  }
}

/// Whether a word for a scale stands after `end`.
bool IsScaled(std::string_view text, std::size_t end) {
  Spelling none;
  none.end = end;
  return ReadScale(text, none) > 0;
}

// rest := ["and"] (number in words | digit+), below the last scale: "3 thousand five hundred", "2
// hundred and 50". After larger scales than a hundred, digits are of this number only as three, or
// with a smaller scale, and without an "and": "3 million 500 thousand", but "2 thousand and 15 were
// sold" may have two numbers. Nothing is added to a plural: "3 thousands, 5 hundreds".
void ReadBelowScale(std::string_view text, std::int64_t scale, Spelling& spelling) {
  constexpr std::int64_t kHundred = 2;  // power of ten
  if (scale == 0 || spelling.fraction.numerator != 0 || spelling.decimal.contains('.')) return;
  if (EndsInS(text.substr(0, spelling.end))) return;
  std::size_t at = AfterBlanks(text, spelling.end);
  if (at == spelling.end) return;
  const bool has_and = IsWord(text.substr(at, EndOfWord(text, at) - at), "and");
  if (has_and) at = AfterBlanks(text, at + 3);
  std::string rest;
  std::size_t end = at;
  if (IsDigit(At(text, at))) {
    end = EndOfDigits(text, at);
    const std::size_t digits = end - at;
    const char next = At(text, end);
    const bool goes_on =
        WordCharacter(text, end) != 0 || FractionSignAt(text, end) != nullptr ||
        ((next == '.' || next == ',' || next == '/') && IsDigit(At(text, end + 1)));
    Spelling smaller{std::string(text.substr(at, digits)), end, 0, {}};
    const std::int64_t second = ReadScale(text, smaller);
    const bool fits = scale == kHundred ? digits <= 2
                      : second > 0      ? digits <= kGroup && second < scale && !has_and
                                        : digits == kGroup && !has_and;
    if (goes_on || !fits || text[at] == '0') return;
    if (second > 0 && scale != kHundred) {
      ReadBelowScale(text, second, smaller);
      end = smaller.end;
    }
    rest = smaller.decimal + std::string(static_cast<std::size_t>(smaller.exponent), '0');
  } else if (const auto words = ReadWordNumber(text, at)) {
    if (words->is_ordinal || words->value == 0 || WordCharacter(text, words->end) != 0) return;
    rest = std::to_string(words->value);
    end = words->end;
  }
  const auto places = static_cast<std::size_t>(scale);
  if (rest.empty() || rest.size() > places || IsScaled(text, end)) return;
  spelling.decimal.append(static_cast<std::size_t>(spelling.exponent), '0');
  spelling.decimal.replace(spelling.decimal.size() - rest.size(), rest.size(), rest);
  spelling.exponent = 0;
  spelling.end = end;
}

// point := "point" blank (digit+ | digit_word {blank digit_word}), with nothing glued to it; digits
// only after an integer: "at this point 5 birds"
bool ReadPoint(std::string_view text, std::size_t at, Spelling& spelling) {
  const std::size_t stop = EndOfWord(text, at);
  if (!IsInteger(spelling) || !IsWord(text.substr(at, stop - at), "point")) return false;
  Fraction fraction = DigitWordsAfter(text, stop);
  if (fraction.digits.empty() && !spelling.decimal.empty()) fraction = DigitsAfter(text, stop);
  if (fraction.digits.empty()) return false;
  spelling.decimal += "." + fraction.digits;
  spelling.end = fraction.end;
  return true;
}

/// Whether a fraction that ends at `end` is part of something longer: "1 1/2-inch", "1 1/2/3"; not
/// in a difference, "3 1/2-1".
bool IsFractionGlued(std::string_view text, std::size_t end) {
  const char next = At(text, end);
  const bool is_hyphen =
      next == '-' && WordCharacter(text, end + 1) != 0 && !IsDigit(At(text, end + 1));
  return WordCharacter(text, end) != 0 || next == '/' || is_hyphen || next == '^' ||
         ((next == '.' || next == ',') && IsDigit(At(text, end + 1)));
}

// proper_fraction := digit{1,2} "/" digit{1,2}. Where one ends that begins at `at`; `at` itself
// when there is none.
std::size_t ReadProperFraction(std::string_view text, std::size_t at, SmallFraction& fraction) {
  constexpr std::size_t kMostDigits = 2;
  const auto value = [text](std::size_t begin, std::size_t end) {
    std::uint32_t out = 0;
    std::from_chars(text.data() + begin, text.data() + end, out);
    return out;
  };
  const std::size_t slash = EndOfDigits(text, at);
  if (At(text, slash) != '/' || slash - at > kMostDigits) return at;
  const std::size_t end = EndOfDigits(text, slash + 1);
  if (end - slash - 1 > kMostDigits) return at;
  const std::uint32_t numerator = value(at, slash), denominator = value(slash + 1, end);
  if (numerator == 0 || numerator >= denominator) return at;
  const std::uint32_t common = std::gcd(numerator, denominator);
  fraction = {numerator / common, denominator / common};
  return end;
}

/// Whether an amount from `begin` to `end` is of a currency, which stands before it, after its
/// minus, or at `stop`, after what it is counted in; one before digits is theirs: "3m €5".
bool IsMoney(std::string_view text, std::size_t begin, std::size_t end, std::size_t stop) {
  if (IsAfterCurrency(text, BeforeBlanks(text, begin))) return true;
  const std::string_view written = text.substr(begin, end - begin);
  const bool holds_currency = std::ranges::any_of(
      kCurrencies, [written](std::string_view sign) { return written.contains(sign); });
  const std::size_t at = stop + BlankLength(text, stop), after = at + CurrencyLength(text, at);
  return holds_currency || (after != at && !StartsDigits(text, after));
}

}  // namespace

std::size_t EndOfDigits(std::string_view text, std::size_t at) {
  while (IsDigit(At(text, at))) ++at;
  return at;
}

bool StartsDigits(std::string_view text, std::size_t at) {
  if (IsDigit(At(text, at)) || FractionSignAt(text, at) != nullptr) return true;
  if (At(text, at) != '.' || !IsDigit(At(text, at + 1))) return false;
  const bool is_after_point = at > 0 && text[at - 1] == '.';  // "1..10"
  return !is_after_point && !IsAfterWord(text, at);           // "10 apples.4 are rotten"
}

CommaRun CommasAt(std::string_view text, std::size_t at) {
  constexpr std::size_t kYear = 4;  // digits; written without separators, from 1900 to 2099
  CommaRun run{EndOfDigits(text, at), At(text, at) == '0', false};
  const std::size_t first = run.end - at;
  std::size_t groups = 1, last = first, pairs = 0;
  for (std::size_t begin = at;;) {
    const std::string_view century = text.substr(begin, 2);
    const bool is_year = last == kYear && (century == "19" || century == "20");
    run.is_list = run.is_list || (last > kGroup && !is_year);
    if (At(text, run.end) != ',' || !IsDigit(At(text, run.end + 1))) break;
    begin = run.end + 1;
    run.end = EndOfDigits(text, begin);
    last = run.end - begin;
    ++groups;
    pairs += last == 2 ? 1 : 0;
  }
  run.is_indian = first >= 1 && first <= 2 && groups > 2 && pairs == groups - 2 && last == kGroup;
  return run;
}

std::size_t AfterBlankGroup(std::string_view text, std::size_t end) {
  const std::string_view joint = text.substr(std::min(end, text.size()), 2);
  if ((joint == ", " || joint == " ,") && At(text, end + 2) == '0') {
    const std::size_t stop = EndOfDigits(text, end + 2);
    return stop - end - 2 == kGroup ? stop : end;
  }
  const std::size_t blank = BlankLength(text, end), begin = end + blank;
  const bool is_plain = At(text, end) == ' ';
  const bool is_joint = blank > 0 && (is_plain ? At(text, begin) == '0' : !IsBlank(text[end]));
  const bool is_after_digit = end > 0 && IsDigit(text[end - 1]);
  const std::size_t stop = EndOfDigits(text, begin);
  return is_joint && is_after_digit && stop - begin == kGroup ? stop : end;
}

bool MayEndInComma(std::string_view text, std::size_t at, std::size_t end) {
  const std::size_t point = EndOfDigits(text, at), stop = EndOfDigits(text, end + 1);
  const bool is_below_one = At(text, at) == '0' && point == end;
  const bool has_group = At(text, at) != '0' && point > at && point - at <= kGroup &&
                         At(text, point) == '.' && end == point + 1 + kGroup;
  if (!(is_below_one || has_group) || At(text, end) != ',' || stop == end + 1) return false;
  const char next = At(text, stop);
  constexpr std::string_view kBeforeElements = "([{,";
  const bool is_element = at > 0 && kBeforeElements.find(text[at - 1]) != std::string_view::npos;
  const bool is_in_list =
      is_element || ((next == '.' || next == ',') && IsDigit(At(text, stop + 1)));
  return !is_in_list;
}

bool ReadThousand(std::string_view text, Spelling& spelling) {
  constexpr std::int64_t kThousand = 3;
  const char sign = At(text, spelling.end);
  if ((sign != 'k' && sign != 'K') || WordCharacter(text, spelling.end + 1) != 0) return false;
  spelling.exponent = kThousand;
  ++spelling.end;
  return true;
}

// exponent := ("e" | "E") ["+" | minus] digit+ | "k" | "K", with no word character after it
void ReadExponent(std::string_view text, Spelling& spelling) {
  const char sign = At(text, spelling.end);
  if (ReadThousand(text, spelling) || (sign != 'e' && sign != 'E')) return;
  std::size_t at = spelling.end + 1;
  const std::size_t minus = MinusLength(text, at);
  at += At(text, at) == '+' ? 1 : minus;
  const std::size_t stop = EndOfDigits(text, at);
  if (stop == at || WordCharacter(text, stop) != 0) return;
  std::int64_t exponent = 0;
  for (; at < stop; ++at) {
    exponent =
        std::min(exponent * static_cast<std::int64_t>(kTen) + (text[at] - '0'), kMostExponent);
  }
  spelling.exponent = minus != 0 ? -exponent : exponent;
  spelling.end = stop;
}

// mixed := digit+ blank (proper_fraction | fraction_sign) ["k" | "K"], with nothing glued to it
bool ReadMixed(std::string_view text, Spelling& spelling) {
  const std::size_t blank = BlankLength(text, spelling.end);
  if (blank == 0) return false;
  const std::size_t begin = spelling.end + blank;
  Spelling mixed{spelling.decimal, begin, 0, {}};
  if (const FractionSign* sign = FractionSignAt(text, begin)) {
    mixed.fraction = sign->value;
    mixed.end += sign->sign.size();
  } else {
    mixed.end = ReadProperFraction(text, begin, mixed.fraction);
  }
  if (mixed.end == begin) return false;
  ReadThousand(text, mixed);
  if (IsFractionGlued(text, mixed.end)) return false;
  spelling = std::move(mixed);
  return true;
}

std::optional<Spelling> ReadScaledFraction(std::string_view text, std::size_t at) {
  Spelling out;
  out.end = ReadProperFraction(text, at, out.fraction);
  if (out.end == at || IsFractionGlued(text, out.end)) return std::nullopt;
  if (ReadScale(text, out) == 0) return std::nullopt;
  return out;
}

std::size_t AfterUnknownScale(std::string_view text, std::size_t end) {
  constexpr std::array<std::string_view, 8> kUnknown = {"quintillion", "sextillion", "septillion",
                                                        "octillion",   "nonillion",  "decillion",
                                                        "lakh",        "crore"};
  const std::size_t at = NextWord(text, end), stop = EndOfWord(text, at);
  if (at == end || WordCharacter(text, stop) != 0) return end;
  return IsOneOf(Singular(text.substr(at, stop - at)), kUnknown) ? stop : end;
}

std::size_t AfterDoubtfulScale(std::string_view text, std::size_t begin, std::size_t end) {
  constexpr std::array<std::string_view, 13> kScales = {
      "k", "m", "mm", "mn", "mil", "mio", "mln", "b", "bn", "bil", "bln", "tn", "tr"};
  const std::size_t at = end + BlankLength(text, end), stop = EndOfWord(text, at);
  const std::string_view letters = text.substr(at, stop - at);
  if (letters.empty() || WordCharacter(text, stop) != 0) return end;
  const bool is_glued = at == end;
  if (is_glued && letters == "M") return stop;
  // "a $5 T shirt" is no trillion.
  if (!IsOneOf(letters, kScales) && !(is_glued && IsWord(letters, "t"))) return end;
  const char next = At(text, stop);
  if (!is_glued && (next == '-' || next == '&')) return end;  // "a $4 b-day card, $5 M&Ms"
  return IsMoney(text, begin, end, stop) ? stop : end;
}

std::size_t AfterDoubtfulHalf(std::string_view text, std::size_t end) {
  SmallFraction unused;
  return EndsInLargeScale(text, end) ? AfterHalf(text, end, unused) : end;
}

std::size_t AfterDoubtfulFraction(std::string_view text, std::size_t begin, std::size_t at) {
  Spelling out;
  const std::size_t end = out.end = ReadProperFraction(text, at, out.fraction);
  if (end == at) return at;
  if (!ReadThousand(text, out)) out.end = AfterDoubtfulScale(text, begin, end);
  return out.end == end ? at : out.end;
}

void ReadRest(std::string_view text, Spelling& spelling) {
  const std::size_t next = AfterBlanks(text, spelling.end);
  if (next != spelling.end) ReadPoint(text, next, spelling);
  ReadHalf(text, spelling);
  const bool is_power = spelling.exponent != 0;  // "10k"
  const std::int64_t scale = ReadScale(text, spelling);
  if (!is_power) ReadBelowScale(text, scale, spelling);
}

/// "point five".
std::optional<Spelling> ReadLonePoint(std::string_view text, std::size_t at, bool negative) {
  Spelling out;
  if (!ReadPoint(text, at, out) || WordCharacter(text, out.end) != 0) return std::nullopt;
  if (!negative && !AwaitsOperand(text, at)) return std::nullopt;
  return out;
}

// "and" is no such word: in "times 4 and minus 3" it is a step.
bool MayBeSign(std::string_view text, std::size_t at) {
  constexpr std::array<std::string_view, 6> kBeforePlaces = {"was", "are",     "were",
                                                             "at",  "between", "from"};
  const std::string_view before = text.substr(0, BeforeBlanks(text, at));
  if (before.empty() || before.ends_with("->")) return false;
  const char c = before.back();
  if (c == '(' || c == '[' || kOperators.find(c) != std::string_view::npos) return true;
  const std::string_view word = WordBefore(before, before.size());
  return IsOneOf(word, kBeforeOperands) || IsOneOf(word, kBeforePlaces);
}

/// Whether digits that end here are those of "21st".
bool IsOrdinal(std::string_view text, std::size_t end) {
  const std::size_t stop = EndOfWord(text, end);
  const auto word = FindNumberWord(text.substr(end, stop - end));
  return stop > end && word && word->kind == WordKind::kDigitOrdinal;
}

bool IsExponent(std::string_view text, std::size_t begin, std::size_t end) {
  std::size_t before = BeforeBlanks(text, begin);
  for (const std::string_view expected : {"the", "to"}) {
    const std::string_view word = WordBefore(text, before);
    if (!IsWord(word, expected)) return false;
    before = BeforeBlanks(text, before - word.size());
  }
  return IsWord(Words(text, end).Next(), "power");
}

// index := ordinal [("number" | "term" | ...) ("of" | "in") ["the"]] "Fibonacci"
bool IsFibonacciIndex(std::string_view text, std::size_t end) {
  constexpr std::array<std::string_view, 5> kMembers = {"number", "term", "element", "entry",
                                                        "member"};
  Words words(text, end);
  std::string_view word = words.Next();
  if (IsOneOf(word, kMembers)) {
    word = words.Next();
    if (!IsWord(word, "of") && !IsWord(word, "in")) return false;
    word = words.Next();
    if (IsWord(word, "the")) word = words.Next();
  }
  return IsWord(word, "fibonacci");
}

std::optional<Spelling> ReadPlace(std::string_view text, std::size_t at) {
  constexpr std::uint64_t kFirstUnnamed = 4;  // power
  const std::size_t end = EndOfWord(text, at);
  if (WordCharacter(text, end) != 0) return std::nullopt;
  const auto word = FindNumberWord(text.substr(at, end - at));
  if (!word || (word->kind != WordKind::kOrdinal && word->kind != WordKind::kPlace)) {
    return std::nullopt;
  }
  const bool is_exponent = word->value >= kFirstUnnamed && IsExponent(text, at, end);
  if (!is_exponent && !IsFibonacciIndex(text, end)) return std::nullopt;
  return Spelling{std::to_string(word->value), end, 0, {}};
}

}  // namespace txvm::frontends::nl

#include "neural/questions/surface.h"

#include <algorithm>
#include <utility>

#include "neural/questions/expander.h"
#include "neural/questions/letters.h"

namespace txvm::neural::questions {
namespace {

constexpr std::array<std::string_view, 20> kSmall = {
    "zero",     "one",     "two",     "three",     "four",     "five",    "six",
    "seven",    "eight",   "nine",    "ten",       "eleven",   "twelve",  "thirteen",
    "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen"};
constexpr std::array<std::string_view, 10> kTens = {
    "", "", "twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"};
constexpr std::array<std::string_view, 5> kScales = {"hundred", "thousand", "million", "billion",
                                                     "trillion"};
constexpr Wide kTen = 10, kHundred = 100, kThousand = 1000, kTenThousand = 10000;

std::string WordsBelowHundred(Wide value) {
  if (value < static_cast<Wide>(kSmall.size())) {
    return std::string(kSmall[static_cast<std::size_t>(value)]);
  }
  std::string out(kTens[static_cast<std::size_t>(value / kTen)]);
  if (value % kTen != 0) out += "-" + std::string(kSmall[static_cast<std::size_t>(value % kTen)]);
  return out;
}

class Surfacer {
 public:
  Surfacer(const Numbers& numbers, const SurfaceOptions& options, Random& random)
      : numbers_(numbers), options_(options), random_(random) {}

  std::vector<TextPiece> Run(std::string_view marked);

 private:
  std::string& Text() {
    if (pieces_.empty() || pieces_.back().is_number) pieces_.push_back({});
    return pieces_.back().text;
  }
  void PutNumber(std::size_t variable, bool is_money, bool digits_only, std::string_view next);
  void PutMoney(std::size_t variable, std::string_view next);
  void PutPlural(std::string_view singular, std::string_view plural);

  const Numbers& numbers_;
  const SurfaceOptions& options_;
  Random& random_;
  std::vector<TextPiece> pieces_;
};

void Surfacer::PutNumber(std::size_t variable, bool is_money, bool digits_only,
                         std::string_view next) {
  const Fraction& value = numbers_[variable];
  // Years are written without.
  constexpr Wide kFirstYear = 1900, kLastYear = 2030;
  const bool is_year = value.numerator >= kFirstYear && value.numerator <= kLastYear;
  std::string text = InDigits(value, options_.commas && !is_year, is_money);
  if (variable == kOneVariable) {
    text = "one";
  } else if (options_.words && !digits_only && !is_money) {
    std::optional<std::string> words = InWords(value);
    // "one hundred and five" would be one number.
    const bool joins = value.numerator >= kHundred && next.starts_with(" and ");
    // "five hundred", "twenty five"
    const bool behind_number = pieces_.size() > 1 && !pieces_.back().is_number &&
                               (pieces_.back().text == " " || pieces_.back().text == "-");
    if (words && !joins && !behind_number) text = *std::move(words);
  }
  Text();
  pieces_.push_back({true, variable, std::move(text)});
}

void Surfacer::PutMoney(std::size_t variable, std::string_view next) {
  const bool is_cents = !numbers_[variable].IsInteger();
  const bool even = !is_cents && random_.Chance(12);  // $5.00
  if (options_.dollar_sign) {
    Text() += "$";
    PutNumber(variable, is_cents || even, true, next);
    return;
  }
  PutNumber(variable, is_cents, is_cents, next);
  const bool is_one = numbers_[variable] == Fraction{1, 1};
  Text() += is_one ? " dollar" : " dollars";
}

void Surfacer::PutPlural(std::string_view singular, std::string_view plural) {
  const bool behind_number = pieces_.size() > 1 && !pieces_.back().is_number &&
                             pieces_.back().text == " " && pieces_[pieces_.size() - 2].is_number;
  const bool is_one =
      behind_number && numbers_[pieces_[pieces_.size() - 2].variable] == Fraction{1, 1};
  Text() += is_one ? singular : plural;
}

std::vector<TextPiece> Surfacer::Run(std::string_view marked) {
  for (std::size_t at = 0; at < marked.size(); ++at) {
    const char c = marked[at];
    const auto variable = [&] { return static_cast<std::size_t>(marked[at + 1] - '0'); };
    const std::string_view next = marked.substr(std::min(at + 2, marked.size()));
    if (c == kNumberMark) {
      const bool glued = (at > 0 && marked[at - 1] == '$') || next.starts_with('%') ||
                         (!next.empty() && IsLetter(next[0]));  // "4x"
      PutNumber(variable(), false, glued, next);
      ++at;
    } else if (c == kMoneyMark) {
      PutMoney(variable(), next);
      ++at;
    } else if (c == kPercentMark) {
      PutNumber(variable(), false, options_.percent_sign, next);
      Text() += options_.percent_sign ? "%" : " percent";
      ++at;
    } else if (c == kPluralMark) {
      const std::size_t then = marked.find(kPluralThen, at);
      const std::size_t end = marked.find(kPluralEnd, at);
      PutPlural(marked.substr(at + 1, then - at - 1), marked.substr(then + 1, end - then - 1));
      at = end;
    } else {
      Text() += c;
    }
  }
  return std::move(pieces_);
}

void ResolveArticles(std::vector<TextPiece>& pieces) {
  for (std::size_t p = 0; p < pieces.size(); ++p) {
    std::string& text = pieces[p].text;
    for (std::size_t at = 0; (at = text.find(kArticleMark, at)) != std::string::npos;) {
      std::string_view rest = std::string_view(text).substr(at + 1);
      if (rest.find_first_not_of(' ') == std::string_view::npos && p + 1 < pieces.size()) {
        rest = pieces[p + 1].text;
      }
      while (rest.starts_with(' ')) rest.remove_prefix(1);
      const char c = rest.empty() ? 'x' : ToLower(rest[0]);
      // 8, 11 and 18 are said with a vowel; "used", "unit" and "euro" without.
      const bool is_vowel = std::string_view("aeiou8").find(c) != std::string_view::npos &&
                            !rest.starts_with("uni") && !rest.starts_with("use") &&
                            !rest.starts_with("euro");
      const bool is_eleven = rest.starts_with("11") || rest.starts_with("18");
      text.replace(at, 1, is_vowel || is_eleven || rest.starts_with("hour") ? "an" : "a");
    }
  }
}

/// Choices of a template may leave blanks: "have ?" and two in a row.
void TidyBlanks(std::vector<TextPiece>& pieces) {
  char last = ' ';
  for (TextPiece& piece : pieces) {
    if (piece.is_number) {
      last = '0';
      continue;
    }
    std::string out;
    for (std::size_t i = 0; i < piece.text.size(); ++i) {
      const char c = piece.text[i];
      const char next = i + 1 < piece.text.size() ? piece.text[i + 1] : 'x';
      const bool is_end = i + 2 >= piece.text.size() || piece.text[i + 2] == ' ';
      const bool before_word = i + 3 < piece.text.size() && IsLetter(piece.text[i + 3]);
      const bool closes = is_end && (next == '.' || (next == '?' && last != '=') ||
                                     (next == ',' && (IsLetter(last) || before_word)));
      if (c == ' ' && (last == ' ' || closes)) continue;
      out += c;
      last = c;
    }
    piece.text = std::move(out);
  }
}

void Capitalize(std::vector<TextPiece>& pieces) {
  bool begins = true;
  for (TextPiece& piece : pieces) {
    for (std::size_t i = 0; i < piece.text.size(); ++i) {
      char& c = piece.text[i];
      if (begins && IsLetter(c)) c = ToUpper(c);
      if (c == '?' || c == '!' || (c == '.' && !piece.is_number)) {
        const std::string_view before = std::string_view(piece.text).substr(0, i);
        begins = !(c == '.' &&
                   (before.ends_with("Mr") || before.ends_with("Mrs") || before.ends_with("Ms")));
      } else if (c != ' ' && c != '"') {
        begins = false;
      }
    }
  }
}

void DropPunctuation(std::string& text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    const bool ends_word = i > 0 && IsLetter(text[i - 1]);
    const bool is_dropped =
        c == '?' || c == '\'' || ((c == '.' || c == ',' || c == '!') && ends_word);
    if (!is_dropped) out += c;
  }
  text = std::move(out);
}

/// Misspells one word of at least four letters: two letters swapped, one lost or one doubled.
void Misspell(std::string& text, Random& random) {
  constexpr std::size_t kLeast = 4;
  if (text.empty()) return;
  std::size_t begin = random.Below(text.size());
  while (begin > 0 && IsLetter(text[begin - 1])) --begin;
  std::size_t end = begin;
  while (end < text.size() && IsLetter(text[end])) ++end;
  if (end - begin < kLeast) return;
  const std::size_t at = begin + 1 + random.Below(end - begin - 2);
  const std::size_t kind = random.Below(3);
  if (kind == 0) std::swap(text[at], text[at + 1]);
  if (kind == 1) text.erase(at, 1);
  if (kind == 2) text.insert(at, 1, text[at]);
}

bool HasNumber(std::string_view text) {
  std::string word;
  for (std::size_t i = 0; i <= text.size(); ++i) {
    const char c = i < text.size() ? text[i] : ' ';
    if (c >= '0' && c <= '9') return true;
    if (IsLetter(c)) {
      word += ToLower(c);
    } else {
      if (IsNumberWord(word)) return true;
      word.clear();
    }
  }
  return false;
}

/// Whether a text begins with what may stand for a million or a billion: "5 bil" for a misspelt
/// "5 bill". No word of the tables does by itself.
bool BeginsWithScale(std::string_view text) {
  constexpr std::array<std::string_view, 3> kShort = {"bil", "mil", "mio"};
  std::string word;
  for (const char c : text.substr(std::min(text.size(), text.find_first_not_of(' ')))) {
    if (!IsLetter(c)) break;
    word += ToLower(c);
  }
  return std::ranges::find(kShort, word) != kShort.end();
}

}  // namespace

bool IsNumberWord(std::string_view lower) {
  return lower == "fourty" || std::ranges::find(kSmall, lower) != kSmall.end() ||
         (!lower.empty() && std::ranges::find(kTens, lower) != kTens.end()) ||
         std::ranges::find(kScales, lower) != kScales.end();
}

std::string InDigits(const Fraction& value, bool commas, bool is_money) {
  const bool negative = value.numerator < 0;
  Wide numerator = negative ? -value.numerator : value.numerator;
  Wide scale = 1;
  std::size_t places = is_money ? 2 : 0;
  for (std::size_t i = 0; i < places; ++i) scale *= kTen;
  while (scale % value.denominator != 0) {
    scale *= kTen;
    ++places;
  }
  const Wide scaled = numerator * (scale / value.denominator);
  std::string whole = ToText(scaled / scale);
  constexpr std::size_t kGroup = 3;
  if (commas && scaled / scale >= kThousand) {
    for (std::size_t at = whole.size(); at > kGroup; at -= kGroup) whole.insert(at - kGroup, ",");
  }
  if (places > 0) {
    std::string fraction = ToText(scaled % scale);
    whole += "." + std::string(places - fraction.size(), '0') + fraction;
  }
  return (negative ? "-" : "") + whole;
}

std::optional<std::string> InWords(const Fraction& value) {
  const Wide n = value.numerator;
  if (!value.IsInteger() || n < 0 || n >= kTenThousand) return std::nullopt;
  if (n < kHundred) return WordsBelowHundred(n);
  std::string out;
  Wide rest = n;
  if (rest >= kThousand) {
    out = WordsBelowHundred(rest / kThousand) + " thousand";
    rest %= kThousand;
  }
  if (rest >= kHundred) {
    out += (out.empty() ? "" : " ") + WordsBelowHundred(rest / kHundred) + " hundred";
    rest %= kHundred;
  }
  if (rest > 0) out += (n < kThousand ? " and " : " ") + WordsBelowHundred(rest);
  return out;
}

SurfaceOptions DrawSurface(Random& random) {
  SurfaceOptions options;
  options.words = random.Chance(12);
  options.commas = random.Chance(60);
  options.dollar_sign = random.Chance(75);
  options.percent_sign = random.Chance(65);
  options.lower_case = random.Chance(10);
  options.no_punctuation = random.Chance(6);
  if (random.Chance(8)) options.typos = 1 + static_cast<unsigned>(random.Below(2));
  return options;
}

std::optional<std::vector<TextPiece>> Surface(std::string_view marked, const Numbers& numbers,
                                              const SurfaceOptions& options, Random& random) {
  std::vector<TextPiece> pieces = Surfacer(numbers, options, random).Run(marked);
  TidyBlanks(pieces);
  ResolveArticles(pieces);
  Capitalize(pieces);
  for (unsigned i = 0; i < options.typos && !pieces.empty(); ++i) {
    TextPiece& piece = pieces[random.Below(pieces.size())];
    if (!piece.is_number) Misspell(piece.text, random);
  }
  bool is_behind_number = false;
  for (TextPiece& piece : pieces) {
    if (options.no_punctuation && !piece.is_number) DropPunctuation(piece.text);
    if (options.lower_case) std::ranges::transform(piece.text, piece.text.begin(), ToLower);
    if (!piece.is_number && HasNumber(piece.text)) return std::nullopt;
    if (is_behind_number && BeginsWithScale(piece.text)) return std::nullopt;
    is_behind_number = piece.is_number;
  }
  return pieces;
}

}  // namespace txvm::neural::questions

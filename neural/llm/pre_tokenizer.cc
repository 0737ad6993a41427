// The cutting rules, as the expressions of the tokenizers state them. L letters, N numbers, S white
// space, O everything else; the first alternative that matches wins:
//
//   GPT-2    '(s|t|re|ve|m|ll|d) | " "?L+ | " "?N+ | " "?O+ | S+ not before a non-S | S+
//   Llama-3  the same contractions in any case | (neither line end, L nor N)?L+ | N{1,3} |
//            " "?O+[\r\n]* | S*[\r\n]+ | S+ not before a non-S | S+
//   Qwen-2   as Llama-3 with N for N{1,3}
#include "neural/llm/pre_tokenizer.h"

#include <algorithm>

#include "isa/support/text.h"
#include "neural/llm/unicode.h"

namespace txvm::neural::llm {
namespace {

constexpr std::size_t kLlama3Digits = 3;

bool IsLineEnd(char32_t value) { return value == '\r' || value == '\n'; }
bool IsOther(char32_t value) { return !IsSpace(value) && !IsLetter(value) && !IsNumber(value); }

/// Cuts one match after the other off the front of a text.
class Scanner {
 public:
  Scanner(std::string_view text, SplitStep::Kind kind) : text_(text), kind_(kind) {}

  std::vector<std::string> Run() {
    std::vector<std::string> cuts;
    while (at_ < text_.size()) {
      const std::size_t size = std::max(Match(), Peek(at_).size);
      cuts.emplace_back(text_.substr(at_, size));
      at_ += size;
    }
    return cuts;
  }

 private:
  CodePoint Peek(std::size_t at) const { return FirstCodePoint(text_.substr(at)); }
  bool More(std::size_t at) const { return at < text_.size(); }

  /// Bytes of the run of characters from `at` on, at most `most` of them.
  template <typename Predicate>
  std::size_t RunOf(std::size_t at, const Predicate& in, std::size_t most = SIZE_MAX) const {
    const std::size_t start = at;
    for (; most > 0 && More(at); --most) {
      const CodePoint point = Peek(at);
      if (!in(point.value)) break;
      at += point.size;
    }
    return at - start;
  }

  std::size_t Match() const {
    if (const std::size_t size = Contraction(); size != 0) return size;
    if (kind_ == SplitStep::Kind::kGpt2) return MatchGpt2();
    return MatchLlama3();
  }

  std::size_t Contraction() const {
    constexpr char32_t kLongS = 0x17F;  // the other lower case of S
    if (text_[at_] != '\'' || !More(at_ + 1)) return 0;
    const bool any_case = kind_ != SplitStep::Kind::kGpt2;
    if (any_case && Peek(at_ + 1).value == kLongS) return 1 + Peek(at_ + 1).size;
    const auto letter = [&](std::size_t i) {
      if (!More(at_ + i)) return '\0';
      const char c = text_[at_ + i];
      return any_case && c >= 'A' && c <= 'Z' ? static_cast<char>(c | 0x20) : c;
    };
    if (std::string_view("stmd").contains(letter(1))) return 2;
    const bool two = (letter(1) == 'r' && letter(2) == 'e') ||
                     (letter(1) == 'v' && letter(2) == 'e') ||
                     (letter(1) == 'l' && letter(2) == 'l');
    return two ? 3 : 0;
  }

  std::size_t MatchGpt2() const {
    const std::size_t space = text_[at_] == ' ' ? 1 : 0;
    for (const auto in : {IsLetter, IsNumber, IsOther}) {
      if (const std::size_t run = RunOf(at_ + space, in); run != 0) return space + run;
    }
    return SpaceRun();
  }

  std::size_t MatchLlama3() const {
    const CodePoint first = Peek(at_);
    const bool may_lead =
        !IsLineEnd(first.value) && !IsLetter(first.value) && !IsNumber(first.value);
    const std::size_t lead = may_lead ? first.size : 0;
    if (const std::size_t run = RunOf(at_ + lead, IsLetter); run != 0) return lead + run;
    const std::size_t digits = kind_ == SplitStep::Kind::kQwen2 ? 1 : kLlama3Digits;
    if (const std::size_t run = RunOf(at_, IsNumber, digits); run != 0) return run;
    const std::size_t space = first.value == ' ' ? 1 : 0;
    if (const std::size_t run = RunOf(at_ + space, IsOther); run != 0) {
      return space + run + RunOf(at_ + space + run, IsLineEnd);
    }
    const std::string_view run = text_.substr(at_, RunOf(at_, IsSpace));
    if (const std::size_t end = run.find_last_of("\r\n"); end != std::string_view::npos) {
      return end + 1;
    }
    return SpaceRun();
  }

  /// S+ that leaves its last character to a non-S after it, unless it is the only one.
  std::size_t SpaceRun() const {
    const std::size_t run = RunOf(at_, IsSpace);
    if (!More(at_ + run)) return run;
    std::size_t last = 0;  // start of the run's last character
    for (std::size_t i = 0; i < run; i += Peek(at_ + i).size) last = i;
    return last == 0 ? run : last;
  }

  std::string_view text_;
  SplitStep::Kind kind_;
  std::size_t at_ = 0;
};

std::vector<std::string> SplitNumbers(std::string_view text, bool single) {
  std::vector<std::string> cuts;
  bool open = false;  // the last cut may grow
  bool number = false;
  while (!text.empty()) {
    const CodePoint point = FirstCodePoint(text);
    const bool is_number = IsNumber(point.value);
    if (!open || is_number != number || (is_number && single)) cuts.emplace_back();
    cuts.back() += text.substr(0, point.size);
    open = true;
    number = is_number;
    text.remove_prefix(point.size);
  }
  return cuts;
}

std::vector<std::string> SplitMetaspace(const SplitStep& step, std::string_view text,
                                        bool at_start) {
  std::string marked = isa::Replaced(text, " ", kSpaceMark);
  const bool prepend = step.prepend == SplitStep::Prepend::kAlways ||
                       (step.prepend == SplitStep::Prepend::kFirst && at_start);
  if (prepend && !marked.starts_with(kSpaceMark)) marked.insert(0, kSpaceMark);
  if (!step.split) return {marked};
  std::vector<std::string> cuts;
  std::string_view left = marked;
  while (!left.empty()) {
    const std::size_t next = left.find(kSpaceMark, 1);
    cuts.emplace_back(left.substr(0, next));
    left.remove_prefix(cuts.back().size());
  }
  return cuts;
}

std::vector<std::string> RunStep(const SplitStep& step, std::string_view text, bool at_start) {
  switch (step.kind) {
    case SplitStep::Kind::kGpt2:
    case SplitStep::Kind::kLlama3:
    case SplitStep::Kind::kQwen2:
      return Scanner(text, step.kind).Run();
    case SplitStep::Kind::kDigits:
      return SplitNumbers(text, true);
    case SplitStep::Kind::kDigitRuns:
      return SplitNumbers(text, false);
    case SplitStep::Kind::kMetaspace:
      return SplitMetaspace(step, text, at_start);
    case SplitStep::Kind::kPrefixSpace:
      return {text.starts_with(' ') ? std::string(text) : " " + std::string(text)};
  }
  return {};
}

}  // namespace

std::vector<std::string> SplitText(const std::vector<SplitStep>& steps, std::string_view text,
                                   bool at_start) {
  std::vector<std::string> cuts = {std::string(text)};
  for (const SplitStep& step : steps) {
    std::vector<std::string> finer;
    for (std::size_t i = 0; i < cuts.size(); ++i) {
      if (cuts[i].empty()) continue;
      for (std::string& cut : RunStep(step, cuts[i], at_start && i == 0)) {
        finer.push_back(std::move(cut));
      }
    }
    cuts = std::move(finer);
  }
  return cuts;
}

std::optional<std::string_view> PatternOfStep(SplitStep::Kind kind) {
  constexpr std::string_view kGpt2 =
      R"('s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+)";
  constexpr std::string_view kLlama3 =
      R"((?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+)";
  constexpr std::string_view kQwen2 =
      R"((?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+)";
  if (kind == SplitStep::Kind::kGpt2) return kGpt2;
  if (kind == SplitStep::Kind::kLlama3) return kLlama3;
  if (kind == SplitStep::Kind::kQwen2) return kQwen2;
  return std::nullopt;
}

std::optional<SplitStep::Kind> StepOfPattern(std::string_view pattern) {
  using Kind = SplitStep::Kind;
  for (const Kind kind : {Kind::kGpt2, Kind::kLlama3, Kind::kQwen2}) {
    if (PatternOfStep(kind) == pattern) return kind;
  }
  return std::nullopt;
}

namespace {

bool StandsForItself(unsigned byte) {
  return (byte >= '!' && byte <= '~') || (byte >= 0xA1 && byte <= 0xAC) || byte >= 0xAE;
}
constexpr char32_t kFirstSubstitute = 0x100;

}  // namespace

const std::array<std::string, 256>& ByteAlphabet() {
  static const std::array<std::string, 256> alphabet = [] {
    std::array<std::string, 256> letters;
    char32_t substitute = kFirstSubstitute;
    for (unsigned byte = 0; byte < letters.size(); ++byte) {
      AppendUtf8(StandsForItself(byte) ? byte : substitute++, letters[byte]);
    }
    return letters;
  }();
  return alphabet;
}

std::optional<std::uint8_t> ByteOfLetter(char32_t letter) {
  if (letter < kFirstSubstitute) {
    if (!StandsForItself(letter)) return std::nullopt;
    return static_cast<std::uint8_t>(letter);
  }
  char32_t substitute = kFirstSubstitute;
  for (unsigned byte = 0; byte < kFirstSubstitute; ++byte) {
    if (!StandsForItself(byte) && substitute++ == letter) return static_cast<std::uint8_t>(byte);
  }
  return std::nullopt;
}

}  // namespace txvm::neural::llm

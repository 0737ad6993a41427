#include "asm/lexer.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "isa/support/text.h"

namespace txvm::assembler {
namespace {

constexpr std::size_t kShownBytes = 40;

bool IsDigit(char c) { return c >= '0' && c <= '9'; }
bool IsLetter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
bool IsWordStart(char c) { return IsLetter(c) || c == '_' || c == '$'; }
bool IsWordPart(char c) { return IsWordStart(c) || IsDigit(c) || c == '.'; }
bool IsSpace(char c) { return c == ' ' || c == '\t' || c == '\r'; }

std::optional<std::uint32_t> HexDigit(char c) {
  if (IsDigit(c)) return static_cast<std::uint32_t>(c - '0');
  if (c >= 'a' && c <= 'f') return static_cast<std::uint32_t>(c - 'a' + 10);
  if (c >= 'A' && c <= 'F') return static_cast<std::uint32_t>(c - 'A' + 10);
  return std::nullopt;
}

std::optional<isa::ValueType> FindType(std::string_view text) {
  for (std::uint32_t code = 0; code < isa::kValueTypeCount; ++code) {
    const std::optional<isa::ValueType> type = isa::FindTypeOfCode(code);
    if (isa::EqualsIgnoreCase(isa::TypeText(*type), text)) return type;
  }
  return std::nullopt;
}

std::optional<char> SimpleEscape(char c) {
  switch (c) {
    case 'n':
      return '\n';
    case 't':
      return '\t';
    case 'r':
      return '\r';
    case '"':
    case '\\':
      return c;
    default:
      return std::nullopt;
  }
}

class LineLexer {
 public:
  LineLexer(const SourceText& source, std::string_view text, std::uint32_t line,
            std::size_t max_tokens, std::vector<Token>& tokens)
      : source_(source), text_(text), line_(line), max_tokens_(max_tokens), tokens_(tokens) {}

  isa::Result<void> Run() {
    while (true) {
      while (at_ < text_.size() && IsSpace(text_[at_])) ++at_;
      if (at_ == text_.size() || text_[at_] == ';') return {};
      if (tokens_.size() == max_tokens_) return TooMany();
      TXVM_CHECK_OK(One());
    }
  }

 private:
  isa::Result<void> One() {
    const char c = text_[at_];
    if (c == '"') return String();
    if (IsDigit(c) || c == '-') return Number();
    if (c == '.' && at_ + 1 < text_.size() && IsWordStart(text_[at_ + 1])) return Directive();
    if (IsWordStart(c)) return Word();
    return Fail(at_, fmt::format("unexpected character {}", Shown(text_.substr(at_, 1))));
  }

  std::unexpected<isa::Error> TooMany() const {
    return std::unexpected(
        source_.ErrorAt(isa::ErrorCode::kLimit, line_, static_cast<std::uint32_t>(at_ + 1),
                        fmt::format("the text has more than {} words", kMaxTokens)));
  }

  std::unexpected<isa::Error> Fail(std::size_t at, std::string message) const {
    return source_.Fail(line_, static_cast<std::uint32_t>(at + 1), std::move(message));
  }

  void Push(TokenKind kind, std::size_t begin, std::size_t end, std::uint32_t value = 0) {
    tokens_.push_back({kind, line_, static_cast<std::uint32_t>(begin + 1), value,
                       text_.substr(begin, end - begin)});
  }

  std::size_t WordEnd(std::size_t at) const {
    while (at < text_.size() && IsWordPart(text_[at])) ++at;
    return at;
  }

  isa::Result<void> Directive() {
    const std::size_t begin = at_;
    at_ = WordEnd(at_ + 1);
    Push(TokenKind::kDirective, begin, at_);
    return {};
  }

  isa::Result<void> Word() {
    const std::size_t begin = at_;
    at_ = WordEnd(at_);
    const std::size_t end = at_;
    if (at_ < text_.size() && text_[at_] == ':') {
      ++at_;
      Push(TokenKind::kLabel, begin, end);
      return {};
    }
    if (at_ < text_.size() && text_[at_] == '=') {
      ++at_;
      if (StartsTypes()) return Types(begin, end);
      TXVM_TRY(const std::uint32_t value, NumberValue());
      Push(TokenKind::kKey, begin, end, value);
      return {};
    }
    Push(TokenKind::kWord, begin, end);
    return {};
  }

  // Whether a list of types stands here: its first word is one, or more follow it.
  bool StartsTypes() const {
    const std::size_t end = WordEnd(at_);
    const bool is_list = end < text_.size() && text_[end] == ',';
    return is_list || FindType(text_.substr(at_, end - at_));
  }

  // types := type { "," type }
  isa::Result<void> Types(std::size_t begin, std::size_t key_end) {
    std::uint32_t words = 0;
    for (bool is_first = true; is_first || (at_ < text_.size() && text_[at_] == ',');
         is_first = false) {
      if (!is_first) ++at_;
      const std::size_t type_begin = at_;
      at_ = WordEnd(at_);
      const std::string_view text = text_.substr(type_begin, at_ - type_begin);
      const std::optional<isa::ValueType> type = FindType(text);
      if (!type) {
        return Fail(type_begin, fmt::format("unknown type {} (expected i32, i64, f32, f64 or v128)",
                                            Shown(text)));
      }
      words += isa::WordsOf(*type);
    }
    Push(TokenKind::kTypesKey, begin, key_end, words);
    return {};
  }

  isa::Result<void> Number() {
    const std::size_t begin = at_;
    TXVM_TRY(const std::uint32_t value, NumberValue());
    Push(TokenKind::kNumber, begin, at_, value);
    return {};
  }

  // number := [ "-" ] ( digits | "0x" hexdigits ), in -2^31 .. 2^32-1
  isa::Result<std::uint32_t> NumberValue() {
    const std::size_t begin = at_;
    const bool is_negative = at_ < text_.size() && text_[at_] == '-';
    if (is_negative) ++at_;
    const bool is_hex = text_.substr(at_, 2) == "0x" || text_.substr(at_, 2) == "0X";
    if (is_hex) at_ += 2;
    const std::size_t digits = at_;
    at_ = WordEnd(at_);
    const std::string_view shown = text_.substr(begin, at_ - begin);
    std::uint64_t magnitude = 0;
    const std::uint64_t limit = is_negative ? 0x80000000u : 0xFFFFFFFFu;
    for (std::size_t i = digits; i < at_; ++i) {
      const auto digit = HexDigit(text_[i]);
      if (!digit || (!is_hex && *digit > 9)) {
        return Fail(begin, fmt::format("number {} is malformed", Shown(shown)));
      }
      magnitude = std::min(magnitude * (is_hex ? 16 : 10) + *digit, limit + 1);
    }
    if (digits == at_) return Fail(begin, "expected a number");
    if (magnitude > limit) {
      return Fail(begin,
                  fmt::format("number {} out of range -2147483648..4294967295", Shown(shown)));
    }
    const auto word = static_cast<std::uint32_t>(magnitude);
    return is_negative ? 0u - word : word;
  }

  // string := '"' { character | escape } '"'
  isa::Result<void> String() {
    const std::size_t begin = at_++;
    while (at_ < text_.size() && text_[at_] != '"') {
      if (text_[at_] != '\\') {
        ++at_;
        continue;
      }
      const std::string_view rest = text_.substr(at_ + 1);
      if (!rest.empty() && SimpleEscape(rest[0])) {
        at_ += 2;
      } else if (rest.size() >= 2 && HexDigit(rest[0]) && HexDigit(rest[1])) {
        at_ += 3;
      } else {
        return Fail(at_, fmt::format("unknown escape {} (use \\n \\t \\r \\\" \\\\ or two hex "
                                     "digits)",
                                     Shown(text_.substr(at_, 2))));
      }
    }
    if (at_ >= text_.size()) return Fail(begin, "string is not closed");
    ++at_;
    Push(TokenKind::kString, begin, at_);
    return {};
  }

  const SourceText& source_;
  std::string_view text_;
  std::uint32_t line_;
  std::size_t max_tokens_;
  std::vector<Token>& tokens_;
  std::size_t at_ = 0;
};

}  // namespace

isa::Error SourceText::ErrorAt(isa::ErrorCode code, std::uint32_t line, std::uint32_t column,
                               std::string message) const {
  return isa::Error{
      code, std::move(message), {std::string(file), line, column}, isa::ShownLine(text, line)};
}

isa::Result<void> Tokenize(const SourceText& source, std::string_view line_text, std::uint32_t line,
                           std::size_t max_tokens, std::vector<Token>& tokens) {
  return LineLexer(source, line_text, line, max_tokens, tokens).Run();
}

std::string_view KeyNumber(const SourceText& source, const Token& key) {
  const auto begin = static_cast<std::size_t>(key.text.data() - source.text.data());
  const std::string_view rest = source.text.substr(begin + key.text.size() + 1);  // after "="
  std::size_t end = rest.starts_with('-') ? 1 : 0;
  while (end < rest.size() && IsWordPart(rest[end])) ++end;
  return rest.substr(0, end);
}

std::vector<isa::ValueType> KeyTypes(const SourceText& source, const Token& key) {
  const auto begin = static_cast<std::size_t>(key.text.data() - source.text.data());
  std::string_view rest = source.text.substr(begin + key.text.size());
  std::vector<isa::ValueType> types;
  do {
    rest.remove_prefix(1);  // "=", then ","
    std::size_t end = 0;
    while (end < rest.size() && IsWordPart(rest[end])) ++end;
    const std::optional<isa::ValueType> type = FindType(rest.substr(0, end));
    TXVM_ASSERT(type.has_value());
    types.push_back(*type);
    rest.remove_prefix(end);
  } while (rest.starts_with(','));
  return types;
}

std::string StringBytes(const Token& token) {
  const std::string_view body = token.text.substr(1, token.text.size() - 2);
  std::string bytes;
  bytes.reserve(body.size());
  for (std::size_t i = 0; i < body.size(); ++i) {
    if (body[i] != '\\') {
      bytes += body[i];
    } else if (const auto simple = SimpleEscape(body[i + 1])) {
      bytes += *simple;
      i += 1;
    } else {
      bytes += static_cast<char>(*HexDigit(body[i + 1]) << 4 | *HexDigit(body[i + 2]));
      i += 2;
    }
  }
  return bytes;
}

std::string Shown(std::string_view text) {
  return fmt::format("'{}'", isa::Printable(text, kShownBytes));
}

}  // namespace txvm::assembler

#include "frontends/wat/lexer.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

#include "frontends/wasm/cursor.h"

namespace txvm::frontends::wat {
namespace {

enum class Letter : std::uint8_t {
  kIllegal,
  kSpace,
  kOpen,
  kClose,
  kSemicolon,
  kQuote,
  kId,
  kOther
};

constexpr std::size_t kByteValues = 256;

constexpr std::array<Letter, kByteValues> kLetters = [] {
  std::array<Letter, kByteValues> letters{};
  for (const char c : std::string_view(" \t\n\r"))
    letters[static_cast<std::uint8_t>(c)] = Letter::kSpace;
  for (int c = '!'; c <= '~'; ++c) letters[static_cast<std::size_t>(c)] = Letter::kId;
  for (const char c : std::string_view(",[]{}"))
    letters[static_cast<std::uint8_t>(c)] = Letter::kOther;
  letters['('] = Letter::kOpen;
  letters[')'] = Letter::kClose;
  letters[';'] = Letter::kSemicolon;
  letters['"'] = Letter::kQuote;
  return letters;
}();

Letter LetterOf(char c) { return kLetters[static_cast<std::uint8_t>(c)]; }

/// Sixteen letters that are compared at once.
using Block [[gnu::vector_size(16)]] = char;

/// How many lanes of a comparison are true.
template <typename Lanes>
std::uint32_t CountLanes(const Lanes& lanes) {
  constexpr std::uint64_t kOnes = 0x0101'0101'0101'0101;
  constexpr int kTopByte = 56;
  std::uint64_t halves[2];
  static_assert(sizeof halves == sizeof lanes);
  std::memcpy(halves, &lanes, sizeof halves);
  return static_cast<std::uint32_t>(((halves[0] & kOnes) + (halves[1] & kOnes)) * kOnes >>
                                    kTopByte);
}

/// Counts the parentheses of the next sixteen letters into `depth`. False, and nothing done, where
/// they hold something else that matters: a string, a comment, or the end of what is open.
bool SkipBlock(const char* text, std::uint32_t& depth) {
  Block block;
  std::memcpy(&block, text, sizeof block);
  if (text[sizeof block - 1] == '(' || CountLanes((block == '"') | (block == ';')) != 0)
    return false;
  const std::uint32_t closes = CountLanes(block == ')');
  if (closes >= depth) return false;
  depth = depth - closes + CountLanes(block == '(');
  return true;
}

/// The value of a hexadecimal digit; -1 when it is none.
int HexDigit(char c) {
  constexpr int kTen = 10;
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + kTen;
  if (c >= 'A' && c <= 'F') return c - 'A' + kTen;
  return -1;
}

void AppendUtf8(std::uint32_t letter, std::string& out) {
  constexpr std::uint32_t kOneByte = 0x80, kTwoBytes = 0x800, kThreeBytes = 0x10000;
  constexpr int kBits = 6;
  constexpr std::uint32_t kMask = 0x3F, kMore = 0x80, kTwo = 0xC0, kThree = 0xE0, kFour = 0xF0;
  const auto more = [&](int shift) {
    out.push_back(static_cast<char>(kMore | ((letter >> shift) & kMask)));
  };
  if (letter < kOneByte) {
    out.push_back(static_cast<char>(letter));
  } else if (letter < kTwoBytes) {
    out.push_back(static_cast<char>(kTwo | (letter >> kBits)));
    more(0);
  } else if (letter < kThreeBytes) {
    out.push_back(static_cast<char>(kThree | (letter >> (2 * kBits))));
    more(kBits);
    more(0);
  } else {
    out.push_back(static_cast<char>(kFour | (letter >> (3 * kBits))));
    more(2 * kBits);
    more(kBits);
    more(0);
  }
}

/// Reads the digits and the brace of \u{...}; `at` is at the opening brace.
bool AppendUnicodeEscape(std::string_view text, std::size_t& at, std::string& out) {
  constexpr std::uint32_t kLast = 0x10FFFF, kFirstSurrogate = 0xD800, kLastSurrogate = 0xDFFF;
  constexpr std::uint32_t kBase = 16;
  if (at >= text.size() || text[at] != '{') return false;
  std::uint32_t letter = 0;
  bool after_digit = false;
  for (++at; at < text.size(); ++at) {
    const char c = text[at];
    if (c == '}') break;
    if (c == '_' && after_digit) {
      after_digit = false;
      continue;
    }
    const int digit = HexDigit(c);
    if (digit < 0) return false;
    after_digit = true;
    letter = letter * kBase + static_cast<std::uint32_t>(digit);
    if (letter > kLast) return false;
  }
  if (at >= text.size() || !after_digit) return false;
  ++at;
  if (letter >= kFirstSurrogate && letter <= kLastSurrogate) return false;
  AppendUtf8(letter, out);
  return true;
}

}  // namespace

bool AppendString(std::string_view token, std::string& out, std::string& fault) {
  const std::string_view text = token.substr(1, token.size() - 2);
  std::size_t at = 0;
  while (at < text.size()) {
    const std::size_t escape = std::min(text.find('\\', at), text.size());
    out.append(text.substr(at, escape - at));
    at = escape;
    if (at == text.size()) break;
    const char c = at + 1 < text.size() ? text[at + 1] : '\0';
    at += 2;
    switch (c) {
      case 'n':
        out.push_back('\n');
        continue;
      case 't':
        out.push_back('\t');
        continue;
      case 'r':
        out.push_back('\r');
        continue;
      case '"':
      case '\'':
      case '\\':
        out.push_back(c);
        continue;
      case 'u':
        if (AppendUnicodeEscape(text, at, out)) continue;
        fault = "malformed escape: \\u{...} needs the hexadecimal number of a character";
        return false;
      default:
        break;
    }
    const int high = HexDigit(c), low = at < text.size() ? HexDigit(text[at]) : -1;
    if (high < 0 || low < 0) {
      fault =
          "malformed escape in a string: a backslash needs n, t, r, a quote, a backslash, "
          "u{...} or two hexadecimal digits";
      return false;
    }
    constexpr int kBase = 16;
    out.push_back(static_cast<char>(high * kBase + low));
    ++at;
  }
  return true;
}

bool NameOf(std::string_view token, std::string& out, std::string& fault) {
  out.clear();
  if (token.size() < 2) {
    fault = "empty identifier: a name follows '$'";
    return false;
  }
  if (token[1] != '"') {
    out.assign(token.substr(1));
    return true;
  }
  if (!AppendString(token.substr(1), out, fault)) return false;
  if (out.empty()) {
    fault = "empty identifier: a name follows '$'";
    return false;
  }
  if (wasm::IsUtf8(out)) return true;
  fault = "malformed UTF-8 encoding in a name";
  return false;
}

std::size_t FirstMalformedByte(std::string_view text) {
  constexpr std::uint64_t kHighBits = 0x8080'8080'8080'8080;
  std::size_t at = 0;
  while (at + sizeof(std::uint64_t) <= text.size()) {
    std::uint64_t word = 0;
    std::memcpy(&word, text.data() + at, sizeof word);
    if ((word & kHighBits) != 0) break;
    at += sizeof word;
  }
  if (wasm::IsUtf8(text.substr(at))) return text.size();
  // Find it: a character has at most four bytes.
  constexpr std::size_t kMostBytes = 4;
  while (at < text.size()) {
    std::size_t size = 1;
    while (size <= kMostBytes && at + size <= text.size() && !wasm::IsUtf8(text.substr(at, size))) {
      ++size;
    }
    if (size > kMostBytes || at + size > text.size()) return at;
    at += size;
  }
  return at;
}

void Lexer::Fail(std::uint32_t at, std::string message) {
  in_annotation_ = false;
  if (fault_.empty()) {
    fault_ = std::move(message);
    fault_at_ = at;
  }
  at_ = static_cast<std::uint32_t>(text_.size());
}

bool Lexer::SkipBlockComment() {
  const std::uint32_t start = at_;
  std::uint32_t depth = 0;
  while (at_ + 1 < text_.size()) {
    const char c = text_[at_], next = text_[at_ + 1];
    if (c == '(' && next == ';') {
      ++depth;
      at_ += 2;
    } else if (c == ';' && next == ')') {
      at_ += 2;
      if (--depth == 0) return true;
    } else {
      ++at_;
    }
  }
  Fail(start, "unclosed comment: (; needs ;)");
  return false;
}

void Lexer::SkipSpace() {
  while (at_ < text_.size()) {
    switch (LetterOf(text_[at_])) {
      case Letter::kSpace:
        ++at_;
        continue;
      case Letter::kSemicolon:
        if (at_ + 1 < text_.size() && text_[at_ + 1] == ';') {
          while (at_ < text_.size() && text_[at_] != '\n' && text_[at_] != '\r') ++at_;
          continue;
        }
        return;
      case Letter::kOpen:
        if (at_ + 1 < text_.size() && text_[at_ + 1] == ';') {
          if (!SkipBlockComment()) return;
          continue;
        }
        if (at_ + 1 < text_.size() && text_[at_ + 1] == '@') {
          SkipAnnotation();
          continue;
        }
        return;
      default:
        return;
    }
  }
}

/// Passes over "(@id ...)"; what is inside must be tokens.
void Lexer::SkipAnnotation() {
  Annotation annotation;
  annotation.at = at_;
  at_ += 2;
  const std::uint32_t start = at_;
  if (at_ < text_.size() && text_[at_] == '"') {
    if (!SkipString()) return;
    std::string id, fault;
    if (!AppendString(text_.substr(start, at_ - start), id, fault)) return Fail(start, fault);
    if (!wasm::IsUtf8(id)) return Fail(start, "malformed UTF-8 encoding in an annotation id");
    if (id.empty()) return Fail(start, "empty annotation id");
  } else {
    while (at_ < text_.size() && LetterOf(text_[at_]) == Letter::kId) ++at_;
    if (at_ == start) return Fail(start, "empty annotation id: a name follows (@");
  }
  annotation.id = text_.substr(start, at_ - start);
  annotation.body = at_;
  std::vector<Annotation>* const notes = std::exchange(annotations_, nullptr);
  in_annotation_ = true;
  std::uint32_t depth = 1;
  std::string ignored, fault;
  while (depth > 0) {
    // What begins like an annotation is parentheses here, so that nesting costs no stack.
    if (at_ < text_.size() && LetterOf(text_[at_]) == Letter::kSpace) {
      ++at_;
      continue;
    }
    if (at_ < text_.size() &&
        (LetterOf(text_[at_]) == Letter::kOther ||
         (text_[at_] == ';' && (at_ + 1 == text_.size() || text_[at_ + 1] != ';')))) {
      ++at_;
      continue;
    }
    const Token token = Lex();
    if (token.kind == TokenKind::kEnd) {
      if (!ok()) return;
      if (at_ < text_.size()) continue;
      return Fail(annotation.at, "unclosed annotation: (@ needs a closing parenthesis");
    }
    if (token.kind == TokenKind::kOpen) ++depth;
    if (token.kind == TokenKind::kClose) --depth;
    if (token.kind == TokenKind::kString) {
      ignored.clear();
      if (!AppendString(token.text, ignored, fault)) return Fail(token.at, fault);
    }
  }
  annotations_ = notes;
  in_annotation_ = false;
  if (notes != nullptr && annotation.id == "custom") notes->push_back(annotation);
}

/// Goes beyond a string, from its opening quote.
bool Lexer::SkipString() {
  const std::uint32_t start = at_;
  constexpr unsigned char kFirstPrintable = 0x20, kDelete = 0x7F;
  for (++at_; at_ < text_.size(); ++at_) {
    const auto c = static_cast<unsigned char>(text_[at_]);
    if (c == '"') {
      ++at_;
      return true;
    }
    if (c == '\\') {
      ++at_;
      if (at_ >= text_.size()) break;
    }
    const auto d = static_cast<unsigned char>(text_[at_]);
    if (d < kFirstPrintable || d == kDelete) {
      const bool is_line = d == '\n' || d == '\r';
      Fail(is_line ? start : at_,
           is_line ? "a string ends in the line it begins in: a closing quote is missing"
                   : fmt::format("illegal character 0x{:02x} in a string", d));
      return false;
    }
  }
  Fail(start, "a string has no closing quote");
  return false;
}

Token Lexer::Next() {
  SkipSpace();
  return Lex();
}

/// The token at at_; kEnd without a fault where a comment or an annotation starts there.
Token Lexer::Lex() {
  Token token;
  token.at = at_;
  if (at_ >= text_.size()) return token;
  const char c = text_[at_];
  switch (LetterOf(c)) {
    case Letter::kOpen:
      if (at_ + 1 < text_.size() && text_[at_ + 1] == ';') {
        (void)SkipBlockComment();
        return token;
      }
      token.kind = TokenKind::kOpen;
      token.text = text_.substr(at_++, 1);
      return token;
    case Letter::kClose:
      token.kind = TokenKind::kClose;
      token.text = text_.substr(at_++, 1);
      return token;
    case Letter::kQuote:
      if (!SkipString()) return token;
      token.kind = TokenKind::kString;
      break;
    case Letter::kId:
      token.kind = c == '$' ? TokenKind::kName : TokenKind::kWord;
      do {
        ++at_;
      } while (at_ < text_.size() && LetterOf(text_[at_]) == Letter::kId);
      if (c == '$' && at_ - token.at == 1) {
        if (at_ == text_.size() || text_[at_] != '"') {
          Fail(token.at, "empty identifier: a name follows '$'");
        } else {
          (void)SkipString();
        }
        if (!ok()) return {TokenKind::kEnd, token.at, {}};
      }
      break;
    case Letter::kSemicolon:
      if (at_ + 1 < text_.size() && text_[at_ + 1] == ';') {
        while (at_ < text_.size() && text_[at_] != '\n' && text_[at_] != '\r') ++at_;
        return token;
      }
      Fail(at_, "unexpected ';': a comment begins with ;; or (;");
      return token;
    case Letter::kOther:
    case Letter::kIllegal:
    case Letter::kSpace:
      if (static_cast<unsigned char>(c) > 0x20 && static_cast<unsigned char>(c) < 0x7F) {
        Fail(at_, fmt::format("unexpected '{}'", c));
      } else {
        Fail(at_, fmt::format("illegal character 0x{:02x}", static_cast<unsigned char>(c)));
      }
      return token;
  }
  token.text = text_.substr(token.at, at_ - token.at);
  // Tokens need something between them.
  if (at_ < text_.size() && !in_annotation_) {
    const Letter after = LetterOf(text_[at_]);
    if (after == Letter::kId || after == Letter::kQuote || after == Letter::kOther) {
      Fail(at_, "a space is missing between two tokens");
      return {TokenKind::kEnd, token.at, {}};
    }
  }
  return token;
}

bool Lexer::SkipToClose(std::uint32_t open_at) {
  std::uint32_t depth = 1;
  while (at_ < text_.size()) {
    while (at_ + sizeof(Block) <= text_.size() && SkipBlock(text_.data() + at_, depth)) {
      at_ += sizeof(Block);
    }
    if (at_ == text_.size()) break;
    switch (LetterOf(text_[at_])) {
      case Letter::kOpen:
        if (at_ + 1 < text_.size() && text_[at_ + 1] == ';') {
          if (!SkipBlockComment()) return false;
          continue;
        }
        ++depth;
        ++at_;
        continue;
      case Letter::kClose:
        ++at_;
        if (--depth == 0) return true;
        continue;
      case Letter::kQuote:
        if (!SkipString()) return false;
        continue;
      case Letter::kSemicolon:
        if (at_ + 1 < text_.size() && text_[at_ + 1] == ';') {
          while (at_ < text_.size() && text_[at_] != '\n' && text_[at_] != '\r') ++at_;
          continue;
        }
        ++at_;
        continue;
      default:
        ++at_;
        continue;
    }
  }
  Fail(open_at, "unexpected end of the text: this '(' is not closed");
  return false;
}

}  // namespace txvm::frontends::wat

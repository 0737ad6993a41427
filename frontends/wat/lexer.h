// The tokens of WebAssembly's text format.
// Goals: every byte is looked at once; no token is kept; what is no token has a sentence and a
// place.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace txvm::frontends::wat {

enum class TokenKind : std::uint8_t {
  kEnd,     // of the text, or where a fault is
  kOpen,    // (
  kClose,   // )
  kWord,    // keywords and numbers: letters that may be part of one
  kName,    // $name or $"name"
  kString,  // "..." as it is written
};

/// One token. `text` is a part of the source.
struct Token {
  TokenKind kind = TokenKind::kEnd;
  std::uint32_t at = 0;  // its first byte
  std::string_view text;
};

/// An annotation that means something: where its first token after the identifier is.
struct Annotation {
  std::string_view id;
  std::uint32_t at = 0;  // of its '('
  std::uint32_t body = 0;
};

/// Reads tokens from the front to the back of a text; comments and annotations are passed over.
/// INVARIANT: after a fault every further token is kEnd.
class Lexer {
 public:
  explicit Lexer(std::string_view text, std::uint32_t at = 0) : text_(text), at_(at) {}

  /// The next token.
  Token Next();

  /// Goes to the ')' that closes the '(' read last but not yet closed, at `depth` more levels, and
  /// reads it. False, with a fault, where there is none. Cost O(bytes passed); looks at
  /// parentheses, strings and comments alone.
  bool SkipToClose(std::uint32_t open_at);

  /// Goes to a byte; a fault stays.
  void GoTo(std::uint32_t at) {
    if (ok()) at_ = at;
  }
  /// Forgets the fault, and goes to a byte.
  void Recover(std::uint32_t at) {
    fault_.clear();
    at_ = at;
  }

  std::uint32_t at() const { return at_; }
  std::string_view text() const { return text_; }
  bool ok() const { return fault_.empty(); }
  const std::string& fault() const { return fault_; }
  std::uint32_t fault_at() const { return fault_at_; }

  /// Records a fault, if it is the first.
  void Fail(std::uint32_t at, std::string message);

  /// Where annotations named "custom" are noted; none: nowhere.
  void NoteAnnotations(std::vector<Annotation>* out) { annotations_ = out; }

 private:
  void SkipSpace();
  bool SkipBlockComment();
  void SkipAnnotation();
  Token Lex();
  bool SkipString();

  std::string_view text_;
  std::uint32_t at_ = 0;
  std::string fault_;
  std::uint32_t fault_at_ = 0;
  std::vector<Annotation>* annotations_ = nullptr;
  bool in_annotation_ = false;  // where tokens may touch each other
};

/// Appends the bytes a string token stands for. False when an escape is none; `fault` then says
/// why.
bool AppendString(std::string_view token, std::string& out, std::string& fault);

/// The name of a kName token: what follows '$', with the escapes of $"..." resolved. `storage`
/// keeps what is not a part of the text. False when it is malformed.
bool NameOf(std::string_view token, std::string& out, std::string& fault);

/// The first byte that is not well-formed UTF-8; the size of the text where all is.
std::size_t FirstMalformedByte(std::string_view text);

}  // namespace txvm::frontends::wat

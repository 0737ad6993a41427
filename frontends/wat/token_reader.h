// Tokens one by one with one of look-ahead, and the faults of a text.
// Goals: a fault has the place, what was expected and what is there; several faults of one text.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "frontends/wat/lexer.h"
#include "frontends/wat/number.h"
#include "isa/support/result.h"

namespace txvm::frontends::wat {

/// Why a text is refused, and the byte where that shows.
struct TextFault {
  isa::ErrorCode code = isa::ErrorCode::kSyntax;
  std::string message;
  std::uint32_t at = 0;
};

inline constexpr std::size_t kMaxTextFaults = 10;  // more help nobody

/// The tokens of a text. INVARIANT: after Fail every token is kEnd, until Restart.
class TokenReader {
 public:
  TokenReader(std::string_view text, std::uint32_t at) : lexer_(text, at) { Advance(); }

  const Token& token() const { return token_; }
  const Token& Peek() {
    if (!has_next_) {
      next_from_ = lexer_.at();
      next_ = lexer_.Next();
      has_next_ = true;
    }
    return next_;
  }
  void Advance() {
    if (has_next_) {
      token_ = next_;
      from_ = next_from_;
      has_next_ = false;
    } else {
      from_ = lexer_.at();
      token_ = lexer_.Next();
    }
  }

  bool At(TokenKind kind) const { return token_.kind == kind; }
  bool AtWord(std::string_view word) const {
    return token_.kind == TokenKind::kWord && token_.text == word;
  }
  /// Whether "(" and the word come next.
  bool AtForm(std::string_view word) {
    return token_.kind == TokenKind::kOpen && Peek().kind == TokenKind::kWord &&
           Peek().text == word;
  }
  /// Reads a word or "(" and the word if they come next.
  bool TakeWord(std::string_view word) {
    if (!AtWord(word)) return false;
    Advance();
    return true;
  }
  bool TakeForm(std::string_view word) {
    if (!AtForm(word)) return false;
    Advance();
    Advance();
    return true;
  }
  /// Reads ")". Fault: something else.
  void Close(std::string_view what);
  /// Reads a string. Fault: something else, or it is malformed.
  std::string String(std::string_view what, bool is_name);
  /// Reads a number without a sign. Fault: something else, or above `bits` bits.
  std::uint64_t Unsigned(int bits, std::string_view what);
  bool AtNumber() const {
    return token_.kind == TokenKind::kWord && token_.text.front() >= '0' &&
           token_.text.front() <= '9';
  }

  /// Records a fault and stops: "expected X, found Y" at the current token.
  void Expected(std::string_view what);
  void Fail(std::uint32_t at, std::string message);
  /// Records a fault and goes on.
  void Report(std::uint32_t at, std::string message, isa::ErrorCode code = isa::ErrorCode::kSyntax);
  /// Goes on reading at a byte after a fault, or without one.
  void Restart(std::uint32_t at);
  /// Goes beyond the ')' of the '(' at `open_at`, which is open around the current token, and of as
  /// many around that one as `levels` says. Cost as Lexer::SkipToClose.
  void SkipToClose(std::uint32_t open_at, int levels = 1);
  /// Reads the current token again, with what was passed over in front of it.
  void Reread() {
    has_next_ = false;
    lexer_.GoTo(from_);
    Advance();
  }
  /// Whether Fail has stopped it.
  bool stopped() const { return stopped_; }
  bool AtMost() const { return faults_.size() >= kMaxTextFaults; }

  Lexer& lexer() { return lexer_; }
  std::string_view text() const { return lexer_.text(); }
  std::vector<TextFault>& faults() { return faults_; }

 private:
  std::string Describe() const;

  Lexer lexer_;
  Token token_, next_;
  std::uint32_t from_ = 0, next_from_ = 0;  // where the lexer was before each of them
  bool has_next_ = false, stopped_ = false;
  std::vector<TextFault> faults_;
};

}  // namespace txvm::frontends::wat

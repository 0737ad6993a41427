#include "frontends/wat/token_reader.h"

#include <fmt/format.h>

#include <utility>

#include "frontends/wasm/cursor.h"
#include "isa/support/text.h"

namespace txvm::frontends::wat {

std::string TokenReader::Describe() const {
  switch (token_.kind) {
    case TokenKind::kEnd:
      return "the end of the text";
    case TokenKind::kString:
      return "a string";
    case TokenKind::kOpen:
    case TokenKind::kClose:
    case TokenKind::kWord:
    case TokenKind::kName:
      break;
  }
  return fmt::format("'{}'", isa::Printable(token_.text));
}

void TokenReader::Report(std::uint32_t at, std::string message, isa::ErrorCode code) {
  if (!AtMost()) faults_.push_back({code, std::move(message), at});
}

void TokenReader::Fail(std::uint32_t at, std::string message) {
  if (stopped_) return;
  if (!lexer_.ok()) {
    at = lexer_.fault_at();
    message = lexer_.fault();
  }
  Report(at, std::move(message));
  stopped_ = true;
  has_next_ = false;
  lexer_.GoTo(static_cast<std::uint32_t>(lexer_.text().size()));
  token_ = {TokenKind::kEnd, lexer_.at(), {}};
}

void TokenReader::Restart(std::uint32_t at) {
  lexer_.Recover(at);
  stopped_ = false;
  has_next_ = false;
  Advance();
}

void TokenReader::SkipToClose(std::uint32_t open_at, int levels) {
  if (stopped_) return;
  has_next_ = false;
  lexer_.GoTo(token_.at);
  for (int i = 0; i < levels && lexer_.ok(); ++i) (void)lexer_.SkipToClose(open_at);
  if (!lexer_.ok()) return Fail(open_at, {});
  Advance();
}

void TokenReader::Expected(std::string_view what) {
  Fail(token_.at, fmt::format("unexpected token: expected {}, found {}", what, Describe()));
}

void TokenReader::Close(std::string_view what) {
  if (token_.kind == TokenKind::kClose) return Advance();
  Expected(fmt::format("')' at the end of {}", what));
}

std::string TokenReader::String(std::string_view what, bool is_name) {
  std::string out, fault;
  if (token_.kind != TokenKind::kString) {
    Expected(what);
    return out;
  }
  if (!AppendString(token_.text, out, fault)) {
    Fail(token_.at, fault);
    return {};
  }
  if (is_name && !wasm::IsUtf8(out)) {
    Fail(token_.at, fmt::format("malformed UTF-8 encoding: {}", what));
    return {};
  }
  Advance();
  return out;
}

std::uint64_t TokenReader::Unsigned(int bits, std::string_view what) {
  if (token_.kind != TokenKind::kWord) {
    Expected(what);
    return 0;
  }
  const Number number = ParseUnsigned(token_.text, bits);
  if (number.fault == NumberFault::kNoNumber) {
    Expected(what);
    return 0;
  }
  if (number.fault == NumberFault::kOutOfRange) {
    Fail(token_.at, fmt::format("constant out of range: {} has {} bits", what, bits));
    return 0;
  }
  Advance();
  return number.bits;
}

}  // namespace txvm::frontends::wat

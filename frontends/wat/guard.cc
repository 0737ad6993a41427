#include "frontends/wat/guard.h"

#include <fmt/format.h>
#include <wabt/binary-reader-nop.h>
#include <wabt/wast-lexer.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "frontends/wat/reader.h"
#include "frontends/wat/text_place.h"

namespace txvm::frontends::wat {
namespace {

using isa::Error;
using isa::ErrorCode;
using isa::Result;
using wabt::TokenType;

constexpr std::size_t kCommandLevel = 2;  // parentheses inside a command, with the text itself

Result<void> CheckSize(std::size_t size, std::string_view file) {
  if (size <= kMaxSourceBytes) return {};
  return std::unexpected(
      Error{ErrorCode::kLimit,
            fmt::format("the module has {} bytes; the limit is {}", size, kMaxSourceBytes),
            {std::string(file), 0, 0},
            {}});
}

/// The bytes a quoted string stands for. REQUIRES: a token the lexer accepted.
void AppendUnescaped(std::string_view token, std::string& out) {
  const auto hex = [](char c) {
    if (c >= '0' && c <= '9') return c - '0';
    return (c | 0x20) - 'a' + 10;
  };
  if (token.size() < 2) return;
  token = token.substr(1, token.size() - 2);
  for (std::size_t i = 0; i < token.size(); ++i) {
    if (token[i] != '\\' || i + 1 >= token.size()) {
      out += token[i];
      continue;
    }
    const char c = token[++i];
    if (c == 'n') {
      out += '\n';
    } else if (c == 'r') {
      out += '\r';
    } else if (c == 't') {
      out += '\t';
    } else if (c == '\\' || c == '\'' || c == '"') {
      out += c;
    } else if (i + 1 < token.size()) {
      out += static_cast<char>(hex(c) << 4 | hex(token[i + 1]));
      ++i;
    }
  }
}

/// Follows the tokens of a text the way the parser's recursion would.
class TextGuard {
 public:
  TextGuard(std::string_view text, std::string_view file) : text_(text), file_(file) {}

  Result<void> Run();
  TextRisk risk() const { return risk_; }

 private:
  /// One open parenthesis.
  struct Paren {
    bool is_table = false;     // a table: an element segment in it has its type
    bool is_elem = false;      // an element segment
    bool after_type = false;   // its type has been read: what follows are expressions
    bool is_binary = false;    // its strings are a binary module
    std::uint32_t blocks = 0;  // unfolded blocks open inside it
    std::string content;       // of an embedded module
  };

  Result<void> Token(const wabt::Token& token, TokenType previous);
  Result<void> Close();
  Result<void> Deepen(const wabt::Token& token);
  Result<void> InsideElem(const wabt::Token& token, TokenType previous);
  std::unexpected<Error> FailAt(const wabt::Token& token, ErrorCode code, std::string message);

  std::string_view text_, file_;
  std::vector<Paren> parens_{1};  // the first stands for the text itself
  std::uint32_t depth_ = 0;
  TextRisk risk_ = TextRisk::kNone;
};

std::unexpected<Error> TextGuard::FailAt(const wabt::Token& token, ErrorCode code,
                                         std::string message) {
  return std::unexpected(
      TextError(code, std::move(message), text_, file_, token.loc.line, token.loc.first_column));
}

Result<void> TextGuard::Deepen(const wabt::Token& token) {
  if (++depth_ <= kMaxNesting) return {};
  return FailAt(token, ErrorCode::kLimit,
                fmt::format("nesting is deeper than {} levels", kMaxNesting));
}

Result<void> TextGuard::Close() {
  if (parens_.size() == 1) return {};
  const Paren closed = std::move(parens_.back());
  parens_.pop_back();
  depth_ -= 1 + closed.blocks;
  if (closed.is_binary) {
    const auto* bytes = reinterpret_cast<const std::uint8_t*>(closed.content.data());
    return GuardBinary({bytes, closed.content.size()}, file_);
  }
  return {};
}

/// The parser asserts that what opens after the type of an element segment is an expression.
Result<void> TextGuard::InsideElem(const wabt::Token& token, TokenType previous) {
  Paren& paren = parens_.back();
  if (token.token_type() == TokenType::ValueType) paren.after_type = true;
  if (parens_.size() < 2 || previous != TokenType::Lpar) return {};
  const Paren& outer = parens_[parens_.size() - 2];
  if (!outer.is_elem || !outer.after_type) return {};
  risk_ = TextRisk::kAbort;
  switch (static_cast<int>(token.token_type())) {
    case static_cast<int>(TokenType::Item):
    case static_cast<int>(TokenType::RefFunc):
    case static_cast<int>(TokenType::RefNull):
    case static_cast<int>(TokenType::GlobalGet):
    case static_cast<int>(TokenType::Const):
      return {};
    default:
      return FailAt(token, ErrorCode::kSyntax,
                    "expected an element: (ref.func ...), (ref.null ...), (global.get ...) or "
                    "(item ...)");
  }
}

Result<void> TextGuard::Token(const wabt::Token& token, TokenType previous) {
  TXVM_CHECK_OK(InsideElem(token, previous));
  Paren& paren = parens_.back();
  switch (static_cast<int>(token.token_type())) {
    case static_cast<int>(TokenType::LparAnn):  // the parser asserts or hangs on them
      return FailAt(token, ErrorCode::kSyntax, "annotations are not supported");
    case static_cast<int>(TokenType::Lpar):
      parens_.emplace_back();
      return Deepen(token);
    case static_cast<int>(TokenType::Rpar):
      return Close();
    case static_cast<int>(TokenType::Block):
    case static_cast<int>(TokenType::Loop):
    case static_cast<int>(TokenType::If):
    case static_cast<int>(TokenType::Try):
      if (previous == TokenType::Lpar) return {};
      ++paren.blocks;
      return Deepen(token);
    case static_cast<int>(TokenType::End):
      if (paren.blocks > 0) {
        --paren.blocks;
        --depth_;
      }
      return {};
    case static_cast<int>(TokenType::Elem):
      paren.is_elem = paren.is_elem || previous == TokenType::Lpar;
      paren.after_type = parens_.size() > 1 && parens_[parens_.size() - 2].is_table;
      return {};
    case static_cast<int>(TokenType::Table):
      paren.is_table = paren.is_table || previous == TokenType::Lpar;
      return {};
    case static_cast<int>(TokenType::Quote):  // the parser asserts on it as a command
      if (parens_.size() == kCommandLevel) {
        return FailAt(token, ErrorCode::kSyntax, "a quoted module can only stand in an assertion");
      }
      risk_ = TextRisk::kAbort;
      return {};
    case static_cast<int>(TokenType::Bin):
      paren.is_binary = true;
      return {};
    case static_cast<int>(TokenType::Text):
      if (paren.is_binary) AppendUnescaped(token.text(), paren.content);
      return {};
    default:
      return {};
  }
}

Result<void> TextGuard::Run() {
  wabt::Errors ignored;  // lexical errors are the parser's to report
  const auto lexer =
      wabt::WastLexer::CreateBufferLexer(file_, text_.data(), text_.size(), &ignored);
  TokenType previous = TokenType::Invalid;
  while (true) {
    const wabt::Token token = lexer->GetToken();
    TXVM_CHECK_OK(Token(token, previous));
    if (token.token_type() == TokenType::Eof) break;
    previous = token.token_type();
    if (ignored.size() > 1) ignored.resize(1);  // a hostile text may have an error per byte
  }
  // The parser reads to the end as well: what is still open there counts as closed.
  while (parens_.size() > 1) TXVM_CHECK_OK(Close());
  return {};
}

/// Walks a binary module without keeping it.
class BinaryGuard : public wabt::BinaryReaderNop {
 public:
  std::string message;  // the limit that was passed; empty when none

  bool OnError(const wabt::Error&) override { return true; }  // the reader reports it
  wabt::Result BeginFunctionBody(wabt::Index, wabt::Offset) override {
    depth_ = 0;
    return wabt::Result::Ok;
  }
  wabt::Result OnBlockExpr(wabt::Type) override { return Deepen(); }
  wabt::Result OnLoopExpr(wabt::Type) override { return Deepen(); }
  wabt::Result OnIfExpr(wabt::Type) override { return Deepen(); }
  wabt::Result OnTryExpr(wabt::Type) override { return Deepen(); }
  wabt::Result OnEndExpr() override {
    if (depth_ > 0) --depth_;
    return wabt::Result::Ok;
  }

 private:
  wabt::Result Deepen() {
    if (++depth_ <= kMaxNesting) return wabt::Result::Ok;
    message = fmt::format("nesting is deeper than {} levels", kMaxNesting);
    return wabt::Result::Error;
  }

  std::uint32_t depth_ = 0;
};

}  // namespace

Result<TextRisk> GuardText(std::string_view text, std::string_view file) {
  TXVM_CHECK_OK(CheckSize(text.size(), file));
  TextGuard guard(text, file);
  TXVM_CHECK_OK(guard.Run());
  return guard.risk();
}

Result<void> GuardBinary(std::span<const std::uint8_t> bytes, std::string_view file) {
  TXVM_CHECK_OK(CheckSize(bytes.size(), file));
  BinaryGuard guard;
  wabt::ReadBinaryOptions options;
  options.read_debug_names = true;
  (void)wabt::ReadBinary(bytes.data(), bytes.size(), &guard, options);
  if (guard.message.empty()) return {};
  return std::unexpected(
      Error{ErrorCode::kLimit, std::move(guard.message), {std::string(file), 0, 0}, {}});
}

}  // namespace txvm::frontends::wat

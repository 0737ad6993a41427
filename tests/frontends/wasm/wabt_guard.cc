#include "tests/frontends/wasm/wabt_guard.h"

#include <fmt/format.h>
#include <wabt/binary-reader-nop.h>
#include <wabt/wast-lexer.h>

#include <algorithm>
#include <array>
#include <string>
#include <utility>
#include <vector>

#include "tests/frontends/wasm/text_error.h"
#include "tests/frontends/wasm/wabt_text.h"

namespace txvm::frontends::wat {
namespace {

using isa::Error;
using isa::ErrorCode;
using isa::Result;
using wabt::TokenType;

constexpr std::size_t kCommandLevel = 2;  // parentheses inside a command, with the text itself
constexpr std::size_t kFieldLevel = 2;    // parentheses around a field of a module

Result<void> CheckSize(std::size_t size, std::string_view file) {
  if (size <= kMaxWabtBytes) return {};
  return std::unexpected(
      Error{ErrorCode::kLimit,
            fmt::format("the module has {} bytes; the limit is {}", size, kMaxWabtBytes),
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

std::string TypeCopiesText() {
  return fmt::format("the types of blocks and calls have more than {} values in all",
                     kMaxTypeCopies);
}

std::string ItemsText() {
  return fmt::format("the module has more than {} instructions, operands and declarations",
                     kMaxItems);
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
    TokenType opener = TokenType::Invalid;  // its first token
    bool after_type = false;                // its type has been read: what follows are expressions
    bool is_binary = false;                 // its strings are a binary module
    bool has_code = false;                  // of a func: instructions have begun
    std::uint32_t values = 0;               // types in it; of a func, of its own signature
    std::uint32_t blocks = 0;               // unfolded blocks open inside it
    std::string content;                    // of an embedded module
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
  std::uint64_t items_ = 0;
  std::uint64_t type_uses_ = 0;     // functions, blocks, indirect calls
  std::uint32_t largest_type_ = 0;  // values of a func type
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
  Paren& outer = parens_.back();
  if (closed.opener == TokenType::Param || closed.opener == TokenType::Result) {
    if (!outer.has_code) outer.values += closed.values;
  } else if (closed.opener == TokenType::Func) {
    ++type_uses_;
    largest_type_ = std::max(largest_type_, closed.values);
  }
  if (closed.is_binary) {
    const auto* bytes = reinterpret_cast<const std::uint8_t*>(closed.content.data());
    TXVM_CHECK_OK(GuardBinary({bytes, closed.content.size()}, file_));
  }
  return {};
}

/// The parser asserts that what opens after the type of an element segment is an expression.
Result<void> TextGuard::InsideElem(const wabt::Token& token, TokenType previous) {
  Paren& paren = parens_.back();
  if (token.token_type() == TokenType::ValueType) paren.after_type = true;
  if (parens_.size() < 2 || previous != TokenType::Lpar) return {};
  const Paren& outer = parens_[parens_.size() - 2];
  if (outer.opener != TokenType::Elem || !outer.after_type) return {};
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
  const bool is_field = token.token_type() == TokenType::Lpar && parens_.size() <= kFieldLevel;
  items_ += is_field ? kItemsPerField : 1;
  if (items_ > kMaxItems) return FailAt(token, ErrorCode::kLimit, ItemsText());
  Paren& paren = parens_.back();
  if (previous == TokenType::Lpar && parens_.size() > 1) paren.opener = token.token_type();
  paren.has_code = paren.has_code || token.HasOpcode();
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
      ++type_uses_;
      if (previous == TokenType::Lpar) return {};
      ++paren.blocks;
      return Deepen(token);
    case static_cast<int>(TokenType::End):
      if (paren.blocks > 0) {
        --paren.blocks;
        --depth_;
      }
      return {};
    case static_cast<int>(TokenType::CallIndirect):
    case static_cast<int>(TokenType::ReturnCallIndirect):
      ++type_uses_;
      return {};
    case static_cast<int>(TokenType::ValueType):
      ++paren.values;
      return {};
    case static_cast<int>(TokenType::Elem):  // one inside a table has its type already
      paren.after_type =
          parens_.size() > 1 && parens_[parens_.size() - 2].opener == TokenType::Table;
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
  if (type_uses_ * largest_type_ <= kMaxTypeCopies) return {};
  return std::unexpected(
      Error{ErrorCode::kLimit, TypeCopiesText(), {std::string(file_), 0, 0}, {}});
}

/// Walks a binary module without keeping it.
class BinaryGuard : public wabt::BinaryReaderNop {
 public:
  std::string message;  // why the module is refused; empty when it is not
  ErrorCode code = ErrorCode::kLimit;
  BinaryPlaces places;

  explicit BinaryGuard(std::span<const std::uint8_t> bytes) : bytes_(bytes) {}

  bool OnError(const wabt::Error&) override { return true; }  // the reader reports it
  /// An error ends the section alone: what it says, which may be anything, is not walked.
  wabt::Result BeginCustomSection(wabt::Index, wabt::Offset, std::string_view name) override {
    const auto* begin = reinterpret_cast<const std::uint8_t*>(name.data());
    if (!name.empty()) {
      places.custom_names.push_back(static_cast<std::uint32_t>(begin - bytes_.data()));
    }
    return wabt::Result::Error;
  }
  wabt::Result OnFuncType(wabt::Index, wabt::Index params, wabt::Type*, wabt::Index results,
                          wabt::Type*) override {
    type_sizes_.push_back(std::uint64_t{params} + results);
    return Count(kItemsPerField);
  }
  wabt::Result OnImport(wabt::Index, wabt::ExternalKind, std::string_view,
                        std::string_view) override {
    return Count(kItemsPerField);
  }
  wabt::Result OnExport(wabt::Index, wabt::ExternalKind, wabt::Index, std::string_view) override {
    return Count(kItemsPerField);
  }
  wabt::Result BeginGlobal(wabt::Index, wabt::Type, bool) override { return Count(kItemsPerField); }
  wabt::Result OnElemSegmentElemExprCount(wabt::Index, wabt::Index count) override {
    return Count(kItemsPerField + count);
  }
  wabt::Result OnDataSegmentData(wabt::Index, const void*, wabt::Address) override {
    return Count(kItemsPerField);
  }
  wabt::Result BeginGlobalInitExpr(wabt::Index) override { return Initialiser(true); }
  wabt::Result EndGlobalInitExpr(wabt::Index) override { return Initialiser(false); }
  wabt::Result BeginElemSegmentInitExpr(wabt::Index) override { return Initialiser(true); }
  wabt::Result EndElemSegmentInitExpr(wabt::Index) override { return Initialiser(false); }
  wabt::Result BeginDataSegmentInitExpr(wabt::Index) override { return Initialiser(true); }
  wabt::Result EndDataSegmentInitExpr(wabt::Index) override { return Initialiser(false); }
  wabt::Result OnOpcode(wabt::Opcode opcode) override {
    if (in_initialiser_ && IsControl(opcode)) {
      message = fmt::format("{} in a constant expression", opcode.GetName());
      code = ErrorCode::kInvalid;
      return wabt::Result::Error;
    }
    places.instructions.push_back(static_cast<std::uint32_t>(state->offset - Length(opcode)));
    return Count(1);
  }
  wabt::Result OnBrTableExpr(wabt::Index targets, wabt::Index*, wabt::Index) override {
    return Count(targets);
  }
  wabt::Result OnFunction(wabt::Index, wabt::Index type) override {
    return Count(kItemsPerField) | Use(type);
  }
  wabt::Result OnCallIndirectExpr(wabt::Index type, wabt::Index) override { return Use(type); }
  wabt::Result BeginFunctionBody(wabt::Index, wabt::Offset) override {
    depth_ = 0;
    return wabt::Result::Ok;
  }
  wabt::Result OnBlockExpr(wabt::Type type) override { return Deepen(type); }
  wabt::Result OnLoopExpr(wabt::Type type) override { return Deepen(type); }
  wabt::Result OnIfExpr(wabt::Type type) override { return Deepen(type); }
  wabt::Result OnTryExpr(wabt::Type type) override { return Deepen(type); }
  wabt::Result OnEndExpr() override {
    if (depth_ > 0) --depth_;
    return wabt::Result::Ok;
  }

 private:
  /// Bytes of an opcode without operands; after a prefix stands a LEB128 number.
  static std::size_t Length(wabt::Opcode opcode) {
    constexpr std::uint32_t kLebBits = 7;
    if (!opcode.HasPrefix()) return 1;
    std::size_t bytes = 2;
    for (std::uint32_t rest = opcode.GetCode() >> kLebBits; rest != 0; rest >>= kLebBits) ++bytes;
    return bytes;
  }
  wabt::Result Initialiser(bool is_inside) {
    in_initialiser_ = is_inside;
    return wabt::Result::Ok;
  }
  /// The reader asserts that blocks end where they began, which those of an initialiser need not.
  static bool IsControl(wabt::Opcode opcode) {
    constexpr auto kControl = std::to_array<wabt::Opcode::Enum>(
        {wabt::Opcode::Block, wabt::Opcode::Loop, wabt::Opcode::If, wabt::Opcode::Else,
         wabt::Opcode::Try, wabt::Opcode::Catch, wabt::Opcode::CatchAll, wabt::Opcode::Delegate});
    return std::ranges::find(kControl, static_cast<wabt::Opcode::Enum>(opcode)) != kControl.end();
  }
  wabt::Result Count(std::uint64_t items) {
    items_ += items;
    if (items_ <= kMaxItems) return wabt::Result::Ok;
    message = ItemsText();
    return wabt::Result::Error;
  }
  wabt::Result Use(wabt::Index type) {
    if (type < type_sizes_.size()) copies_ += type_sizes_[type];
    if (copies_ <= kMaxTypeCopies) return wabt::Result::Ok;
    message = TypeCopiesText();
    return wabt::Result::Error;
  }
  wabt::Result Deepen(wabt::Type type) {
    if (type.IsIndex() && wabt::Failed(Use(type.GetIndex()))) return wabt::Result::Error;
    if (++depth_ <= kMaxNesting) return wabt::Result::Ok;
    message = fmt::format("nesting is deeper than {} levels", kMaxNesting);
    return wabt::Result::Error;
  }

  std::span<const std::uint8_t> bytes_;
  std::uint32_t depth_ = 0;
  std::vector<std::uint64_t> type_sizes_;  // (types,) values
  std::uint64_t copies_ = 0;
  std::uint64_t items_ = 0;
  bool in_initialiser_ = false;
};

}  // namespace

Result<TextRisk> GuardText(std::string_view text, std::string_view file) {
  TXVM_CHECK_OK(CheckSize(text.size(), file));
  TextGuard guard(text, file);
  TXVM_CHECK_OK(guard.Run());
  return guard.risk();
}

Result<BinaryPlaces> GuardBinary(std::span<const std::uint8_t> bytes, std::string_view file) {
  TXVM_CHECK_OK(CheckSize(bytes.size(), file));
  BinaryGuard guard(bytes);
  wabt::ReadBinaryOptions options;
  options.fail_on_custom_section_error = false;
  (void)wabt::ReadBinary(bytes.data(), bytes.size(), &guard, options);
  if (guard.message.empty()) return std::move(guard.places);
  return std::unexpected(
      Error{guard.code, std::move(guard.message), {std::string(file), 0, 0}, {}});
}

}  // namespace txvm::frontends::wat

#include "asm/parser.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "asm/suggest.h"
#include "isa/support/text.h"

namespace txvm::assembler {
namespace {

using isa::Opcode;

struct DirectiveName {
  Directive directive;
  std::string_view text;
};
constexpr auto kDirectives = std::to_array<DirectiveName>({
#define TXVM_DIRECTIVE(Name, text) {Directive::k##Name, text},
#include "asm/syntax.def"
#undef TXVM_DIRECTIVE
});

struct ControlName {
  Control control;
  std::string_view text;
};
constexpr auto kControls = std::to_array<ControlName>({
#define TXVM_CONTROL(Name, text) {Control::k##Name, text},
#include "asm/syntax.def"
#undef TXVM_CONTROL
});

struct GlobalName {
  Opcode op;
  std::string_view text;
};
constexpr auto kGlobals = std::to_array<GlobalName>({
    {Opcode::kLocalGet, "GLOBAL.GET"},
    {Opcode::kLocalSet, "GLOBAL.SET"},
    {Opcode::kLocalTee, "GLOBAL.TEE"},
});

template <typename Table>
auto FindIn(const Table& table, std::string_view text) {
  return std::find_if(table.begin(), table.end(),
                      [&](const auto& row) { return isa::EqualsIgnoreCase(row.text, text); });
}

// The keyword or mnemonic a word is; false when it is none.
bool Classify(std::string_view word, Statement& statement) {
  if (const auto control = FindIn(kControls, word); control != kControls.end()) {
    statement.kind = StatementKind::kControl;
    statement.control = control->control;
    return true;
  }
  statement.kind = StatementKind::kInstruction;
  if (const auto global = FindIn(kGlobals, word); global != kGlobals.end()) {
    statement.op = global->op;
    statement.is_global = true;
    return true;
  }
  const std::optional<Opcode> op = isa::FindMnemonic(word);
  if (op) statement.op = *op;
  return op.has_value();
}

std::string SuggestInstruction(std::string_view word) {
  std::vector<std::string_view> known;
  for (const isa::OpcodeInfo& row : isa::kOpcodes) known.push_back(row.text);
  for (const GlobalName& row : kGlobals) known.push_back(row.text);
  for (const ControlName& row : kControls) known.push_back(row.text);
  return DidYouMean(word, known);
}

std::string SuggestDirective(std::string_view word) {
  std::vector<std::string_view> known;
  for (const DirectiveName& row : kDirectives) known.push_back(row.text);
  return DidYouMean(word, known);
}

class Parser {
 public:
  explicit Parser(const SourceText& source) : source_(source) {}

  isa::Result<Syntax> Run() {
    std::string_view rest = source_.text;
    std::uint32_t line = 1;
    while (!rest.empty()) {
      const std::size_t end = rest.find('\n');
      tokens_.clear();
      TXVM_CHECK_OK(Tokenize(source_, rest.substr(0, end), line, tokens_left_, tokens_));
      tokens_left_ -= tokens_.size();
      TXVM_CHECK_OK(Line());
      if (end == std::string_view::npos) break;
      rest.remove_prefix(end + 1);
      ++line;
    }
    return std::move(syntax_);
  }

 private:
  // line := { label } [ directive | instruction | control ]
  isa::Result<void> Line() {
    std::size_t at = 0;
    for (; at < tokens_.size() && tokens_[at].kind == TokenKind::kLabel; ++at) {
      Statement label;
      label.head = tokens_[at];
      syntax_.statements.push_back(label);
    }
    if (at == tokens_.size()) return {};
    Statement statement;
    statement.head = tokens_[at];
    TXVM_CHECK_OK(Head(statement));
    statement.first_operand = static_cast<std::uint32_t>(syntax_.operands.size());
    statement.operand_count = static_cast<std::uint32_t>(tokens_.size() - at - 1);
    syntax_.operands.insert(syntax_.operands.end(), tokens_.begin() + static_cast<long>(at) + 1,
                            tokens_.end());
    syntax_.statements.push_back(statement);
    return {};
  }

  isa::Result<void> Head(Statement& statement) const {
    const Token& head = statement.head;
    if (head.kind == TokenKind::kDirective) {
      const auto found = FindIn(kDirectives, head.text);
      if (found == kDirectives.end()) {
        return source_.Fail(head, fmt::format("unknown directive {}{}", Shown(head.text),
                                              SuggestDirective(head.text)));
      }
      statement.kind = StatementKind::kDirective;
      statement.directive = found->directive;
      return {};
    }
    if (head.kind != TokenKind::kWord) {
      return source_.Fail(head, fmt::format("expected an instruction, found {}", Shown(head.text)));
    }
    if (Classify(head.text, statement)) return {};
    return source_.Fail(head, fmt::format("unknown instruction {}{}", Shown(head.text),
                                          SuggestInstruction(head.text)));
  }

  const SourceText& source_;
  std::vector<Token> tokens_;  // of the current line
  std::size_t tokens_left_ = kMaxTokens;
  Syntax syntax_;
};

}  // namespace

isa::Result<Syntax> Parse(const SourceText& source) { return Parser(source).Run(); }

isa::Result<Token> OperandReader::Take(std::string_view what) {
  if (rest_.empty()) {
    const Token& head = statement_.head;
    return source_.Fail(head, fmt::format("{} needs {}", head.text, what));
  }
  const Token token = rest_.front();
  rest_ = rest_.subspan(1);
  return token;
}

isa::Result<Token> OperandReader::Take(TokenKind kind, std::string_view what) {
  TXVM_TRY(const Token token, Take(what));
  if (token.kind == kind) return token;
  return source_.Fail(
      token, fmt::format("{} needs {}, found {}", statement_.head.text, what, Shown(token.text)));
}

isa::Result<std::uint32_t> OperandReader::Number(std::string_view what) {
  TXVM_TRY(const Token token, Take(TokenKind::kNumber, what));
  return token.value;
}

isa::Result<std::uint32_t> OperandReader::Count(std::string_view what, std::uint32_t limit) {
  TXVM_TRY(const Token token, Take(TokenKind::kNumber, what));
  if (token.value <= limit) return token.value;
  return source_.Fail(token, fmt::format("{} out of range 0..{}", Shown(token.text), limit));
}

isa::Result<void> OperandReader::Finish() const {
  if (rest_.empty()) return {};
  return source_.Fail(rest_.front(), fmt::format("unexpected {} after {}",
                                                 Shown(rest_.front().text), statement_.head.text));
}

}  // namespace txvm::assembler

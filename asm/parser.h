// .txa text as statements: what each line is, with its operands still tokens.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "asm/lexer.h"
#include "isa/opcode.h"

namespace txvm::assembler {

enum class Directive : std::uint8_t {
#define TXVM_DIRECTIVE(Name, text) k##Name,
#include "asm/syntax.def"
#undef TXVM_DIRECTIVE
};

enum class Control : std::uint8_t {
#define TXVM_CONTROL(Name, text) k##Name,
#include "asm/syntax.def"
#undef TXVM_CONTROL
};

enum class StatementKind : std::uint8_t { kLabel, kDirective, kControl, kInstruction };

struct Statement {
  StatementKind kind = StatementKind::kLabel;
  Directive directive = Directive::kFlat;  // kDirective
  Control control = Control::kBlock;       // kControl
  isa::Opcode op = isa::Opcode::kNop;      // kInstruction
  bool is_global = false;                  // kInstruction: GLOBAL.GET, .SET or .TEE
  Token head;                              // the label, directive, keyword or mnemonic
  std::uint32_t first_operand = 0, operand_count = 0;

  bool Is(Directive which) const { return kind == StatementKind::kDirective && directive == which; }
};

/// A parsed text. Its tokens point into the source.
struct Syntax {
  std::vector<Statement> statements;
  std::vector<Token> operands;

  std::span<const Token> OperandsOf(const Statement& statement) const {
    return std::span(operands).subspan(statement.first_operand, statement.operand_count);
  }
};

/// Errors: kSyntax, with a suggestion for a mistyped word.
isa::Result<Syntax> Parse(const SourceText& source);

/// The operands of one statement, taken from left to right, with an error for what is missing,
/// of the wrong kind, or too much.
class OperandReader {
 public:
  OperandReader(const SourceText& source, const Syntax& syntax, const Statement& statement)
      : source_(source), statement_(statement), rest_(syntax.OperandsOf(statement)) {}

  bool empty() const { return rest_.empty(); }
  /// The next operand. REQUIRES: !empty().
  const Token& front() const { return rest_.front(); }
  /// The next operand, of any kind; `what` names it when it is missing ("a label").
  isa::Result<Token> Take(std::string_view what);
  isa::Result<Token> Take(TokenKind kind, std::string_view what);
  isa::Result<std::uint32_t> Number(std::string_view what = "a number");
  /// A number 0..limit.
  isa::Result<std::uint32_t> Count(std::string_view what, std::uint32_t limit);
  /// Error unless every operand was taken.
  isa::Result<void> Finish() const;

 private:
  const SourceText& source_;
  const Statement& statement_;
  std::span<const Token> rest_;
};

}  // namespace txvm::assembler

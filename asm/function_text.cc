#include "asm/function_text.h"

#include <fmt/format.h>

#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "asm/module_text.h"
#include "asm/operands.h"
#include "asm/suggest.h"

namespace txvm::assembler {
namespace {

using isa::Instruction;
using isa::Opcode;
using isa::Operand;

// Whether code may come of it, which a note then belongs to.
bool IsCode(const Statement& statement) {
  if (statement.kind != StatementKind::kControl) {
    return statement.kind == StatementKind::kInstruction || statement.Is(Directive::kRaw);
  }
  return statement.control != Control::kBlock && statement.control != Control::kLoop &&
         statement.control != Control::kEnd;
}

// A .note belongs to the next instruction of its function, which has no other; one without would
// fall to the next function, or to a RETURN that no text shows.
isa::Result<void> CheckNotes(const FunctionContext& context, const ModuleFunction& function) {
  const Token* note = nullptr;
  for (std::size_t at = function.first; at < function.last; ++at) {
    const Statement& statement = context.syntax.statements[at];
    if (statement.Is(Directive::kNote)) {
      if (note != nullptr) return context.source.Fail(statement.head, SecondNote(note->line));
      note = &statement.head;
    } else if (IsCode(statement)) {
      note = nullptr;
    }
  }
  if (note == nullptr) return {};
  return context.source.Fail(*note, "no instruction follows the note");
}

// ------------------------------------------------------------------------------------ raw bodies

// Each line is one instruction; labels are offsets.
class RawBody {
 public:
  RawBody(const FunctionContext& context, const ModuleFunction& function)
      : context_(context), function_(function) {}

  isa::Result<FunctionCode> Run() {
    out_.name = function_.name;
    out_.params = function_.params;
    out_.results = function_.results;
    out_.locals = function_.locals;
    out_.types = function_.types;
    TXVM_CHECK_OK(Lay());
    for (std::size_t at = function_.first; at < function_.last; ++at) {
      TXVM_CHECK_OK(Write(context_.syntax.statements[at]));
    }
    return std::move(out_);
  }

 private:
  struct LabelPlace {
    std::uint32_t offset = 0;
    std::uint32_t line = 0;
  };

  isa::Result<void> Lay() {
    std::uint32_t size = 0;
    for (std::size_t at = function_.first; at < function_.last; ++at) {
      const Statement& statement = context_.syntax.statements[at];
      const Token& head = statement.head;
      if (statement.kind == StatementKind::kControl) {
        return context_.source.Fail(
            head, fmt::format("{} cannot stand in a function with labels, JZ, JNZ or .raw",
                              Shown(head.text)));
      }
      if (statement.kind != StatementKind::kLabel) {
        const bool is_instruction =
            statement.kind == StatementKind::kInstruction || statement.Is(Directive::kRaw);
        size += is_instruction ? 1 : 0;
        continue;
      }
      const auto [known, is_new] = labels_.emplace(head.text, LabelPlace{size, head.line});
      if (!is_new) {
        return context_.source.Fail(
            head, fmt::format("label {} is defined twice (first on line {})", Shown(head.text),
                              known->second.line));
      }
      label_names_.push_back(head.text);
    }
    if (size > 0) return {};
    return context_.source.Fail(context_.syntax.statements[function_.first - 1].head,
                                "the function has no instructions");
  }

  isa::Result<void> Write(const Statement& statement) {
    OperandReader operands(context_.source, context_.syntax, statement);
    if (statement.kind == StatementKind::kDirective) return WriteDirective(statement, operands);
    if (statement.kind != StatementKind::kInstruction) return {};
    if (OperandOf(statement) == Operand::kTarget) {
      TXVM_TRY(const std::uint32_t target, Target(operands));
      return Append(statement, Instruction(statement.op, target));
    }
    if (OperandOf(statement) == Operand::kCallee) {
      TXVM_TRY(const Callee callee, context_.scope.CalleeOf(statement));
      if (callee.is_import) {
        return Append(statement, Instruction(Opcode::kCall, callee.index | isa::kHostCallBit));
      }
      out_.calls.push_back({Here(), callee.index});
      return Append(statement, Instruction(Opcode::kCall));
    }
    TXVM_TRY(const Instruction instruction, ReadInstruction(context_.source, statement, operands));
    return Append(statement, instruction);
  }

  isa::Result<void> WriteDirective(const Statement& statement, OperandReader& operands) {
    if (statement.directive == Directive::kRaw) {
      TXVM_TRY(const Instruction instruction, ReadRaw(operands));
      return Append(statement, instruction);
    }
    if (statement.directive == Directive::kLine) {
      TXVM_TRY(line_, operands.Number("a line"));
      return operands.Finish();
    }
    TXVM_TRY(const Token text, operands.Take(TokenKind::kString, "a text in quotes"));
    out_.notes.push_back({Here(), StringBytes(text)});
    return operands.Finish();
  }

  isa::Result<void> Append(const Statement& statement, Instruction instruction) {
    if (out_.code.size() >= context_.max_instructions) {
      return std::unexpected(context_.source.ErrorAt(
          isa::ErrorCode::kLimit, statement.head.line, statement.head.column,
          fmt::format("the function needs more than {} instructions", context_.max_instructions)));
    }
    if (context_.marks_text) line_ = statement.head.line;
    if (out_.lines.empty() ? line_ != 0 : out_.lines.back().line != line_) {
      out_.lines.push_back({Here(), line_});
    }
    out_.code.push_back(instruction);
    return {};
  }

  std::uint32_t Here() const { return static_cast<std::uint32_t>(out_.code.size()); }

  isa::Result<std::uint32_t> Target(OperandReader& operands) {
    TXVM_TRY(const Token token, operands.Take(TokenKind::kWord, "a label"));
    TXVM_CHECK_OK(operands.Finish());
    const auto found = labels_.find(token.text);
    if (found != labels_.end()) return found->second.offset;
    return context_.source.Fail(token, fmt::format("unknown label {}{}", Shown(token.text),
                                                   DidYouMean(token.text, label_names_)));
  }

  const FunctionContext& context_;
  const ModuleFunction& function_;
  FunctionCode out_;
  std::uint32_t line_ = 0;
  std::unordered_map<std::string_view, LabelPlace> labels_;
  std::vector<std::string_view> label_names_;
};

// ----------------------------------------------------------------------------- structured bodies

class StructuredBody {
 public:
  StructuredBody(const FunctionContext& context, const ModuleFunction& function)
      : context_(context),
        function_(function),
        builder_({function.name, function.params, function.results, function.locals, false,
                  context.max_instructions, function.types}) {}

  isa::Result<FunctionCode> Run() {
    const auto& statements = context_.syntax.statements;
    for (std::size_t at = function_.first; at < function_.last; ++at) {
      TXVM_CHECK_OK(Write(statements[at]));
      TXVM_CHECK_OK(NoFault(statements[at].head));
    }
    if (!open_.empty()) {
      return context_.source.Fail(
          open_.back().head, fmt::format("{} is not closed by end", Shown(open_.back().head.text)));
    }
    const Token& end = statements[function_.last].head;
    if (context_.marks_text) builder_.SetLine(end.line);
    builder_.End();
    TXVM_CHECK_OK(NoFault(end));
    return std::move(builder_).Finish();
  }

 private:
  struct OpenBlock {
    Token head;
    std::string_view name;  // empty: none
  };

  // The builder's fault, with the place of the statement that caused it.
  isa::Result<void> NoFault(const Token& head) const {
    if (!builder_.error()) return {};
    return std::unexpected(context_.source.ErrorAt(builder_.error()->code, head.line, head.column,
                                                   builder_.error()->message));
  }

  isa::Result<void> Write(const Statement& statement) {
    if (context_.marks_text) builder_.SetLine(statement.head.line);
    if (statement.kind == StatementKind::kControl) return WriteControl(statement);
    OperandReader operands(context_.source, context_.syntax, statement);
    if (statement.kind == StatementKind::kDirective) return WriteDirective(statement, operands);
    if (OperandOf(statement) == Operand::kCallee) {
      TXVM_TRY(const Callee callee, context_.scope.CalleeOf(statement));
      if (callee.is_import) {
        builder_.CallImport(callee.index, callee.params, callee.results);
      } else {
        builder_.Call(callee.index, callee.params, callee.results);
      }
      return {};
    }
    TXVM_TRY(const Instruction instruction, ReadInstruction(context_.source, statement, operands));
    builder_.Emit(instruction);
    return {};
  }

  isa::Result<void> WriteDirective(const Statement& statement, OperandReader& operands) {
    if (statement.directive == Directive::kLine) {
      TXVM_TRY(const std::uint32_t line, operands.Number("a line"));
      builder_.SetLine(line);
    } else {
      TXVM_TRY(const Token text, operands.Take(TokenKind::kString, "a text in quotes"));
      builder_.SetNote(StringBytes(text));
    }
    return operands.Finish();
  }

  isa::Result<void> WriteControl(const Statement& statement) {
    OperandReader operands(context_.source, context_.syntax, statement);
    switch (statement.control) {
      case Control::kBlock:
        return Open(statement, operands, BlockKind::kBlock);
      case Control::kLoop:
        return Open(statement, operands, BlockKind::kLoop);
      case Control::kIf:
        return Open(statement, operands, BlockKind::kIf);
      case Control::kElse:
        TXVM_CHECK_OK(operands.Finish());
        if (open_.empty()) return context_.source.Fail(statement.head, "else without an if");
        builder_.Else();
        return {};
      case Control::kEnd:
        return Close(statement, operands);
      case Control::kBr:
      case Control::kBrIf: {
        TXVM_TRY(const std::uint32_t depth, Target(operands));
        TXVM_CHECK_OK(operands.Finish());
        statement.control == Control::kBr ? builder_.Br(depth) : builder_.BrIf(depth);
        return {};
      }
      case Control::kBrTable:
        return Table(operands);
    }
    return {};
  }

  // ( "block" | "loop" | "if" ) [ word ] [ params=P ] [ results=R ]
  isa::Result<void> Open(const Statement& statement, OperandReader& operands, BlockKind kind) {
    OpenBlock block{statement.head, {}};
    if (!operands.empty() && operands.front().kind == TokenKind::kWord) {
      TXVM_TRY(const Token name, operands.Take("a name"));
      block.name = name.text;
    }
    TXVM_TRY(const Signature signature,
             ReadSignature(context_.source, operands, {kMaxModuleValues, 0, false}));
    TXVM_CHECK_OK(operands.Finish());
    if (open_.size() == kMaxNesting) {
      return std::unexpected(context_.source.ErrorAt(
          isa::ErrorCode::kLimit, statement.head.line, statement.head.column,
          fmt::format("blocks are nested deeper than {}", kMaxNesting)));
    }
    builder_.BeginBlock(kind, signature.params, signature.results);
    if (!block.name.empty()) {
      levels_[block.name].push_back(static_cast<std::uint32_t>(open_.size()));
    }
    open_.push_back(block);
    return {};
  }

  isa::Result<void> Close(const Statement& statement, OperandReader& operands) {
    TXVM_CHECK_OK(operands.Finish());
    if (open_.empty()) return context_.source.Fail(statement.head, "end without a block");
    builder_.End();
    if (!open_.back().name.empty()) levels_[open_.back().name].pop_back();
    open_.pop_back();
    return {};
  }

  // "br_table" target { target }
  isa::Result<void> Table(OperandReader& operands) {
    std::vector<std::uint32_t> targets;
    do {
      TXVM_TRY(const std::uint32_t depth, Target(operands));
      targets.push_back(depth);
    } while (!operands.empty());
    const std::uint32_t fallback = targets.back();
    targets.pop_back();
    builder_.BrTable(targets, fallback);
    return {};
  }

  // target := word | number
  isa::Result<std::uint32_t> Target(OperandReader& operands) {
    TXVM_TRY(const Token token, operands.Take("a target"));
    if (token.kind == TokenKind::kNumber) {
      if (token.value <= open_.size()) return token.value;
      return context_.source.Fail(
          token, fmt::format("level {} out of range 0..{}", token.text, open_.size()));
    }
    const auto level = levels_.find(token.text);
    if (token.kind == TokenKind::kWord && level != levels_.end() && !level->second.empty()) {
      return static_cast<std::uint32_t>(open_.size() - 1 - level->second.back());
    }
    std::vector<std::string_view> known;
    for (const OpenBlock& block : open_) {
      if (!block.name.empty()) known.push_back(block.name);
    }
    return context_.source.Fail(
        token, fmt::format("unknown block {}{}", Shown(token.text), DidYouMean(token.text, known)));
  }

  const FunctionContext& context_;
  const ModuleFunction& function_;
  FunctionBuilder builder_;
  std::vector<OpenBlock> open_;
  std::unordered_map<std::string_view, std::vector<std::uint32_t>> levels_;  // of open blocks
};

}  // namespace

isa::Result<FunctionCode> AssembleFunction(const FunctionContext& context,
                                           const ModuleFunction& function) {
  TXVM_CHECK_OK(CheckNotes(context, function));
  if (function.is_raw) return RawBody(context, function).Run();
  return StructuredBody(context, function).Run();
}

}  // namespace txvm::assembler

#include "asm/flat_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "asm/operands.h"
#include "asm/suggest.h"
#include "asm/tables.h"
#include "isa/limits.h"

namespace txvm::assembler {
namespace {

using isa::Instruction;
using isa::Opcode;

constexpr std::uint32_t kAnyCount = std::numeric_limits<std::uint32_t>::max();

class FlatAssembler {
 public:
  FlatAssembler(const SourceText& source, const Syntax& syntax, bool is_flat)
      : source_(source),
        syntax_(syntax),
        is_flat_(is_flat),
        marks_text_(!is_flat && !StatesLines(syntax)),
        tables_(source, syntax, program_, kAnyCount) {}

  isa::Result<isa::Program> Run() {
    if (marks_text_) program_.source = source_.file;
    for (const Statement& statement : syntax_.statements) TXVM_CHECK_OK(Lay(statement));
    TXVM_CHECK_OK(CloseLayout());
    for (const Statement& statement : syntax_.statements) TXVM_CHECK_OK(Write(statement));
    return std::move(program_);
  }

 private:
  struct LabelPlace {
    std::uint32_t ip = 0;
    std::uint32_t line = 0;
  };
  // A .func that is not closed yet.
  struct OpenFunction {
    Token head;
    isa::Function function;
    std::optional<std::uint32_t> locals;
    std::uint32_t locals_needed = 0;
  };

  // ------------------------------------------------- first pass: addresses, labels, functions

  isa::Result<void> Lay(const Statement& statement) {
    switch (statement.kind) {
      case StatementKind::kLabel:
        return LayLabel(statement);
      case StatementKind::kControl:
        return source_.Fail(statement.head,
                            fmt::format("{} needs a .func around it", Shown(statement.head.text)));
      case StatementKind::kInstruction:
        open_.locals_needed = std::max(open_.locals_needed, LocalsNeeded(syntax_, statement));
        ++size_;
        return {};
      case StatementKind::kDirective:
        return LayDirective(statement);
    }
    return {};
  }

  isa::Result<void> LayLabel(const Statement& statement) {
    const Token& label = statement.head;
    const auto [known, is_new] = labels_.emplace(label.text, LabelPlace{size_, label.line});
    if (is_new) {
      label_names_.push_back(label.text);
      return {};
    }
    return source_.Fail(label, fmt::format("label {} is defined twice (first on line {})",
                                           Shown(label.text), known->second.line));
  }

  isa::Result<void> LayDirective(const Statement& statement) {
    TXVM_TRY(const bool is_table, tables_.Read(statement));
    if (is_table) return {};
    if (statement.directive == Directive::kFlat && &statement != syntax_.statements.data()) {
      return source_.Fail(statement.head, ".flat must come before everything else");
    }
    if (statement.directive == Directive::kFlat) {
      return OperandReader(source_, syntax_, statement).Finish();
    }
    if (statement.directive == Directive::kRaw) ++size_;
    if (statement.directive == Directive::kFunc) return OpenFunc(statement);
    if (statement.directive == Directive::kEnd) return CloseFunc(statement);
    return {};
  }

  // .func NAME [params=P] [results=R] [locals=L] [types=T]
  isa::Result<void> OpenFunc(const Statement& statement) {
    if (is_open_) {
      return source_.Fail(statement.head,
                          fmt::format(".func inside of the function of line {}", open_.head.line));
    }
    OperandReader operands(source_, syntax_, statement);
    TXVM_TRY(const Token name, operands.Take("a name"));
    if (name.kind != TokenKind::kWord && name.kind != TokenKind::kString) {
      return source_.Fail(name, fmt::format(".func needs a name, found {}", Shown(name.text)));
    }
    TXVM_TRY(Signature signature, ReadSignature(source_, operands, {kAnyCount, kAnyCount, true}));
    TXVM_CHECK_OK(operands.Finish());
    open_ = OpenFunction{};
    open_.head = statement.head;
    open_.function.first = size_;
    open_.function.params = signature.params;
    open_.function.results = signature.results;
    open_.function.name =
        name.kind == TokenKind::kString ? StringBytes(name) : std::string(name.text);
    open_.locals = signature.locals;
    open_.locals_needed = static_cast<std::uint32_t>(isa::WordsOf(signature.types.locals));
    open_.function.local_types = std::move(signature.types.locals);
    is_open_ = true;
    return {};
  }

  isa::Result<void> CloseFunc(const Statement& statement) {
    if (!is_open_) return source_.Fail(statement.head, ".end without .func");
    TXVM_CHECK_OK(OperandReader(source_, syntax_, statement).Finish());
    if (size_ == open_.function.first) {
      return source_.Fail(open_.head, "the function has no instructions");
    }
    PushFunction();
    is_open_ = false;
    return {};
  }

  void PushFunction() {
    isa::Function& function = open_.function;
    function.last = size_ - 1;
    function.locals = open_.locals.value_or(std::max(function.params, open_.locals_needed));
    program_.functions.push_back(std::move(function));
    open_ = OpenFunction{};
  }

  isa::Result<void> CloseLayout() {
    if (is_open_) return source_.Fail(open_.head, "the function is not closed by .end");
    if (is_flat_) return {};
    if (size_ == 0) {
      return std::unexpected(isa::Error{isa::ErrorCode::kSyntax,
                                        "the text has no instructions",
                                        {std::string(source_.file), 0, 0},
                                        {}});
    }
    PushFunction();  // a plain file is one function
    return {};
  }

  // ------------------------------------------------------------- second pass: the instructions

  isa::Result<void> Write(const Statement& statement) {
    if (statement.kind == StatementKind::kDirective) return WriteDirective(statement);
    if (statement.kind != StatementKind::kInstruction) return {};
    OperandReader operands(source_, syntax_, statement);
    if (OperandOf(statement) == isa::Operand::kTarget) {
      TXVM_TRY(const std::uint32_t target, Target(operands, "a label"));
      TXVM_CHECK_OK(operands.Finish());
      Append(statement, Instruction(statement.op, target));
    } else if (OperandOf(statement) == isa::Operand::kCallee) {
      TXVM_TRY(const Instruction call, Call(operands));
      Append(statement, call);
    } else {
      TXVM_TRY(const Instruction instruction, ReadInstruction(source_, statement, operands));
      Append(statement, instruction);
    }
    return {};
  }

  void Append(const Statement& statement, Instruction instruction) {
    const std::uint32_t line = statement.head.line;
    const bool is_new = program_.lines.empty() || program_.lines.back().line != line;
    if (marks_text_ && is_new) program_.lines.push_back({Here(), line});
    program_.code.push_back(instruction);
  }

  std::uint32_t Here() const { return static_cast<std::uint32_t>(program_.code.size()); }

  isa::Result<void> WriteDirective(const Statement& statement) {
    OperandReader operands(source_, syntax_, statement);
    switch (statement.directive) {
      case Directive::kRaw: {
        TXVM_TRY(const Instruction instruction, ReadRaw(operands));
        Append(statement, instruction);
        return {};
      }
      case Directive::kLine: {
        TXVM_TRY(const std::uint32_t line, operands.Number("a line"));
        program_.lines.push_back({Here(), line});
        return operands.Finish();
      }
      case Directive::kNote: {
        TXVM_TRY(const Token text, operands.Take(TokenKind::kString, "a text in quotes"));
        const bool is_second = !program_.notes.empty() && program_.notes.back().ip == Here();
        if (is_second && !is_flat_) return source_.Fail(statement.head, SecondNote(note_line_));
        note_line_ = statement.head.line;
        program_.notes.push_back({Here(), StringBytes(text)});
        return operands.Finish();
      }
      case Directive::kExport:
      case Directive::kEntry:
      case Directive::kInit:
        return WriteStart(statement, operands);
      case Directive::kFlat:
      case Directive::kFunc:
      case Directive::kEnd:
      case Directive::kGlobal:
      case Directive::kMemory:
      case Directive::kData:
      case Directive::kBytes:
      case Directive::kWords:
      case Directive::kImport:
      case Directive::kSource:
        return {};
    }
    return {};
  }

  // .export "name" TARGET [params=P] [results=R]   .entry TARGET   .init TARGET
  isa::Result<void> WriteStart(const Statement& statement, OperandReader& operands) {
    if (!is_flat_) {
      return source_.Fail(statement.head,
                          fmt::format("{} needs a .func in the file", statement.head.text));
    }
    isa::Export exported;
    if (statement.directive == Directive::kExport) {
      TXVM_TRY(const Token name, operands.Take(TokenKind::kString, "a name in quotes"));
      exported.name = StringBytes(name);
    }
    TXVM_TRY(exported.start, Target(operands, "a label"));
    if (statement.directive == Directive::kExport) {
      TXVM_TRY(Signature signature, ReadSignature(source_, operands, {kAnyCount, 0, false}));
      exported.params = signature.params;
      exported.results = signature.results;
      exported.param_types = std::move(signature.types.params);
      exported.result_types = std::move(signature.types.results);
      program_.exports.push_back(std::move(exported));
    } else if (statement.directive == Directive::kEntry) {
      program_.entry = exported.start;
    } else {
      program_.init = exported.start;
    }
    return operands.Finish();
  }

  // target := label | number
  isa::Result<std::uint32_t> Target(OperandReader& operands, std::string_view what) {
    TXVM_TRY(const Token token, operands.Take(what));
    if (token.kind == TokenKind::kNumber) return token.value;
    if (token.kind != TokenKind::kWord) {
      return source_.Fail(token, fmt::format("expected {}, found {}", what, Shown(token.text)));
    }
    const auto found = labels_.find(token.text);
    if (found != labels_.end()) return found->second.ip;
    return source_.Fail(token, fmt::format("unknown label {}{}", Shown(token.text),
                                           DidYouMean(token.text, label_names_)));
  }

  // callee := label | alias | number; aux = the locals of the function it stands in
  isa::Result<Instruction> Call(OperandReader& operands) {
    if (!operands.empty()) {
      if (const auto import = tables_.FindImport(operands.front().text)) {
        TXVM_CHECK_OK(operands.Take("a callee"));
        TXVM_CHECK_OK(operands.Finish());
        return Instruction(Opcode::kCall, *import | isa::kHostCallBit);
      }
    }
    TXVM_TRY(const std::uint32_t target, Target(operands, "a label"));
    TXVM_CHECK_OK(operands.Finish());
    const bool is_host = (target & isa::kHostCallBit) != 0;
    const isa::Function* function = program_.FunctionAt(Here());
    const std::uint32_t locals = is_host || function == nullptr ? 0 : function->locals;
    return Instruction(Opcode::kCall, target, locals & isa::kMaxAux);
  }

  const SourceText& source_;
  const Syntax& syntax_;
  bool is_flat_;
  bool marks_text_;  // the lines of the text itself become line marks
  isa::Program program_;
  TableReader tables_;
  std::unordered_map<std::string_view, LabelPlace> labels_;
  std::vector<std::string_view> label_names_;
  OpenFunction open_;
  bool is_open_ = false;
  std::uint32_t size_ = 0;       // instructions laid so far
  std::uint32_t note_line_ = 0;  // of the last note
};

}  // namespace

isa::Result<isa::Program> AssembleFlat(const SourceText& source, const Syntax& syntax,
                                       bool is_flat) {
  return FlatAssembler(source, syntax, is_flat).Run();
}

}  // namespace txvm::assembler

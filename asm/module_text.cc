#include "asm/module_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "asm/function_text.h"
#include "asm/module_scope.h"
#include "asm/program_builder.h"
#include "asm/tables.h"

namespace txvm::assembler {
namespace {

class ModuleAssembler {
 public:
  ModuleAssembler(const SourceText& source, const Syntax& syntax)
      : source_(source), syntax_(syntax), scope_(source, syntax, builder_.program()) {}

  isa::Result<isa::Program> Run() {
    const bool marks_text = !StatesLines(syntax_);
    if (marks_text) builder_.program().source = source_.file;
    TXVM_CHECK_OK(scope_.Read());
    std::uint64_t left =
        kBaseInstructions + std::uint64_t{kInstructionsPerStatement} * syntax_.statements.size();
    for (const ModuleFunction& function : scope_.functions()) {
      const FunctionContext context{
          source_, syntax_, scope_, marks_text,
          static_cast<std::uint32_t>(std::min<std::uint64_t>(left, isa::kMaxInstructions))};
      TXVM_TRY(FunctionCode code, AssembleFunction(context, function));
      left -= code.code.size();
      builder_.AddFunction(std::move(code));
    }
    for (const Statement* statement : scope_.starts()) TXVM_CHECK_OK(Start(*statement));
    return std::move(builder_).Finish();
  }

 private:
  // .export "name" FUNCTION   .entry FUNCTION   .init FUNCTION
  isa::Result<void> Start(const Statement& statement) {
    OperandReader operands(source_, syntax_, statement);
    std::string name;
    if (statement.directive == Directive::kExport) {
      TXVM_TRY(const Token token, operands.Take(TokenKind::kString, "a name in quotes"));
      name = StringBytes(token);
      const auto [first, is_new] = exported_on_.try_emplace(name, token.line);
      if (!is_new) {
        return source_.Fail(token, fmt::format("export {} is defined twice (first on line {})",
                                               Shown(name), first->second));
      }
    }
    TXVM_TRY(const Token token, operands.Take("a function"));
    TXVM_TRY(const std::uint32_t function, scope_.FunctionNamed(token));
    TXVM_CHECK_OK(operands.Finish());
    if (statement.directive == Directive::kExport) {
      builder_.Export(name, function);
    } else if (statement.directive == Directive::kEntry) {
      builder_.SetEntry(function);
    } else {
      builder_.SetInit(function);
    }
    return {};
  }

  const SourceText& source_;
  const Syntax& syntax_;
  ProgramBuilder builder_;
  ModuleScope scope_;
  std::unordered_map<std::string, std::uint32_t> exported_on_;  // name -> line
};

}  // namespace

isa::Result<isa::Program> AssembleModule(const SourceText& source, const Syntax& syntax) {
  return ModuleAssembler(source, syntax).Run();
}

}  // namespace txvm::assembler

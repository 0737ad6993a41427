#include "asm/module_scope.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "asm/suggest.h"

namespace txvm::assembler {
namespace {

using isa::Operand;

bool IsName(const Token& token) {
  return token.kind == TokenKind::kWord || token.kind == TokenKind::kString;
}

// What makes a body raw: it can only be meant literally.
bool IsRaw(const Statement& statement) {
  if (statement.kind == StatementKind::kLabel || statement.Is(Directive::kRaw)) return true;
  return statement.kind == StatementKind::kInstruction && OperandOf(statement) == Operand::kTarget;
}

}  // namespace

std::string NameOf(const Token& token) {
  return token.kind == TokenKind::kString ? StringBytes(token) : std::string(token.text);
}

isa::Result<void> ModuleScope::Read() {
  for (std::size_t at = 0; at < syntax_.statements.size(); ++at) {
    const Statement& statement = syntax_.statements[at];
    if (statement.Is(Directive::kFunc)) {
      TXVM_CHECK_OK(ReadFunction(at));
    } else {
      TXVM_CHECK_OK(ReadOutside(statement));
    }
  }
  for (const std::string_view alias : tables_.aliases()) {
    const auto same = function_of_.find(std::string(alias));
    if (same == function_of_.end()) continue;
    const Token& head = syntax_.statements[functions_[same->second].first - 1].head;
    return source_.Fail(head, fmt::format("function {} has the name of an import", Shown(alias)));
  }
  return {};
}

isa::Result<void> ModuleScope::ReadOutside(const Statement& statement) {
  TXVM_TRY(const bool is_table, tables_.Read(statement));
  if (is_table) return {};
  if (statement.Is(Directive::kExport) || statement.Is(Directive::kEntry) ||
      statement.Is(Directive::kInit)) {
    starts_.push_back(&statement);
    return {};
  }
  if (statement.Is(Directive::kEnd)) return source_.Fail(statement.head, ".end without .func");
  if (statement.Is(Directive::kFlat)) {
    return source_.Fail(statement.head, ".flat must come before everything else");
  }
  return source_.Fail(statement.head,
                      fmt::format("{} stands outside of every .func", Shown(statement.head.text)));
}

// On return `at` is the function's .end.
isa::Result<void> ModuleScope::ReadFunction(std::size_t& at) {
  ModuleFunction function;
  std::optional<std::uint32_t> locals;
  std::uint32_t locals_needed = 0;
  TXVM_CHECK_OK(ReadHead(syntax_.statements[at], function, locals));
  TXVM_CHECK_OK(ReadBody(at, function, locals_needed));
  const auto typed = static_cast<std::uint32_t>(isa::WordsOf(function.types.locals));
  function.locals = locals.value_or(std::max({function.params, locals_needed, typed}));
  functions_.push_back(std::move(function));
  return {};
}

// .func NAME [params=P] [results=R] [locals=L] [types=T]
isa::Result<void> ModuleScope::ReadHead(const Statement& statement, ModuleFunction& function,
                                        std::optional<std::uint32_t>& locals) {
  OperandReader operands(source_, syntax_, statement);
  TXVM_TRY(const Token name, operands.Take("a name"));
  if (!IsName(name)) {
    return source_.Fail(name, fmt::format(".func needs a name, found {}", Shown(name.text)));
  }
  function.name = NameOf(name);
  const auto index = static_cast<std::uint32_t>(functions_.size());
  if (!function_of_.emplace(function.name, index).second) {
    return source_.Fail(name, fmt::format("function {} is defined twice", Shown(function.name)));
  }
  TXVM_TRY(Signature signature,
           ReadSignature(source_, operands, {kMaxModuleValues, isa::kMaxAux, true}));
  function.params = signature.params;
  function.results = signature.results;
  locals = signature.locals;
  function.types = std::move(signature.types);
  return operands.Finish();
}

isa::Result<void> ModuleScope::ReadBody(std::size_t& at, ModuleFunction& function,
                                        std::uint32_t& locals_needed) {
  const Token head = syntax_.statements[at].head;
  function.first = ++at;
  for (; at < syntax_.statements.size(); ++at) {
    const Statement& statement = syntax_.statements[at];
    if (statement.Is(Directive::kEnd)) {
      function.last = at;
      return OperandReader(source_, syntax_, statement).Finish();
    }
    if (statement.Is(Directive::kFunc)) {
      return source_.Fail(statement.head,
                          fmt::format(".func inside of the function of line {}", head.line));
    }
    const bool is_directive = statement.kind == StatementKind::kDirective;
    if (is_directive && statement.directive != Directive::kLine &&
        statement.directive != Directive::kNote && statement.directive != Directive::kRaw) {
      return source_.Fail(statement.head, fmt::format("{} stands inside of a function",
                                                      Shown(statement.head.text)));
    }
    function.is_raw = function.is_raw || IsRaw(statement);
    locals_needed = std::max(locals_needed, LocalsNeeded(syntax_, statement));
  }
  return source_.Fail(head, "the function is not closed by .end");
}

std::string ModuleScope::SuggestCallee(const Token& token, bool with_imports) const {
  std::vector<std::string_view> known;
  for (const ModuleFunction& function : functions_) known.push_back(function.name);
  if (with_imports) {
    known.insert(known.end(), tables_.aliases().begin(), tables_.aliases().end());
  }
  return DidYouMean(NameOf(token), known);
}

isa::Result<std::uint32_t> ModuleScope::FunctionNamed(const Token& token) const {
  if (!IsName(token)) {
    return source_.Fail(
        token, fmt::format("expected the name of a function, found {}", Shown(token.text)));
  }
  const auto found = function_of_.find(NameOf(token));
  if (found != function_of_.end()) return found->second;
  return source_.Fail(
      token, fmt::format("unknown function {}{}", Shown(token.text), SuggestCallee(token, false)));
}

isa::Result<Callee> ModuleScope::CalleeOf(const Statement& call) const {
  OperandReader operands(source_, syntax_, call);
  TXVM_TRY(const Token token, operands.Take("a function"));
  TXVM_CHECK_OK(operands.Finish());
  if (!IsName(token)) {
    return source_.Fail(
        token, fmt::format("expected the name of a function, found {}", Shown(token.text)));
  }
  if (const auto import = tables_.FindImport(token.text)) {
    const isa::Import& known = program_.imports[*import];
    return Callee{true, *import, known.params, known.results};
  }
  const auto found = function_of_.find(NameOf(token));
  if (found == function_of_.end()) {
    return source_.Fail(
        token, fmt::format("unknown function {}{}", Shown(token.text), SuggestCallee(token, true)));
  }
  const ModuleFunction& function = functions_[found->second];
  return Callee{false, found->second, function.params, function.results};
}

}  // namespace txvm::assembler

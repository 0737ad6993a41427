#include "asm/assembler.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>

#include "asm/flat_text.h"
#include "asm/module_text.h"
#include "asm/parser.h"

namespace txvm::assembler {
namespace {

/// What a program has one of is said once: a second one would replace the first unseen.
isa::Result<void> CheckSaidOnce(const SourceText& source, const Syntax& syntax) {
  for (const Directive once :
       {Directive::kMemory, Directive::kEntry, Directive::kInit, Directive::kSource}) {
    bool is_said = false;
    for (const Statement& statement : syntax.statements) {
      if (!statement.Is(once) || !std::exchange(is_said, true)) continue;
      return source.Fail(statement.head,
                         fmt::format("a program has at most one {}", statement.head.text));
    }
  }
  return {};
}

}  // namespace

isa::Result<isa::Program> Assemble(std::string_view text, std::string_view file_name) {
  if (text.size() > kMaxTextBytes) {
    return std::unexpected(isa::Error{
        isa::ErrorCode::kLimit,
        fmt::format("the text has {} bytes, at most {} are read", text.size(), kMaxTextBytes),
        {std::string(file_name), 0, 0},
        {}});
  }
  const SourceText source{text, file_name};
  TXVM_TRY(const Syntax syntax, Parse(source));
  TXVM_CHECK_OK(CheckSaidOnce(source, syntax));
  const auto& statements = syntax.statements;
  if (!statements.empty() && statements.front().Is(Directive::kFlat)) {
    return AssembleFlat(source, syntax, true);
  }
  const bool is_module = std::any_of(statements.begin(), statements.end(),
                                     [](const Statement& s) { return s.Is(Directive::kFunc); });
  return is_module ? AssembleModule(source, syntax) : AssembleFlat(source, syntax, false);
}

}  // namespace txvm::assembler

#include "asm/assembler.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "asm/flat_text.h"
#include "asm/module_text.h"
#include "asm/parser.h"

namespace txvm::assembler {

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
  const auto& statements = syntax.statements;
  if (!statements.empty() && statements.front().Is(Directive::kFlat)) {
    return AssembleFlat(source, syntax, true);
  }
  const bool is_module = std::any_of(statements.begin(), statements.end(),
                                     [](const Statement& s) { return s.Is(Directive::kFunc); });
  return is_module ? AssembleModule(source, syntax) : AssembleFlat(source, syntax, false);
}

}  // namespace txvm::assembler

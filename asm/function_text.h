// The body of one .func of a module file.
#pragma once

#include <cstdint>

#include "asm/module_scope.h"
#include "asm/parser.h"
#include "asm/structured.h"

namespace txvm::assembler {

/// What the bodies of one file share.
struct FunctionContext {
  const SourceText& source;
  const Syntax& syntax;
  const ModuleScope& scope;
  bool marks_text = false;  // the lines of the text itself become line marks
  std::uint32_t max_instructions = 0;
};

/// The code of a function, raw or structured. Errors: kSyntax, kInvalid, kLimit.
isa::Result<FunctionCode> AssembleFunction(const FunctionContext& context,
                                           const ModuleFunction& function);

}  // namespace txvm::assembler

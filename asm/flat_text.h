// Plain and flat files: every instruction is written down, at its own index.
#pragma once

#include "asm/parser.h"
#include "isa/program.h"

namespace txvm::assembler {

/// Assembles a plain file (`is_flat` false) or a flat one. Errors: kSyntax.
isa::Result<isa::Program> AssembleFlat(const SourceText& source, const Syntax& syntax,
                                       bool is_flat);

}  // namespace txvm::assembler

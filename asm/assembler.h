// Text in, program out. docs/ASSEMBLY.md is the language.
#pragma once

#include <cstddef>
#include <string_view>

#include "isa/program.h"
#include "isa/support/result.h"

namespace txvm::assembler {

/// The longest text Assemble reads, in bytes. It may hold kMaxTokens words (lexer.h).
inline constexpr std::size_t kMaxTextBytes = 64u << 20;

/// Assembles a .txa text. `file_name` is the place in errors and the source of line marks. Errors:
/// kSyntax for text that breaks the grammar or names what is not there, kInvalid for operand
/// heights of structured code, kLimit for counts beyond the limits of docs/ASSEMBLY.md; always with
/// line, column and the text of the line. The first error in the order of the text, of each pass.
/// Does not Verify. Cost O(text), and O(lowered code).
isa::Result<isa::Program> Assemble(std::string_view text, std::string_view file_name);

}  // namespace txvm::assembler

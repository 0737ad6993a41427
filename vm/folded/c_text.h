// From the register form to C text, which a C compiler and the library make a program of.
#pragma once

#include <string>
#include <string_view>

#include "isa/program.h"
#include "isa/support/result.h"

namespace txvm::vm::folded {

/// A program as C text over vm/txvm_folded.h: its functions, where they can stop and be entered,
/// its hash and its .txp file, as the variable `symbol` of type txvm_folded_program. Functions that
/// are too large for the register form have no code and are interpreted. Errors: Verify's, and
/// kInvalid for weights that cannot be folded.
isa::Result<std::string> CText(const isa::Program& program, std::string_view symbol);

/// An identifier of C from the stem of a path: "a/my prog.c" -> "my_prog_folded".
std::string FoldedSymbol(std::string_view path);

}  // namespace txvm::vm::folded

// txvm compile --target fold-ir|c: a program folded, as text.
#pragma once

#include <string>

#include "isa/program.h"
#include "isa/support/result.h"

namespace txvm::frontends::cli {

/// The register form of every function, with the instructions that its lines are from. Errors:
/// Verify's.
isa::Result<std::string> FoldIrText(const isa::Program& program);

/// The program as C text; its variable is named after `out`. Errors: Verify's.
isa::Result<std::string> FoldedCText(const isa::Program& program, const std::string& out);

}  // namespace txvm::frontends::cli

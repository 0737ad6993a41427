// The subroutines of emitted programs: what an i32 instruction needs that is long, and memory.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "frontends/tir/layout.h"
#include "isa/result.h"
#include "neural/tir/tir_op.h"

namespace txvm::frontends::tir {

/// Those of helpers.cc that are in `names` or called by them, as functions with a comment each.
/// Errors: kInternal or kSyntax when the text of helpers.cc is not TIR.
isa::Result<std::vector<neural::TirOp>> HelperFunctions(const Layout& layout,
                                                        std::set<std::string, std::less<>> names);

}  // namespace txvm::frontends::tir

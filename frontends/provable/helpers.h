// The subroutines of emitted programs: what an i32 instruction needs that is long, and memory.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "frontends/provable/layout.h"
#include "isa/support/result.h"
#include "neural/triton/tir/op.h"

namespace txvm::frontends::provable {

/// Those of helpers.cc that are in `names` or called by them, as functions with a comment each.
/// Errors: kInternal or kSyntax when the text of helpers.cc is not TIR.
isa::Result<std::vector<triton::TirOp>> HelperFunctions(const Layout& layout,
                                                        std::set<std::string, std::less<>> names);

}  // namespace txvm::frontends::provable

// Libraries of routines: compared one routine after the other.
#pragma once

#include "neural/triton/prove/equivalence.h"

namespace txvm::triton {

/// The verdict about two libraries: proved when every routine that both name is proved, refuted by
/// the first routine that is refuted. Errors: kUsage as Verify.
/// REQUIRES first.is_library() && second.is_library().
isa::Result<VerifyReport> VerifyRoutines(const Subject& first, const Subject& second,
                                         const VerifyOptions& options);

}  // namespace txvm::triton

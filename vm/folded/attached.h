// Programs folded at build time: C text that was compiled and linked, and runs as machine code made
// here would.
#pragma once

#include "isa/support/result.h"
#include "vm/prepared.h"
#include "vm/txvm_folded.h"

namespace txvm::vm::folded {

/// From now on engine folded runs `prepared` by the functions of `made`, which outlives it.
/// kInvalid for text of another form of vm/txvm_folded.h, or of another program; kUsage when the
/// program is not verified, or an instance has begun to fold it. Thread-safe.
isa::Result<void> Attach(const Prepared& prepared, const txvm_folded_program& made);

}  // namespace txvm::vm::folded

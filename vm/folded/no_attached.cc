// Declared in vm/folded/attached.h.
// Where a C compiler's code cannot be linked, or no jump leaves it: WebAssembly.
#include "vm/folded/attached.h"

namespace txvm::vm::folded {

isa::Result<void> Attach(const Prepared&, const txvm_folded_program&) {
  return isa::Fail(isa::ErrorCode::kUnsupported,
                   "this build of txvm attaches no folded program: run it with another engine");
}

}  // namespace txvm::vm::folded

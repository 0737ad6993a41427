#include <fmt/format.h>

#include "frontends/capi/wat_reader.h"
#include "vm/txvm.h"

bool txvm_reads_wat(void) { return false; }

namespace txvm::frontends::capi {

isa::Result<wat::Module> ReadWat(std::string_view, std::string_view name) {
  return isa::Fail(isa::ErrorCode::kUnsupported,
                   fmt::format("'{}' is WebAssembly text, which this library does not read: "
                               "libtxvm.a does, or `txvm compile` makes a .txp of it",
                               name));
}

}  // namespace txvm::frontends::capi

#include <fmt/format.h>

#include "frontends/capi/wasm_reader.h"

bool txvm_reads_wasm(void) { return false; }

namespace txvm::frontends::capi {

isa::Result<ReadProgram> ReadWasm(std::span<const std::uint8_t>, bool, std::string_view name) {
  return isa::Fail(isa::ErrorCode::kUnsupported,
                   fmt::format("'{}' is WebAssembly, which this library does not read: libtxvm.a "
                               "does, or `txvm compile` makes a .txp of it",
                               name));
}

}  // namespace txvm::frontends::capi

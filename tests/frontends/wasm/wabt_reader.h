// WABT's reader of the binary format as an oracle for the own one.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "frontends/wasm/module.h"
#include "isa/support/result.h"

namespace txvm::tests {

/// Reads and validates a module with WABT, and hands it over in the form the own reader gives it.
/// What WABT's validator lets pass and the specification does not is refused, and nesting of more
/// than 1,000 levels. WABT aborts on some malformed modules.
isa::Result<frontends::wat::Module> ReadWithWabt(std::span<const std::uint8_t> bytes,
                                                 std::string_view file);

}  // namespace txvm::tests

// RAM before the program proper starts.
#pragma once

#include <cstdint>
#include <map>

#include "frontends/provable/context.h"
#include "isa/limits.h"
#include "isa/support/result.h"

namespace txvm::frontends::provable {

/// Checks the data segments. Errors: kInvalid for one that does not fit the memory; kLimit for one
/// above layout.memory_words.
isa::Result<void> CheckData(Context& context);

/// Writes memory and cells: zeros and data over the whole memory, globals, the cells that are saved
/// before they are written. With `assume_zero`, only what is not zero.
Code InitialRam(Context& context, const std::map<std::uint32_t, Frame>& frames, bool assume_zero);

}  // namespace txvm::frontends::provable

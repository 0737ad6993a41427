// Zeros of any types, as instructions.
#pragma once

#include <cstdint>
#include <vector>

#include "frontends/wasm/module.h"

namespace txvm::frontends::wat {

/// Appends instructions that push a zero or null of each type. Of a type that no value has, as in
/// a function that becomes a stub, they are `unreachable`.
void AppendZeros(const std::vector<ValueType>& types, std::uint32_t place,
                 std::vector<Instr>& body);

}  // namespace txvm::frontends::wat

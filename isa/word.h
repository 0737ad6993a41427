// The machine's word.
#pragma once

#include <cstdint>

namespace txvm::isa {

using Word = std::uint32_t;  // a cell: two's complement, signedness belongs to the opcode

}  // namespace txvm::isa

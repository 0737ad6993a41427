// What the processor, or plain C++, says a routine's result is.
#pragma once

#include <cstdint>
#include <span>

#include "asm/routines/routines.h"
#include "tests/asm/routines/lockstep.h"

namespace txvm::assembler {

/// The results of `id` on every lane, NaNs canonical. traps[lane]: the cause, 0 for none; the
/// results of a lane that traps mean nothing.
void Oracle(RoutineId id, std::span<const Row> operands, std::span<Row> results,
            std::span<std::uint8_t> traps, std::size_t lanes);

}  // namespace txvm::assembler

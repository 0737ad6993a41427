// The code of the routines on vectors, from one table: isa/vector_routines.def.
#pragma once

#include <span>

#include "asm/routines/routine_code.h"
#include "asm/routines/vectors/graph.h"
#include "isa/vector_routine.h"

namespace txvm::assembler {

/// The code of one row. `scalars`: that of the routines on single floats and integers, by number.
GraphCode ComposeVector(const isa::VectorRoutine& row, std::span<const AssembledRoutine> scalars);

}  // namespace txvm::assembler

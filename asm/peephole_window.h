// Neighbouring instructions, as the peephole optimiser shortens them. Internal to asm/.
#pragma once

#include "asm/peephole_body.h"

namespace txvm::assembler {

/// One pass over neighbouring instructions; drops what is not reached. Whether anything changed.
bool ReduceWindows(Body& body);

}  // namespace txvm::assembler

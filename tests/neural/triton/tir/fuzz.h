// Differential check of one random TIR program: interpreter against lowered TASM.
#pragma once

#include <string>

#include "neural/triton/random/programs.h"

namespace txvm::triton {

/// Runs the program in the TIR interpreter and, lowered without and with peepholes, in the TASM
/// machine, and parses its printed text back. Empty when everything agrees: outputs, whether it
/// crashes, and for a halt the stack and RAM. Else what differs, with the program.
std::string CheckLowering(const RandomProgram& program);

/// How a checked program ended, for statistics.
bool Halts(const RandomProgram& program);

}  // namespace txvm::triton

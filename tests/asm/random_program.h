// Random valid programs with blocks, loops, calls, memory and traps, for differential tests.
#pragma once

#include <cstdint>

#include "isa/program.h"

namespace txvm::assembler {

/// The program of a seed: a few functions that call each other, built through FunctionBuilder. Most
/// end within some thousand steps; export "f" takes 2 params and returns 1 result.
isa::Program RandomProgram(std::uint64_t seed);

}  // namespace txvm::assembler

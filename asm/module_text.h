// Module files: functions with names, raw or structured bodies, generated stubs.
#pragma once

#include <cstdint>

#include "asm/parser.h"
#include "isa/program.h"

namespace txvm::assembler {

/// Assembles a file with .func. Errors: kSyntax; kInvalid for heights in structured bodies; kLimit.
isa::Result<isa::Program> AssembleModule(const SourceText& source, const Syntax& syntax);

inline constexpr std::uint32_t kMaxNesting = 10'000;  // open blocks
// A text may grow to this many instructions by lowering, and this many more per statement.
inline constexpr std::uint32_t kBaseInstructions = 1u << 20;
inline constexpr std::uint32_t kInstructionsPerStatement = 16;

}  // namespace txvm::assembler

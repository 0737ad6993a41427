// A program of this machine as a Lua script: an interpreter that shares no code with ours.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "isa/program.h"
#include "isa/support/result.h"
#include "isa/word_ops.h"

namespace txvm::frontends::foreign {

/// A Lua 5.4 script that runs the stub `start` with `args` and prints "ok seconds result...",
/// "trap", or "trap stack" where Lua's own is too small. Each function becomes a Lua function whose
/// operand slots and locals are Lua locals. Differs from the machine in one thing: locals read
/// before they are written are 0. kUnsupported for a program Verify rejects, a HALT outside the
/// stub, more slots and locals than Lua has, or an import other than memory.size, memory.grow,
/// putchar and print functions.
isa::Result<std::string> TranslateToLua(const isa::Program& program, std::uint32_t start,
                                        std::span<const isa::Word> args);

}  // namespace txvm::frontends::foreign

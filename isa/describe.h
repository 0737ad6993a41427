// docs/ISA.md and `txvm isa`: the opcode table as text.
#pragma once

#include <string>

namespace txvm::isa {

/// The whole of docs/ISA.md, generated from opcodes.def and traps.def; a test compares the file
/// with it.
std::string IsaMarkdown();

}  // namespace txvm::isa

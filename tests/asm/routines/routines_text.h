// docs/ROUTINES.md.
#pragma once

#include <string>

namespace txvm::assembler {

/// The whole of docs/ROUTINES.md, from routines.def and the code; a test keeps the file equal.
std::string RoutinesMarkdown();

}  // namespace txvm::assembler

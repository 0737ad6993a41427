// Declared in isa/support/system/dynamic_library.h.
#include "isa/support/system/dynamic_library.h"

namespace txvm::isa {

void* OpenLibrary(const char*) { return nullptr; }

void* LibrarySymbol(void*, const char*) { return nullptr; }

}  // namespace txvm::isa

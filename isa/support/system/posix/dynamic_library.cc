// Declared in isa/support/system/dynamic_library.h.
#include "isa/support/system/dynamic_library.h"

#include <dlfcn.h>

namespace txvm::isa {

void* OpenLibrary(const char* name) { return dlopen(name, RTLD_NOW | RTLD_LOCAL); }

void* LibrarySymbol(void* library, const char* symbol) { return dlsym(library, symbol); }

}  // namespace txvm::isa

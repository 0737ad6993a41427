// Libraries that are loaded while the program runs.
#pragma once

namespace txvm::isa {

/// A library by its file name, found where the system looks for libraries. It stays loaded.
/// nullptr: it is not there, or the system loads none.
void* OpenLibrary(const char* name);

/// The address of `symbol` in a library that OpenLibrary returned; nullptr when it has none.
void* LibrarySymbol(void* library, const char* symbol);

}  // namespace txvm::isa

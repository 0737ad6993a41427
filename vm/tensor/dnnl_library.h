// oneDNN, loaded when it is first asked for.
#pragma once

namespace txvm::vm {

/// The function of oneDNN's C interface with this name; null where libdnnl is not installed.
/// Thread-safe.
void* DnnlSymbol(const char* name);

/// Makes oneDNN work on one thread for this caller. Thread-safe; cheap after a thread's first call.
void UseOneDnnlThread();

}  // namespace txvm::vm

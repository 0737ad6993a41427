// Memory that a process has freed and still holds.
#pragma once

namespace txvm::isa {

/// Gives what was freed back to the system, where its allocator keeps large parts of it. Costs some
/// milliseconds; nothing where the system has no such function. Thread-safe.
void ReturnFreeMemory();

}  // namespace txvm::isa

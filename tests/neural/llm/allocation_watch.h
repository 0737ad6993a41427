// The largest single allocation of a stretch of code, for tests of hostile input.
#pragma once

#include <cstddef>

namespace txvm::neural::llm {

/// Forgets what was seen.
void ResetLargestAllocation();
/// Bytes of the largest operator new since, in any thread.
std::size_t LargestAllocation();

}  // namespace txvm::neural::llm

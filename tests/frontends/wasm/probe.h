// Tries something that may abort, or never end, in a process of its own.
#pragma once

#include <cstdint>
#include <functional>

#include "isa/support/result.h"

namespace txvm::frontends::wat {

/// How a child process ended.
enum class ChildEnd : std::uint8_t {
  kReturned,  // the work was done
  kDied,      // it ended before: an assertion, a stack overflow
  kTooSlow,   // it used up kChildSeconds
  kKilled,    // SIGKILL ended it: as a rule, the system was short of memory
};

inline constexpr std::uint32_t kChildSeconds = 10;  // of processor time

/// Runs `work` in a child process, which prints nothing and leaves no core file. Errors: kHost
/// when no child could be made. The child tells its end through a pipe, so SIGCHLD may be ignored.
/// About 0.5 ms.
isa::Result<ChildEnd> RunInChild(const std::function<void()>& work);

}  // namespace txvm::frontends::wat

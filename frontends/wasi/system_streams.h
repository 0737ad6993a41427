// The standard streams of this process, for programs that inherit them.
#pragma once

#include <cstdint>
#include <functional>

#include "frontends/wasi/wasi.h"

namespace txvm::frontends::wasi {

/// Whether a wait is to end: asked every kPollMilliseconds.
using StopFunction = std::function<bool()>;

inline constexpr int kPollMilliseconds = 50;

/// Waits at most so many nanoseconds until the descriptor is ready for `events` (of poll), or
/// `is_stopped` says so. Whether it is ready. A descriptor below 0 never is.
bool AwaitReady(int descriptor, short events, std::uint64_t nanoseconds,
                const StopFunction& is_stopped);

/// What a stream is to a program: a terminal is a character device, other devices and pipes are
/// unknown, so that libraries do not take them for terminals.
FileType TypeOfStream(int descriptor);

}  // namespace txvm::frontends::wasi

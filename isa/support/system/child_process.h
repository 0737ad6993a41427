// Runs another program and collects what it prints.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "isa/support/result.h"

namespace txvm::isa {

/// How a child ended. INVARIANT: exactly one of exited, signalled, timed_out describes it.
struct ChildResult {
  int exit_code = -1;            // -1 unless it exited
  int signal = 0;                // 0 unless a signal ended it
  bool timed_out = false;        // it was killed for running longer than its time
  std::string out, err;          // at most kMaxChildBytes each; the rest is dropped
  double seconds = 0;            // wall time from start to end
  double cpu_seconds = 0;        // user and system time of the child
  std::uint64_t peak_bytes = 0;  // most memory it had resident, or its parent at its start
};

inline constexpr std::size_t kMaxChildBytes = 64u << 20;

/// Asked at least every 50 ms while a child runs.
using StopTest = std::function<bool()>;

/// Path of an executable on PATH, or empty.
std::string FindProgram(std::string_view name);

/// Starts command[0] (a path), feeds `input` to its standard input, waits at most `seconds`, then
/// kills it. When `stop` returns true, it is killed as if its time were up. It runs in its own
/// process group. kHost when it cannot be started, or when SIGCHLD is ignored, so that its end
/// cannot be seen.
Result<ChildResult> RunChild(const std::vector<std::string>& command, std::string_view input,
                             double seconds, const StopTest& stop = {});

/// Starts command[0] (a path) in a session of its own and does not wait: it may outlive this
/// process. It reads nothing and appends what it prints to the file `log`. kHost when it cannot be
/// started or the log cannot be written.
Result<void> StartDetached(const std::vector<std::string>& command, const std::string& log);

}  // namespace txvm::isa

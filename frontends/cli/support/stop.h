// Stopping a run from outside: Ctrl-C and a deadline.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <optional>
#include <thread>

#include "vm/machine.h"

namespace txvm::frontends::cli {

/// While it lives, SIGINT, SIGTERM and SIGHUP (unless it is ignored, as under nohup) ask the
/// machine to stop, and a second one ends the process with code 130 at once; after `seconds` the
/// machine is asked to stop for timeout, repeatedly, so that a request falling between two runs is
/// not lost. At most one lives at a time.
class StopGuard {
 public:
  /// What ends at a deadline: the command, or one run of many.
  enum class Ends : std::uint8_t { kCommand, kRun };

  /// `machine` must outlive the guard. seconds > 0, or none for no deadline.
  StopGuard(vm::Machine& machine, std::optional<double> seconds, Ends ends = Ends::kCommand);
  ~StopGuard();
  StopGuard(const StopGuard&) = delete;
  StopGuard& operator=(const StopGuard&) = delete;

  /// Why runs have to stop; kNone while they need not. Ask before each run: a machine drops
  /// requests that are pending when a run starts.
  vm::InterruptReason requested() const;
  /// Whether the living guard, if any, was asked to stop: for host functions that wait.
  static bool AnyRequested();
  /// Whether the command was asked to stop by a signal or by a deadline that ends it. The guard may
  /// be gone by now.
  static bool WasRequested();

 private:
  void Watch(double seconds);

  vm::Machine& machine_;
  Ends ends_;
  std::atomic<bool> late_ = false;
  bool done_ = false;  // guarded by mutex_
  std::mutex mutex_;
  std::condition_variable ended_;
  std::thread watcher_;  // runs only with a deadline
};

/// While it lives, these signals only set a flag. For commands that run many machines or children,
/// or write large files. A second signal ends the process, as with a StopGuard. StopGuards may come
/// and go meanwhile.
class StopFlag {
 public:
  StopFlag();
  ~StopFlag();
  StopFlag(const StopFlag&) = delete;
  StopFlag& operator=(const StopFlag&) = delete;
  bool requested() const;
};

}  // namespace txvm::frontends::cli

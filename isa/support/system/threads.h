// Threads, and locks between them. Where the system has no threads, a lock does nothing and work
// runs on the thread that asks for it.
#pragma once

#ifndef __wasi__
#include <mutex>
#include <thread>
#include <vector>
#endif

namespace txvm::isa {

#ifdef __wasi__

/// Nothing to exclude: there is one thread.
class Mutex {};

/// Holds a Mutex while it lives.
class Lock {
 public:
  explicit Lock(Mutex&) {}
  Lock(const Lock&) = delete;
  Lock& operator=(const Lock&) = delete;
  ~Lock() {}  // not trivial: a lock that is only held is used
};

/// Calls `work()` once.
template <typename Work>
void RunOnThreads(unsigned, const Work& work) {
  work();
}

#else

using Mutex = std::mutex;
/// Holds a Mutex while it lives.
using Lock = std::lock_guard<std::mutex>;

/// Calls `work()` on `threads` threads at once, the caller's among them, and waits for all.
template <typename Work>
void RunOnThreads(unsigned threads, const Work& work) {
  std::vector<std::jthread> others;
  for (unsigned i = 1; i < threads; ++i) others.emplace_back(work);
  work();
}

#endif

}  // namespace txvm::isa

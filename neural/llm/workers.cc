#include "neural/llm/workers.h"

#include <sched.h>

#include <algorithm>
#include <system_error>

namespace txvm::neural::llm {

Workers::Workers(std::size_t threads) {
  try {
    for (std::size_t i = 1; i < threads; ++i) threads_.emplace_back([this] { Loop(); });
  } catch (const std::system_error&) {
    // Those that have started share the work.
  }
}

Workers::~Workers() {
  {
    const std::lock_guard lock(mutex_);
    stop_ = true;
  }
  start_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

void Workers::Run(std::size_t chunks, const std::function<void(std::size_t)>& work) {
  if (threads_.empty() || chunks <= 1) {
    for (std::size_t i = 0; i < chunks; ++i) work(i);
    return;
  }
  std::unique_lock lock(mutex_);
  work_ = &work;
  next_ = 0;
  chunks_ = unfinished_ = chunks;
  start_.notify_all();
  TakeChunks(lock);
  done_.wait(lock, [this] { return unfinished_ == 0; });
  work_ = nullptr;
}

void Workers::TakeChunks(std::unique_lock<std::mutex>& lock) {
  while (next_ < chunks_) {
    const std::size_t chunk = next_++;
    const auto* work = work_;
    lock.unlock();
    (*work)(chunk);
    lock.lock();
    if (--unfinished_ == 0) done_.notify_one();
  }
}

void Workers::Loop() {
  std::unique_lock lock(mutex_);
  while (true) {
    start_.wait(lock, [this] { return stop_ || (work_ != nullptr && next_ < chunks_); });
    if (stop_) return;
    TakeChunks(lock);
  }
}

std::size_t ProcessorCount() {
  cpu_set_t set;
  CPU_ZERO(&set);
  if (sched_getaffinity(0, sizeof(set), &set) != 0) return 1;
  return static_cast<std::size_t>(std::max(1, CPU_COUNT(&set)));
}

}  // namespace txvm::neural::llm

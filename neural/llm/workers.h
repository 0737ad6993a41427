// Threads that share one piece of work at a time.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace txvm::neural::llm {

/// Runs numbered chunks of work on a fixed set of threads. Which thread takes which chunk is not
/// determined: a chunk's result must depend on its number alone.
class Workers {
 public:
  /// `threads` counts the caller; at least 1. 1 starts none. Where the system gives fewer, those
  /// that it gives do the work, the caller alone if need be.
  explicit Workers(std::size_t threads);
  ~Workers();
  Workers(const Workers&) = delete;
  Workers& operator=(const Workers&) = delete;

  std::size_t threads() const { return threads_.size() + 1; }
  /// Calls work(0) ... work(chunks - 1), each once, and returns when all have. One call at a time;
  /// `work` must not call Run.
  void Run(std::size_t chunks, const std::function<void(std::size_t)>& work);

 private:
  void Loop();
  void TakeChunks(std::unique_lock<std::mutex>& lock);

  std::mutex mutex_;
  std::condition_variable start_, done_;
  const std::function<void(std::size_t)>* work_ = nullptr;  // null: nothing to take
  std::size_t next_ = 0, chunks_ = 0, unfinished_ = 0;
  bool stop_ = false;
  std::vector<std::thread> threads_;
};

/// The processors this process may run on, at least 1.
std::size_t ProcessorCount();

}  // namespace txvm::neural::llm

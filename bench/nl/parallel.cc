#include "bench/nl/parallel.h"

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>
#include <vector>

#include "isa/support/console.h"

namespace txvm::bench::nl {

void ForEach(std::size_t count, std::size_t threads, std::string_view what,
             const std::function<void(std::size_t worker, std::size_t i)>& work) {
  constexpr std::chrono::milliseconds kBetweenLines(200);
  std::atomic<std::size_t> next = 0;
  std::mutex mutex;
  std::condition_variable advanced;
  std::size_t done = 0;
  std::vector<std::jthread> workers;
  for (std::size_t worker = 0; worker < threads; ++worker) {
    workers.emplace_back([&, worker] {
      for (std::size_t i = next++; i < count; i = next++) {
        work(worker, i);
        const std::lock_guard lock(mutex);
        if (++done == count) advanced.notify_one();
      }
    });
  }
  isa::Console console;
  std::unique_lock lock(mutex);
  while (!advanced.wait_for(lock, kBetweenLines, [&] { return done == count; })) {
    console.Progress(done, count, what);
  }
  console.EndProgress();
}

}  // namespace txvm::bench::nl

#include "tests/frontends/wasm/large_stack.h"

#include <fmt/format.h>
#include <pthread.h>

#include <cstdint>
#include <cstring>
#include <exception>

namespace txvm::frontends::wat {
namespace {

// Of a thread of its own, beside kReadingStackBytes: what thread-local data and the calls down to
// the work take.
constexpr std::size_t kThreadBytes = 256u << 10;

/// The stack of a thread: none where the system does not tell.
struct Stack {
  std::uintptr_t lowest = 0;
  std::size_t bytes = 0;
};

Stack FindStack() {
  pthread_attr_t attributes;
  if (pthread_getattr_np(pthread_self(), &attributes) != 0) return {};
  void* start = nullptr;
  std::size_t bytes = 0;
  const bool known = pthread_attr_getstack(&attributes, &start, &bytes) == 0;
  (void)pthread_attr_destroy(&attributes);
  return known ? Stack{reinterpret_cast<std::uintptr_t>(start), bytes} : Stack{};
}

/// Bytes below the caller's frame on the calling thread's stack; 0 where the frame is on another,
/// as a fiber's is.
std::size_t FreeStackBytes() {
  // Asked once a thread: for the first one of a process glibc reads /proc/self/maps.
  static thread_local const Stack stack = FindStack();
  const auto here = reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0));
  return here >= stack.lowest && here - stack.lowest <= stack.bytes ? here - stack.lowest : 0;
}

struct Task {
  const std::function<void()>& work;
  std::exception_ptr thrown;
};

void* RunTask(void* argument) {
  auto& task = *static_cast<Task*>(argument);
  try {
    task.work();
  } catch (...) {
    task.thrown = std::current_exception();
  }
  return nullptr;
}

/// 0, or why no thread was started.
int RunOnThread(Task& task) {
  pthread_attr_t attributes;
  if (const int error = pthread_attr_init(&attributes); error != 0) return error;
  int error = pthread_attr_setstacksize(&attributes, kReadingStackBytes + kThreadBytes);
  pthread_t thread{};
  if (error == 0) error = pthread_create(&thread, &attributes, RunTask, &task);
  (void)pthread_attr_destroy(&attributes);
  if (error == 0) (void)pthread_join(thread, nullptr);
  return error;
}

}  // namespace

isa::Result<void> RunOnLargeStack(const std::function<void()>& work) {
  if (FreeStackBytes() >= kReadingStackBytes) {
    work();
    return {};
  }
  Task task{work, nullptr};
  if (const int error = RunOnThread(task); error != 0) {
    return isa::Fail(
        isa::ErrorCode::kHost,
        fmt::format("cannot start a thread to read the module, which takes {} bytes of stack: {}",
                    kReadingStackBytes, std::strerror(error)));
  }
  if (task.thrown) std::rethrow_exception(task.thrown);
  return {};
}

}  // namespace txvm::frontends::wat

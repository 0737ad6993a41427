#include "tests/neural/llm/allocation_watch.h"

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <new>

namespace {

std::atomic<std::size_t> largest{0};

}  // namespace

// All forms are replaced: what one of them gives, another's delete may take back.
void* operator new(std::size_t size, const std::nothrow_t&) noexcept {
  std::size_t seen = largest.load(std::memory_order_relaxed);
  while (seen < size && !largest.compare_exchange_weak(seen, size)) {
  }
  return std::malloc(std::max<std::size_t>(size, 1));
}
void* operator new(std::size_t size) {
  void* at = operator new(size, std::nothrow);
  if (at == nullptr) throw std::bad_alloc();
  return at;
}
void operator delete(void* at, const std::nothrow_t&) noexcept { std::free(at); }
void operator delete(void* at) noexcept { std::free(at); }
void operator delete(void* at, std::size_t) noexcept { std::free(at); }

namespace txvm::neural::llm {

void ResetLargestAllocation() { largest = 0; }
std::size_t LargestAllocation() { return largest; }

}  // namespace txvm::neural::llm

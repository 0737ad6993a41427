#include "vm/memory/reservation.h"

#include <sys/mman.h>

namespace txvm::vm::internal {

void* Reserve(std::size_t bytes) {
  void* start = mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  return start == MAP_FAILED ? nullptr : start;
}

void Release(void* start, std::size_t bytes) { munmap(start, bytes); }

}  // namespace txvm::vm::internal

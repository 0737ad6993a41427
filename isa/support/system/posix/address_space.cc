// Declared in isa/support/system/address_space.h.
#include "isa/support/system/address_space.h"

#include <sys/mman.h>

namespace txvm::isa {

void* ReserveAddressSpace(std::uint64_t bytes) {
  void* start = mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  return start == MAP_FAILED ? nullptr : start;
}

void ReleaseAddressSpace(void* start, std::uint64_t bytes, std::uint64_t) { munmap(start, bytes); }

}  // namespace txvm::isa

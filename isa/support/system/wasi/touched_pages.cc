// Declared in isa/support/system/touched_pages.h.
// A WebAssembly instance cannot ask which of its pages were written.
#include "isa/support/system/touched_pages.h"

#include <cstring>

namespace txvm::isa {

std::vector<ByteRange> TouchedRanges(const void*, std::size_t bytes) {
  if (bytes == 0) return {};
  return {{0, bytes}};
}

void ClearBytes(void* start, std::size_t bytes) { std::memset(start, 0, bytes); }

}  // namespace txvm::isa

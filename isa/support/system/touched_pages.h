// Which parts of a reserved array can hold anything but zeros.
#pragma once

#include <cstddef>
#include <vector>

namespace txvm::isa {

/// Bytes begin..end-1 of an array.
struct ByteRange {
  std::size_t begin = 0, end = 0;
};

/// Ranges of the array at `start` outside which no byte has been written since it was reserved:
/// ascending, not adjacent, whole system pages but for the array's ends. Asks the system, so that
/// the cost is that of the pages in use (about 4 us; before Linux 6.7, 5 ns more per page of the
/// array). Where the system does not say, the whole array. `start` is not read.
std::vector<ByteRange> TouchedRanges(const void* start, std::size_t bytes);

/// Makes the array read zero and gives its memory back to the system. REQUIRES: it lies in a
/// reservation (address_space.h). Cost O(pages in use).
void ClearBytes(void* start, std::size_t bytes);

}  // namespace txvm::isa

// Declared in isa/support/system/touched_pages.h.
#include "isa/support/system/touched_pages.h"

#include <fcntl.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <optional>

namespace txvm::isa {
namespace {

constexpr std::size_t kEntryBytes = 8;  // of /proc/self/pagemap, one entry per page
// Present in memory, swapped out: a page with neither has never been written.
constexpr std::uint64_t kHeldMask = std::uint64_t{3} << 62;
constexpr std::size_t kFewPages = 4;  // cheaper to look at than to ask about
constexpr std::size_t kBatch = 512;   // entries read at a time: 2 MiB of the array

class File {
 public:
  explicit File(const char* path) : descriptor_(open(path, O_RDONLY | O_CLOEXEC)) {}
  ~File() {
    if (descriptor_ >= 0) close(descriptor_);
  }
  File(const File&) = delete;
  File& operator=(const File&) = delete;
  int descriptor() const { return descriptor_; }
  bool is_open() const { return descriptor_ >= 0; }
  bool ReadAt(void* buffer, std::size_t bytes, std::uint64_t offset) const {
    return pread(descriptor_, buffer, bytes, static_cast<off_t>(offset)) ==
           static_cast<ssize_t>(bytes);
  }

 private:
  int descriptor_;
};

void Add(std::vector<ByteRange>& ranges, ByteRange range) {
  if (!ranges.empty() && ranges.back().end == range.begin) {
    ranges.back().end = range.end;
  } else {
    ranges.push_back(range);
  }
}

/// An array, in system pages.
struct Pages {
  std::uintptr_t first_byte, bytes, page_bytes;
  std::uintptr_t first() const { return first_byte / page_bytes; }
  std::uintptr_t end() const { return (first_byte + bytes - 1) / page_bytes + 1; }
  /// The bytes of the array that lie in pages first..end-1.
  ByteRange Range(std::uintptr_t first_page, std::uintptr_t end_page) const {
    const std::uintptr_t from = first_page * page_bytes;
    return {from > first_byte ? from - first_byte : 0,
            std::min(bytes, end_page * page_bytes - first_byte)};
  }
};

// PAGEMAP_SCAN of Linux 6.7 and later (Documentation/admin-guide/mm/pagemap.rst), which headers
// older than that lack: regions of pages that are in use, holes passed over as a whole.
struct ScanRegion {
  std::uint64_t start, end, categories;
};
struct ScanArguments {
  std::uint64_t size, flags, start, end, walk_end, regions, region_count, max_pages;
  std::uint64_t inverted, required, any_of, returned;
};
constexpr std::uint64_t kIsPresent = 1u << 3, kIsSwapped = 1u << 4, kIsZeroPage = 1u << 5;
constexpr unsigned long kPagemapScan = _IOWR('f', 16, ScanArguments);

std::optional<std::vector<ByteRange>> Scan(const File& pagemap, const Pages& pages) {
  std::array<ScanRegion, kBatch> regions;
  std::vector<ByteRange> ranges;
  ScanArguments scan = {};
  scan.size = sizeof(scan);
  scan.start = pages.first() * pages.page_bytes;
  scan.end = pages.end() * pages.page_bytes;
  scan.regions = reinterpret_cast<std::uintptr_t>(regions.data());
  scan.region_count = regions.size();
  scan.inverted = scan.required = kIsZeroPage;  // only read so far: zero
  scan.any_of = scan.returned = kIsPresent | kIsSwapped;
  while (scan.start < scan.end) {
    const int count = ioctl(pagemap.descriptor(), kPagemapScan, &scan);
    if (count < 0) return std::nullopt;
    for (int i = 0; i < count; ++i) {
      const ScanRegion& region = regions[static_cast<std::size_t>(i)];
      Add(ranges, pages.Range(region.start / pages.page_bytes, region.end / pages.page_bytes));
    }
    if (scan.walk_end <= scan.start) return std::nullopt;
    scan.start = scan.walk_end;
  }
  return ranges;
}

/// The same from the entries of /proc/self/pagemap, one by one.
std::optional<std::vector<ByteRange>> ReadEntries(const File& pagemap, const Pages& pages) {
  std::array<std::uint64_t, kBatch> entries;
  std::vector<ByteRange> ranges;
  for (std::uintptr_t page = pages.first(); page < pages.end(); page += kBatch) {
    const std::size_t count = std::min<std::size_t>(kBatch, pages.end() - page);
    if (!pagemap.ReadAt(entries.data(), count * kEntryBytes, page * kEntryBytes)) {
      return std::nullopt;
    }
    for (std::size_t i = 0; i < count; ++i) {
      if ((entries[i] & kHeldMask) != 0) Add(ranges, pages.Range(page + i, page + i + 1));
    }
  }
  return ranges;
}

}  // namespace

std::vector<ByteRange> TouchedRanges(const void* start, std::size_t bytes) {
  if (bytes == 0) return {};
  const std::vector<ByteRange> everything = {{0, bytes}};
  const Pages pages{reinterpret_cast<std::uintptr_t>(start), bytes,
                    static_cast<std::uintptr_t>(sysconf(_SC_PAGESIZE))};
  if (pages.end() - pages.first() <= kFewPages) return everything;
  const File pagemap("/proc/self/pagemap");
  if (!pagemap.is_open()) return everything;
  if (auto ranges = Scan(pagemap, pages)) return *std::move(ranges);
  return ReadEntries(pagemap, pages).value_or(everything);
}

void ClearBytes(void* start, std::size_t bytes) {
  if (bytes == 0) return;
  const auto page_bytes = static_cast<std::uintptr_t>(sysconf(_SC_PAGESIZE));
  auto* const data = static_cast<std::byte*>(start);
  const auto first_byte = reinterpret_cast<std::uintptr_t>(start);
  const std::size_t to_page = (page_bytes - first_byte % page_bytes) % page_bytes;
  const std::size_t head = std::min<std::size_t>(bytes, to_page);
  const std::size_t whole = (bytes - head) / page_bytes * page_bytes;
  // What is refused (locked pages) is zeroed by hand.
  if (whole != 0 && madvise(data + head, whole, MADV_DONTNEED) != 0) {
    std::memset(data + head, 0, whole);
  }
  std::memset(data, 0, head);
  std::memset(data + head + whole, 0, bytes - head - whole);
}

}  // namespace txvm::isa

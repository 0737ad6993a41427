#include "vm/memory/linear_memory.h"

#include <algorithm>
#include <utility>

#include "isa/support/shown_text.h"
#include "isa/support/system/touched_pages.h"

namespace txvm::vm {
namespace {

// Vector loads of a value row may read past the last byte; what they read there is never used.
constexpr std::size_t kTailPadding = 64;

isa::Result<Reservation<std::uint8_t>> ReservePages(std::uint64_t pages) {
  auto reserved = Reservation<std::uint8_t>::Create(pages * isa::kPageBytes + kTailPadding);
  if (reserved) reserved->SetWritten(0);
  return reserved;
}

// Where address space is short, what a run needs beside a memory of so many pages: keys, machine
// code, threads, the heap.
std::uint64_t SparePages(std::uint64_t pages) {
  constexpr std::uint64_t kSpare = 160 * (1u << 20) / isa::kPageBytes;
  return std::max(pages / isa::kSpareShare, std::min(pages, kSpare));
}

// The most pages from `least` to `most` that the system allows with spare pages; `least` if none.
std::uint32_t AllowedPages(std::uint32_t least, std::uint32_t most) {
  std::uint32_t end = most;  // too many
  while (least + 1 < end) {
    const std::uint32_t middle = least + (end - least) / 2;
    (ReservePages(middle + SparePages(middle)) ? least : end) = middle;
  }
  return least;
}

}  // namespace

isa::Result<LinearMemory> LinearMemory::Create(std::uint32_t initial_pages,
                                               std::uint32_t max_pages) {
  TXVM_ASSERT(initial_pages <= max_pages && max_pages <= isa::kMaxPages);
  LinearMemory memory;
  memory.pages_ = initial_pages;
  memory.max_pages_ = memory.wanted_pages_ = max_pages;
  if (auto reserved = ReservePages(max_pages)) {
    memory.bytes_ = *std::move(reserved);
  } else {
    memory.max_pages_ = AllowedPages(initial_pages, max_pages);
    TXVM_TRY(memory.bytes_, ReservePages(memory.max_pages_));
  }
  memory.bytes_.SetWritten(memory.size_bytes());
  return memory;
}

std::uint32_t LinearMemory::Grow(std::uint32_t delta) {
  const std::uint32_t old_pages = pages_;
  if (delta > max_pages_ - pages_) {
    fell_short_ |= delta <= wanted_pages_ - pages_;
    return 0xFFFFFFFFu;
  }
  pages_ += delta;
  bytes_.SetWritten(size_bytes());
  return old_pages;
}

std::string LinearMemory::ShortageText() const {
  return "the system allows " + isa::Grouped(max_pages_, "page") + " of memory, not " +
         isa::Grouped(wanted_pages_) + ": memory.grow beyond answers -1; --max-pages asks for less";
}

void LinearMemory::Resize(std::uint32_t pages) {
  TXVM_ASSERT(pages <= max_pages_);
  const std::uint64_t old_bytes = size_bytes();
  pages_ = pages;
  if (size_bytes() > old_bytes) bytes_.SetWritten(size_bytes());
  if (size_bytes() < old_bytes) {
    isa::ClearBytes(bytes_.data() + size_bytes(),
                    static_cast<std::size_t>(old_bytes - size_bytes()));
  }
}

}  // namespace txvm::vm

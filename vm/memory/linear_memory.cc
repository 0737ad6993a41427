#include "vm/memory/linear_memory.h"

#include <algorithm>

#include "isa/support/system/touched_pages.h"

namespace txvm::vm {
namespace {

// Vector loads of a value row may read past the last byte; what they read there is never used.
constexpr std::size_t kTailPadding = 64;

}  // namespace

isa::Result<LinearMemory> LinearMemory::Create(std::uint32_t initial_pages,
                                               std::uint32_t max_pages) {
  TXVM_ASSERT(initial_pages <= max_pages && max_pages <= isa::kMaxPages);
  LinearMemory memory;
  memory.pages_ = initial_pages;
  memory.max_pages_ = max_pages;
  const std::uint64_t bytes = std::uint64_t{max_pages} * isa::kPageBytes + kTailPadding;
  TXVM_TRY(memory.bytes_, Reservation<std::uint8_t>::Create(bytes));
  return memory;
}

std::uint32_t LinearMemory::Grow(std::uint32_t delta) {
  const std::uint32_t old_pages = pages_;
  if (delta > max_pages_ - pages_) return 0xFFFFFFFFu;
  pages_ += delta;
  return old_pages;
}

void LinearMemory::Resize(std::uint32_t pages) {
  TXVM_ASSERT(pages <= max_pages_);
  const std::uint64_t old_bytes = size_bytes();
  pages_ = pages;
  if (size_bytes() < old_bytes) {
    isa::ClearBytes(bytes_.data() + size_bytes(),
                    static_cast<std::size_t>(old_bytes - size_bytes()));
  }
}

}  // namespace txvm::vm

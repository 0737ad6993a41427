// Declared in isa/support/system/address_space.h.
// The memory of a WebAssembly instance only grows, so what is released is zeroed and kept for the
// next reservation. New pages are zero, and the machine below commits them when first touched.
#include "isa/support/system/address_space.h"

#include <algorithm>
#include <cstring>
#include <iterator>
#include <limits>
#include <map>

namespace txvm::isa {
namespace {

constexpr std::uint64_t kPage = 65'536;
constexpr std::uint64_t kMostBytes = std::uint64_t{7} << 29;  // the rest is the heap's, 512 MiB
constexpr std::uint64_t kWindow = 4'096;                      // looked at before it is written to

/// Free ranges of whole pages, by their first byte; no two touch.
std::map<std::uint64_t, std::uint64_t>& FreeRanges() {
  static std::map<std::uint64_t, std::uint64_t> ranges;
  return ranges;
}

/// Zeroes what is not: a page that was never written stays uncommitted.
void ZeroWhatIsNot(std::byte* start, std::uint64_t bytes) {
  for (std::uint64_t at = 0; at < bytes; at += kWindow) {
    const auto count = static_cast<std::size_t>(std::min(kWindow, bytes - at));
    std::byte* const window = start + at;
    const bool is_zero =
        window[0] == std::byte{0} && std::memcmp(window, window + 1, count - 1) == 0;
    if (!is_zero) std::memset(window, 0, count);
  }
}

std::uint64_t Pages(std::uint64_t bytes) { return (bytes + kPage - 1) / kPage; }

void* TakeFree(std::uint64_t bytes) {
  auto& ranges = FreeRanges();
  // The smallest that is large enough: large ones stay whole.
  auto best = ranges.end();
  for (auto range = ranges.begin(); range != ranges.end(); ++range) {
    if (range->second < bytes) continue;
    if (best == ranges.end() || range->second < best->second) best = range;
  }
  if (best == ranges.end()) return nullptr;
  const auto [start, size] = *best;
  ranges.erase(best);
  if (size != bytes) ranges.emplace(start + bytes, size - bytes);
  return reinterpret_cast<void*>(static_cast<std::uintptr_t>(start));
}

}  // namespace

void* ReserveAddressSpace(std::uint64_t bytes) {
  if (bytes > kMostBytes) return nullptr;
  const std::uint64_t pages = Pages(bytes);
  if (void* const start = TakeFree(pages * kPage)) return start;
  // A free range at the end of the memory only lacks the rest.
  const std::uint64_t end = std::uint64_t{__builtin_wasm_memory_size(0)} * kPage;
  auto& ranges = FreeRanges();
  const auto last = ranges.empty() ? ranges.end() : std::prev(ranges.end());
  const bool touches = last != ranges.end() && last->first + last->second == end;
  const std::uint64_t lacking = touches ? pages - last->second / kPage : pages;
  if (end + lacking * kPage > kMostBytes) return nullptr;
  const std::size_t first = __builtin_wasm_memory_grow(0, static_cast<std::size_t>(lacking));
  if (first == std::numeric_limits<std::size_t>::max()) return nullptr;
  std::uint64_t start = std::uint64_t{first} * kPage;
  if (touches) {
    start = last->first;
    ranges.erase(last);
  }
  return reinterpret_cast<void*>(static_cast<std::uintptr_t>(start));
}

void ReleaseAddressSpace(void* start, std::uint64_t bytes, std::uint64_t written) {
  ZeroWhatIsNot(static_cast<std::byte*>(start), written);
  auto& ranges = FreeRanges();
  const std::uint64_t first = reinterpret_cast<std::uintptr_t>(start);
  auto place = ranges.emplace(first, Pages(bytes) * kPage).first;
  if (const auto next = std::next(place);
      next != ranges.end() && place->first + place->second == next->first) {
    place->second += next->second;
    ranges.erase(next);
  }
  if (place == ranges.begin()) return;
  const auto before = std::prev(place);
  if (before->first + before->second != place->first) return;
  before->second += place->second;
  ranges.erase(place);
}

}  // namespace txvm::isa

// What the attention loop attends to, for one Highway target: code tiles, and the heads of slots,
// locals, frames and bytes.

#if defined(TXVM_VM_ENGINES_ATTENTION_HEADS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef TXVM_VM_ENGINES_ATTENTION_HEADS_INL_H_
#undef TXVM_VM_ENGINES_ATTENTION_HEADS_INL_H_
#else
#define TXVM_VM_ENGINES_ATTENTION_HEADS_INL_H_
#endif

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <iterator>

#include "vm/engines/attention_loop.h"
#include "vm/memory/tile_keys.h"
#include "vm/tensor/head-inl.h"

HWY_BEFORE_NAMESPACE();
namespace txvm::vm {
namespace HWY_NAMESPACE {

/// The code space of this target: keys and value rows of kTileKeys instructions from one base
/// register. The absent lane has a handler too, so a fetch needs no branch; the immediates lie
/// between the handlers of the last and the absent lane. The last two cache lines are unused
/// (PageOffset).
struct alignas(512) CodeTile {
  static constexpr std::size_t kGap = kAbsentLane - kTileKeys;  // handlers' worth of bytes

  std::int16_t keys[2 * kTileKeys];
  const void* handlers[kTileKeys];
  union {
    struct {
      std::uint32_t arg[kTileKeys];
      std::uint32_t aux[kTileKeys];
    };
    const void* gap[kGap];
  };
  const void* absent;
  std::uint32_t first;  // ip of lane 0

  /// The handler of lane 0..kTileKeys-1 or kAbsentLane: one load.
  const void* handler(std::size_t lane) const {
    const void* result;
    std::memcpy(&result, reinterpret_cast<const std::byte*>(handlers) + lane * sizeof(result),
                sizeof(result));
    return result;
  }
};
static_assert(offsetof(CodeTile, absent) ==
              offsetof(CodeTile, handlers) + kAbsentLane * sizeof(void*));

inline void BuildCode(const Threaded& threaded, std::size_t size, const std::int16_t* keys,
                      const void* absent, std::byte* tiles) {
  auto* tile = reinterpret_cast<CodeTile*>(tiles);
  // One tile more than the code has, without keys: running off the last tile ends there.
  for (std::size_t first = 0; first < size + kTileKeys; first += kTileKeys, ++tile) {
    tile->first = static_cast<std::uint32_t>(first);
    std::fill(std::begin(tile->handlers), std::end(tile->handlers), absent);
    tile->absent = absent;
    for (std::size_t lane = 0; lane < kTileKeys; ++lane) {
      tile->keys[lane] = first < size ? keys[2 * first + lane] : std::int16_t{0};
      tile->keys[kTileKeys + lane] =
          first < size ? keys[2 * first + kTileKeys + lane] : kNoKeyScore;
      if (first + lane >= size) continue;
      const Row& row = threaded.rows[first + lane];
      tile->handlers[lane] = row.handler;
      tile->arg[lane] = row.arg;
      tile->aux[lane] = row.aux;
    }
  }
}

/// Address of the winning key of a space at `address`, whose digit is `query`. The keys of a fast
/// run are complete, so it is there.
HWY_INLINE HWY_ATTR std::size_t Attend(const std::int16_t* HWY_RESTRICT keys, Query query,
                                       std::size_t address) {
  const std::size_t tile = address & ~std::size_t{kDigitMask};
  return tile + WinningKey(keys + tile * 2, query);
}

/// `width` bytes from `address` on. Their heads' queries differ by 0..width-1 and their keys lie in
/// one tile or two, so one tile score, or one per byte where the access crosses tiles, serves all
/// of them.
template <std::size_t kWidth>
HWY_INLINE HWY_ATTR Word AttendBytes(const LoopContext& c, std::uint64_t address,
                                     const std::uint8_t* memory) {
  Word value = 0;
  const auto low = static_cast<std::uint32_t>(address);
  const std::int16_t* page = c.memory_keys.Page(address);
  if ((low & kDigitMask) + kWidth <= kTileKeys) [[likely]] {
    const std::int16_t* tile = page + (low & (SharedKeys::kPageAddresses - 1) & ~kDigitMask) * 2;
    std::memcpy(&value,
                memory + (address & ~std::uint64_t{kDigitMask}) + WinningKey(tile, QueryFor(low)),
                kWidth);
    return value;
  }
  for (std::size_t i = 0; i < kWidth; ++i) {
    const std::uint64_t at = address + i;
    const auto within = static_cast<std::uint32_t>(at) & (SharedKeys::kPageAddresses - 1);
    const std::size_t winner = Attend(c.memory_keys.Page(at), QueryFor(within), within);
    value |= static_cast<Word>(memory[at - within + winner]) << (8 * i);
  }
  return value;
}

// NOLINTNEXTLINE(google-readability-namespace-comments)
}  // namespace HWY_NAMESPACE
}  // namespace txvm::vm
HWY_AFTER_NAMESPACE();

#endif  // include guard

// The last level of a parabolic attention head, for one Highway target: score a tile of keys
// against the query, take the key that reaches the known maximum.
//
// NOTATION  q: the query's digit in its tile, k: a key's; both 0..kTileKeys-1.
//           score = q * k0 + k1, k0 = 2k, k1 = -k^2.
//
// FACTS     score = q^2 - (q-k)^2 <= q^2, with equality exactly at k = q: the maximum is known
//           before scoring, so argmax = the lane that equals q^2, and no such lane = the address is
//           absent. All terms fit int16 for kTileKeys <= 128, so scores are exact.
//
// TILING    Keys of other tiles differ in a higher digit, so none of them can reach the maximum:
//           scoring the tile of the query's high digits gives the argmax over the whole space.
//           Proofs: docs/LAWS.md.

#if defined(TXVM_VM_TENSOR_HEAD_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef TXVM_VM_TENSOR_HEAD_INL_H_
#undef TXVM_VM_TENSOR_HEAD_INL_H_
#else
#define TXVM_VM_TENSOR_HEAD_INL_H_
#endif

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace txvm::vm {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// 16 keys where every processor with the target holds as many int16 in a vector (AVX2 and up, SVE
// of 256 bits), else 8: SVE of any length holds those at least.
inline constexpr bool kUnknownLength = HWY_TARGET == HWY_SVE || HWY_TARGET == HWY_SVE2;
inline constexpr std::size_t kTileKeys = HWY_MAX_BYTES >= 32 && !kUnknownLength ? 16 : 8;
inline constexpr std::uint32_t kDigitMask = static_cast<std::uint32_t>(kTileKeys) - 1;
using KeyTag = hn::CappedTag<std::int16_t, kTileKeys>;

/// A query: its digit in every lane.
using Query = hn::VFromD<KeyTag>;

/// The query for an address, by the digit of its tile.
HWY_INLINE HWY_ATTR Query QueryFor(std::uint32_t address) {
  return hn::Set(KeyTag(), static_cast<std::int16_t>(address & kDigitMask));
}

/// What WinningKey returns when no key equals the query: the address is absent. One more than any
/// 32-bit mask's last bit.
inline constexpr std::size_t kAbsentLane = 32;

/// The winning lane of a tile, 0..kTileKeys-1, or kAbsentLane. tile: (2, kTileKeys) rows k0 and k1,
/// aligned to a vector. Exact on every target.
HWY_INLINE HWY_ATTR std::size_t WinningKey(const std::int16_t* HWY_RESTRICT tile, Query query) {
  const KeyTag d;
  const auto maximum = hn::Mul(query, query);
#if HWY_TARGET == HWY_SCALAR
  for (std::size_t i = 0; i < kTileKeys; ++i) {
    const auto score =
        hn::Add(hn::Mul(query, hn::Load(d, tile + i)), hn::Load(d, tile + kTileKeys + i));
    if (hn::AllTrue(d, hn::Eq(score, maximum))) return i;
  }
  return kAbsentLane;
#else
  const auto score = hn::Add(hn::Mul(query, hn::Load(d, tile)), hn::Load(d, tile + kTileKeys));
  const auto wins = hn::Eq(score, maximum);
#if HWY_TARGET == HWY_AVX3 || HWY_TARGET == HWY_AVX3_DL
  std::uint8_t bytes[8];  // stays in registers; 32-bit trailing zeros of no bit are kAbsentLane,
                          // without a branch
  hn::StoreMaskBits(d, wins, bytes);
  std::uint16_t bits;
  std::memcpy(&bits, bytes, sizeof(bits));
  return static_cast<std::size_t>(std::countr_zero(std::uint32_t{bits}));
#else
  const std::intptr_t lane = hn::FindFirstTrue(d, wins);
  return lane < 0 ? kAbsentLane : static_cast<std::size_t>(lane);
#endif
#endif
}

// NOLINTNEXTLINE(google-readability-namespace-comments)
}  // namespace HWY_NAMESPACE
}  // namespace txvm::vm
HWY_AFTER_NAMESPACE();

#endif  // include guard

// The last level of a parabolic attention head, for one Highway target: score a tile of keys
// against the query, take the key that reaches the known maximum.
//
// NOTATION  q: query's digit in its tile, k: a key's, both 0..kTileKeys-1.   score = q * k0 + k1,
// k0 = 2k, k1 = -k^2. FACTS     score = q^2 - (q-k)^2 <= q^2, with equality exactly at k = q: the
// hard maximum is known before scoring, so
//           argmax = the lane that equals q^2, and no such lane = the address is absent. All terms
//           fit int16 for kTileKeys <= 128, so scores are exact.
// TILING    keys of other tiles differ in a higher digit, so none of them can reach the maximum:
// scoring the tile of the
//           query's high digits gives the argmax over the whole space (docs/NUMERICS.md).

#if defined(TXVM_VM_TENSOR_HEAD_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef TXVM_VM_TENSOR_HEAD_INL_H_
#undef TXVM_VM_TENSOR_HEAD_INL_H_
#else
#define TXVM_VM_TENSOR_HEAD_INL_H_
#endif

#include <cstddef>
#include <cstdint>

#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace txvm::vm {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// 16 keys where a vector holds as many int16 (AVX2 and up), else 8.
inline constexpr std::size_t kTileKeys = HWY_MAX_BYTES >= 32 ? 16 : 8;
inline constexpr std::uint32_t kDigitMask = static_cast<std::uint32_t>(kTileKeys) - 1;
using KeyTag = hn::CappedTag<std::int16_t, kTileKeys>;

/// The winning lane of a tile, or a negative number when no key equals the query (the address is
/// absent). tile: (2, kTileKeys) rows k0 and k1. query, maximum: the embedded rows of q and q^2,
/// (kTileKeys,) each. All aligned to their vector. Exact on every target.
HWY_INLINE HWY_ATTR std::intptr_t WinningKey(const std::int16_t* HWY_RESTRICT tile,
                                             const std::int16_t* HWY_RESTRICT query,
                                             const std::int16_t* HWY_RESTRICT maximum) {
  const KeyTag d;
#if HWY_TARGET == HWY_SCALAR
  for (std::size_t i = 0; i < kTileKeys; i += hn::Lanes(d)) {
    const auto score = hn::Add(hn::Mul(hn::Load(d, query + i), hn::Load(d, tile + i)),
                               hn::Load(d, tile + kTileKeys + i));
    const std::intptr_t lane = hn::FindFirstTrue(d, hn::Eq(score, hn::Load(d, maximum + i)));
    if (lane >= 0) return static_cast<std::intptr_t>(i) + lane;
  }
  return -1;
#else
  const auto score =
      hn::Add(hn::Mul(hn::Load(d, query), hn::Load(d, tile)), hn::Load(d, tile + kTileKeys));
  return hn::FindFirstTrue(d, hn::Eq(score, hn::Load(d, maximum)));
#endif
}

// NOLINTNEXTLINE(google-readability-namespace-comments)
}  // namespace HWY_NAMESPACE
}  // namespace txvm::vm
HWY_AFTER_NAMESPACE();

#endif  // include guard

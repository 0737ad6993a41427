// NOTATION  A vector V holds Lanes(D()) floats. A tile is kRows rows of weights by kTokens tokens,
//           one accumulator each.
// FACTS     (1) Each output is one chain acc = w[k..] * x[k..] + acc over k, then the sum of the
//           lanes, then the tail in order: the tile's shape does not enter, so neither the number
//           of tokens nor the split among threads changes a bit.
//           (2) Four chains hide a fused multiply-add's latency of four cycles, and 4 x 4 of them
//           need 21 of the 32 registers of AVX-512; 16 registers hold 4 x 2.
//           (3) A row is shorter than what a processor's own prefetching needs to get going: with
//           one token, where memory is the limit, a tile asks for the next tile's bytes.
#include "vm/tensor/nn.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <type_traits>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "vm/tensor/nn.cc"
#include "hwy/cache_control.h"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"
// After highway.h, which it needs.
#include "hwy/contrib/math/math-inl.h"
#include "vm/tensor/simd_target.h"
#include "vm/tensor/vectors-inl.h"

HWY_BEFORE_NAMESPACE();
namespace txvm::vm {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using D = hn::CappedTag<float, kQ8Block>;  // a block holds whole vectors
using V = hn::Vec<D>;

constexpr std::size_t kTileRows = 4;
#if HWY_TARGET <= HWY_AVX3
constexpr std::size_t kTileTokens = 4;
#else
constexpr std::size_t kTileTokens = 2;
#endif

// Each loader reads Lanes(D()) elements of a row from element k, or one.

struct LoadF32 {
  static constexpr std::size_t kBytes = 4;  // of an element
  static HWY_INLINE V Load(const std::uint8_t* row, std::size_t k) {
    return hn::LoadU(D(), reinterpret_cast<const float*>(row) + k);
  }
  static HWY_INLINE float One(const std::uint8_t* row, std::size_t k) {
    return reinterpret_cast<const float*>(row)[k];
  }
};

struct LoadBf16 {
  static constexpr std::size_t kBytes = 2;
  static HWY_INLINE V Load(const std::uint8_t* row, std::size_t k) {
    const hn::Rebind<std::uint16_t, D> half;
    const hn::RebindToUnsigned<D> bits;
    const auto narrow = hn::LoadU(half, reinterpret_cast<const std::uint16_t*>(row) + k);
    return hn::BitCast(D(), hn::ShiftLeft<16>(hn::PromoteTo(bits, narrow)));
  }
  static HWY_INLINE float One(const std::uint8_t* row, std::size_t k) {
    const std::uint32_t bits =
        static_cast<std::uint32_t>(reinterpret_cast<const std::uint16_t*>(row)[k]) << 16;
    float value;
    std::memcpy(&value, &bits, sizeof(value));
    return value;
  }
};

struct LoadF16 {
  static constexpr std::size_t kBytes = 2;
  static HWY_INLINE V Load(const std::uint8_t* row, std::size_t k) {
    const hn::Rebind<hwy::float16_t, D> half;
    return hn::PromoteTo(D(), hn::LoadU(half, reinterpret_cast<const hwy::float16_t*>(row) + k));
  }
  static HWY_INLINE float One(const std::uint8_t* row, std::size_t k) {
    const hn::CappedTag<float, 1> one;
    const hn::Rebind<hwy::float16_t, decltype(one)> half;
    return hn::GetLane(
        hn::PromoteTo(one, hn::LoadU(half, reinterpret_cast<const hwy::float16_t*>(row) + k)));
  }
};

struct LoadQ8 {
  /// The scale of a block in every lane.
  static HWY_INLINE V Scale(const std::uint8_t* block) {
    const hn::Rebind<std::uint16_t, D> bits;
    const hn::Rebind<hwy::float16_t, D> half;
    std::uint16_t scale;
    std::memcpy(&scale, block, sizeof(scale));
    return hn::PromoteTo(D(), hn::BitCast(half, hn::Set(bits, scale)));
  }
  /// Lanes(D()) bytes of a block, as floats.
  static HWY_INLINE V Bytes(const std::uint8_t* block, std::size_t i) {
    const hn::Rebind<std::int8_t, D> bytes;
    const hn::RebindToSigned<D> words;
    const auto q = hn::LoadU(bytes, reinterpret_cast<const std::int8_t*>(block) + 2 + i);
    return hn::ConvertTo(D(), hn::PromoteTo(words, q));
  }
  static HWY_INLINE V Load(const std::uint8_t* row, std::size_t k) {
    const std::uint8_t* block = row + k / kQ8Block * kQ8BlockBytes;
    return hn::Mul(Scale(block), Bytes(block, k % kQ8Block));
  }
  static HWY_INLINE float One(const std::uint8_t* row, std::size_t k) {
    const std::uint8_t* block = row + k / kQ8Block * kQ8BlockBytes;
    return hn::GetLane(Scale(block)) *
           static_cast<float>(static_cast<std::int8_t>(block[2 + k % kQ8Block]));
  }
};

/// Lanes(D()) half bytes, low or high ones, as floats.
HWY_INLINE V Nibbles(const std::uint8_t* bytes, bool high) {
  const hn::Rebind<std::uint8_t, D> narrow;
  const hn::RebindToSigned<D> words;
  const auto both = hn::LoadU(narrow, bytes);
  const auto q = high ? hn::ShiftRight<4>(both) : hn::And(both, hn::Set(narrow, 15));
  return hn::ConvertTo(D(), hn::PromoteTo(words, q));
}

HWY_INLINE float HalfAt(const std::uint8_t* from) { return hn::GetLane(LoadQ8::Scale(from)); }

// Formats of half bytes: 32 elements q and what makes weights of them, scale * (q - kZero) +
// offset.

struct LoadQ4_0 {
  static constexpr float kZero = 8;
  const std::uint8_t* block;
  float scale, offset = 0;
  HWY_INLINE LoadQ4_0(const std::uint8_t* row, std::size_t k)
      : block(row + k / kQ8Block * kQ4_0BlockBytes), scale(HalfAt(block)) {}
  HWY_INLINE V Q(std::size_t i) const {
    return Nibbles(block + 2 + i % (kQ8Block / 2), i >= kQ8Block / 2);
  }
};

struct LoadQ4_1 {
  static constexpr float kZero = 0;
  const std::uint8_t* block;
  float scale, offset;
  HWY_INLINE LoadQ4_1(const std::uint8_t* row, std::size_t k)
      : block(row + k / kQ8Block * kQ4_1BlockBytes),
        scale(HalfAt(block)),
        offset(HalfAt(block + 2)) {}
  HWY_INLINE V Q(std::size_t i) const {
    return Nibbles(block + 4 + i % (kQ8Block / 2), i >= kQ8Block / 2);
  }
};

struct LoadQ4K {
  static constexpr float kZero = 0;
  const std::uint8_t* nibbles;
  bool high;
  float scale, offset;
  HWY_INLINE LoadQ4K(const std::uint8_t* row, std::size_t k) {
    constexpr std::size_t kScalesAt = 4, kNibblesAt = 16;
    constexpr unsigned kSix = 63, kNibble = 15;
    const std::uint8_t* block = row + k / kQ4KBlock * kQ4KBlockBytes;
    const std::size_t j = k % kQ4KBlock / kQ8Block;
    const std::uint8_t* s = block + kScalesAt;
    const unsigned factor = j < 4 ? s[j] & kSix : (s[j + 4] & kNibble) | s[j - 4] >> 6 << 4;
    const unsigned least =
        j < 4 ? s[j + 4] & kSix : static_cast<unsigned>(s[j + 4] >> 4) | s[j] >> 6 << 4;
    nibbles = block + kNibblesAt + j / 2 * kQ8Block;
    high = j % 2 != 0;
    scale = HalfAt(block) * static_cast<float>(factor);
    offset = -(HalfAt(block + 2) * static_cast<float>(least));
  }
  HWY_INLINE V Q(std::size_t i) const { return Nibbles(nibbles + i, high); }
};

template <class Loader>
inline constexpr bool kIsHalfBytes =
    std::is_same_v<Loader, LoadQ4_0> || std::is_same_v<Loader, LoadQ4_1> ||
    std::is_same_v<Loader, LoadQ4K>;

template <class Loader, std::size_t kRows, std::size_t kTokens>
HWY_INLINE void Tile(const WeightRows& w, std::size_t row, const float* HWY_RESTRICT x, float* y,
                     std::size_t y_stride) {
  const std::size_t lanes = hn::Lanes(D());
  const std::uint8_t* rows[kRows];
  Vectors<D, kRows * kTokens> acc;
  for (std::size_t r = 0; r < kRows; ++r) {
    rows[r] = w.data + (row + r) * w.row_bytes;
    for (std::size_t t = 0; t < kTokens; ++t) acc.Set(r * kTokens + t, hn::Zero(D()));
  }
  std::size_t k = 0;
  for (; k + lanes <= w.cols; k += lanes) {
    Vectors<D, kRows> weight;
    for (std::size_t r = 0; r < kRows; ++r) {
      if (kTokens == 1) hwy::Prefetch(rows[r] + k * Loader::kBytes + kRows * w.row_bytes);
      weight.Set(r, Loader::Load(rows[r], k));
    }
    for (std::size_t t = 0; t < kTokens; ++t) {
      const V in = hn::LoadU(D(), x + t * w.cols + k);
      for (std::size_t r = 0; r < kRows; ++r) {
        const std::size_t i = r * kTokens + t;
        acc.Set(i, hn::MulAdd(weight.Get(r), in, acc.Get(i)));
      }
    }
  }
  for (std::size_t r = 0; r < kRows; ++r) {
    for (std::size_t t = 0; t < kTokens; ++t) {
      float sum = hn::GetLane(hn::SumOfLanes(D(), acc.Get(r * kTokens + t)));
      for (std::size_t i = k; i < w.cols; ++i) sum += Loader::One(rows[r], i) * x[t * w.cols + i];
      y[t * y_stride + row + r] = sum;
    }
  }
}

/// The same for kQ8, block by block: the bytes' products are summed first, then scaled.
template <std::size_t kRows, std::size_t kTokens>
HWY_INLINE void TileQ8(const WeightRows& w, std::size_t row, const float* HWY_RESTRICT x, float* y,
                       std::size_t y_stride) {
  const std::size_t lanes = hn::Lanes(D());
  Vectors<D, kRows * kTokens> acc;
  for (std::size_t r = 0; r < kRows; ++r) {
    for (std::size_t t = 0; t < kTokens; ++t) acc.Set(r * kTokens + t, hn::Zero(D()));
  }
  for (std::size_t k = 0; k < w.cols; k += kQ8Block) {
    for (std::size_t r = 0; r < kRows; ++r) {
      const std::uint8_t* block = w.data + (row + r) * w.row_bytes + k / kQ8Block * kQ8BlockBytes;
      if (kTokens == 1) hwy::Prefetch(block + kRows * w.row_bytes);
      Vectors<D, kTokens> part;
      for (std::size_t t = 0; t < kTokens; ++t) part.Set(t, hn::Zero(D()));
      for (std::size_t i = 0; i < kQ8Block; i += lanes) {
        const V q = LoadQ8::Bytes(block, i);
        for (std::size_t t = 0; t < kTokens; ++t) {
          const V in = hn::LoadU(D(), x + t * w.cols + k + i);
          part.Set(t, hn::MulAdd(q, in, part.Get(t)));
        }
      }
      const V scale = LoadQ8::Scale(block);
      for (std::size_t t = 0; t < kTokens; ++t) {
        const std::size_t sum = r * kTokens + t;
        acc.Set(sum, hn::MulAdd(scale, part.Get(t), acc.Get(sum)));
      }
    }
  }
  for (std::size_t r = 0; r < kRows; ++r) {
    for (std::size_t t = 0; t < kTokens; ++t) {
      y[t * y_stride + row + r] = hn::GetLane(hn::SumOfLanes(D(), acc.Get(r * kTokens + t)));
    }
  }
}

/// The same for half bytes: the sum over a block is scale * sum(q x) + (offset - kZero * scale) *
/// sum(x), and the sums of x serve all rows.
template <class Loader, std::size_t kRows, std::size_t kTokens>
HWY_INLINE void TileQ4(const WeightRows& w, std::size_t row, const float* HWY_RESTRICT x, float* y,
                       std::size_t y_stride) {
  const std::size_t lanes = hn::Lanes(D());
  V acc[kRows][kTokens];
  for (std::size_t r = 0; r < kRows; ++r) {
    for (std::size_t t = 0; t < kTokens; ++t) acc[r][t] = hn::Zero(D());
  }
  for (std::size_t k = 0; k < w.cols; k += kQ8Block) {
    V sums[kTokens];
    for (std::size_t t = 0; t < kTokens; ++t) {
      sums[t] = hn::LoadU(D(), x + t * w.cols + k);
      for (std::size_t i = lanes; i < kQ8Block; i += lanes) {
        sums[t] = hn::Add(sums[t], hn::LoadU(D(), x + t * w.cols + k + i));
      }
    }
    for (std::size_t r = 0; r < kRows; ++r) {
      const Loader block(w.data + (row + r) * w.row_bytes, k);
      V part[kTokens];
      for (std::size_t t = 0; t < kTokens; ++t) part[t] = hn::Zero(D());
      for (std::size_t i = 0; i < kQ8Block; i += lanes) {
        const V q = block.Q(i);
        for (std::size_t t = 0; t < kTokens; ++t) {
          part[t] = hn::MulAdd(q, hn::LoadU(D(), x + t * w.cols + k + i), part[t]);
        }
      }
      const V scale = hn::Set(D(), block.scale);
      const V offset = hn::Set(D(), block.offset - Loader::kZero * block.scale);
      for (std::size_t t = 0; t < kTokens; ++t) {
        acc[r][t] = hn::MulAdd(scale, part[t], acc[r][t]);
        acc[r][t] = hn::MulAdd(offset, sums[t], acc[r][t]);
      }
    }
  }
  for (std::size_t r = 0; r < kRows; ++r) {
    for (std::size_t t = 0; t < kTokens; ++t) {
      y[t * y_stride + row + r] = hn::GetLane(hn::SumOfLanes(D(), acc[r][t]));
    }
  }
}

/// One tile of a format.
template <class Loader, std::size_t kRows, std::size_t kTokens>
HWY_INLINE void AnyTile(const WeightRows& w, std::size_t row, const float* x, float* y,
                        std::size_t y_stride) {
  if constexpr (std::is_same_v<Loader, LoadQ8>) {
    TileQ8<kRows, kTokens>(w, row, x, y, y_stride);
  } else if constexpr (kIsHalfBytes<Loader>) {
    TileQ4<Loader, kRows, kTokens>(w, row, x, y, y_stride);
  } else {
    Tile<Loader, kRows, kTokens>(w, row, x, y, y_stride);
  }
}

template <class Loader, std::size_t kTokens>
void TokensTile(const WeightRows& w, const float* x, float* y, std::size_t y_stride) {
  std::size_t row = 0;
  for (; row + kTileRows <= w.rows; row += kTileRows) {
    AnyTile<Loader, kTileRows, kTokens>(w, row, x, y, y_stride);
  }
  for (; row < w.rows; ++row) AnyTile<Loader, 1, kTokens>(w, row, x, y, y_stride);
}

template <class Loader>
void MultiplyAs(const WeightRows& all, const float* x, std::size_t tokens, float* y,
                std::size_t y_stride) {
  // Rows in groups that stay in the second-level cache while all tokens pass.
  constexpr std::size_t kGroupBytes = 256u << 10;
  std::size_t group = std::max<std::size_t>(1, kGroupBytes / (all.row_bytes * kTileRows));
  if (tokens <= kTileTokens) group = all.rows;
  group *= kTileRows;
  for (std::size_t first = 0; first < all.rows; first += group) {
    WeightRows w = all;
    w.data += first * all.row_bytes;
    w.rows = std::min(group, all.rows - first);
    std::size_t t = 0;
    for (; t + kTileTokens <= tokens; t += kTileTokens) {
      TokensTile<Loader, kTileTokens>(w, x + t * w.cols, y + t * y_stride + first, y_stride);
    }
    for (; t < tokens; ++t) {
      TokensTile<Loader, 1>(w, x + t * w.cols, y + t * y_stride + first, y_stride);
    }
  }
}

void MultiplyRowsT(const WeightRows& w, const float* x, std::size_t tokens, float* y,
                   std::size_t y_stride) {
  switch (w.format) {
    case WeightFormat::kF32:
      return MultiplyAs<LoadF32>(w, x, tokens, y, y_stride);
    case WeightFormat::kF16:
      return MultiplyAs<LoadF16>(w, x, tokens, y, y_stride);
    case WeightFormat::kBf16:
      return MultiplyAs<LoadBf16>(w, x, tokens, y, y_stride);
    case WeightFormat::kQ8:
      return MultiplyAs<LoadQ8>(w, x, tokens, y, y_stride);
    case WeightFormat::kQ4_0:
      return MultiplyAs<LoadQ4_0>(w, x, tokens, y, y_stride);
    case WeightFormat::kQ4_1:
      return MultiplyAs<LoadQ4_1>(w, x, tokens, y, y_stride);
    case WeightFormat::kQ4K:
      return MultiplyAs<LoadQ4K>(w, x, tokens, y, y_stride);
  }
}

template <class Loader>
void WidenAs(const std::uint8_t* row, std::size_t n, float* to) {
  const std::size_t lanes = hn::Lanes(D());
  std::size_t k = 0;
  for (; k + lanes <= n; k += lanes) hn::StoreU(Loader::Load(row, k), D(), to + k);
  for (; k < n; ++k) to[k] = Loader::One(row, k);
}

template <class Loader>
void WidenHalfBytes(const std::uint8_t* row, std::size_t n, float* to) {
  const std::size_t lanes = hn::Lanes(D());
  const V zero = hn::Set(D(), Loader::kZero);
  for (std::size_t k = 0; k < n; k += kQ8Block) {
    const Loader block(row, k);
    const V scale = hn::Set(D(), block.scale), offset = hn::Set(D(), block.offset);
    for (std::size_t i = 0; i < kQ8Block; i += lanes) {
      hn::StoreU(hn::Add(hn::Mul(scale, hn::Sub(block.Q(i), zero)), offset), D(), to + k + i);
    }
  }
}

void RoundRowToBf16T(const float* from, std::size_t n, std::uint16_t* to) {
  constexpr std::uint32_t kInfinity = 0x7F800000, kMagnitude = 0x7FFFFFFF, kQuiet = 0x40;
  const hn::RebindToUnsigned<D> wide;
  const hn::Rebind<std::uint16_t, D> narrow;
  const std::size_t lanes = hn::Lanes(D());
  const auto round = [&](V value) HWY_ATTR {
    const auto bits = hn::BitCast(wide, value);
    const auto high = hn::ShiftRight<16>(bits);
    const auto odd = hn::And(high, hn::Set(wide, 1));
    const auto rounded = hn::ShiftRight<16>(hn::Add(bits, hn::Add(odd, hn::Set(wide, 0x7FFF))));
    const auto is_nan = hn::Gt(hn::And(bits, hn::Set(wide, kMagnitude)), hn::Set(wide, kInfinity));
    return hn::TruncateTo(narrow,
                          hn::IfThenElse(is_nan, hn::Or(high, hn::Set(wide, kQuiet)), rounded));
  };
  std::size_t k = 0;
  for (; k + lanes <= n; k += lanes) hn::StoreU(round(hn::LoadU(D(), from + k)), narrow, to + k);
  if (k == n) return;
  HWY_ALIGN float rest[hn::MaxLanes(D())] = {};
  HWY_ALIGN std::uint16_t bits[hn::MaxLanes(D())] = {};
  std::copy(from + k, from + n, rest);
  hn::StoreU(round(hn::Load(D(), rest)), narrow, bits);
  std::copy(bits, bits + (n - k), to + k);
}

void WidenRowT(WeightFormat format, const std::uint8_t* row, std::size_t n, float* to) {
  switch (format) {
    case WeightFormat::kF32:
      return WidenAs<LoadF32>(row, n, to);
    case WeightFormat::kF16:
      return WidenAs<LoadF16>(row, n, to);
    case WeightFormat::kBf16:
      return WidenAs<LoadBf16>(row, n, to);
    case WeightFormat::kQ8:
      return WidenAs<LoadQ8>(row, n, to);
    case WeightFormat::kQ4_0:
      return WidenHalfBytes<LoadQ4_0>(row, n, to);
    case WeightFormat::kQ4_1:
      return WidenHalfBytes<LoadQ4_1>(row, n, to);
    case WeightFormat::kQ4K:
      return WidenHalfBytes<LoadQ4K>(row, n, to);
  }
}

HWY_INLINE float DotOf(const float* a, const float* b, std::size_t n) {
  const std::size_t lanes = hn::Lanes(D());
  V acc = hn::Zero(D());
  std::size_t k = 0;
  for (; k + lanes <= n; k += lanes) {
    acc = hn::MulAdd(hn::LoadU(D(), a + k), hn::LoadU(D(), b + k), acc);
  }
  float sum = hn::GetLane(hn::SumOfLanes(D(), acc));
  for (; k < n; ++k) sum += a[k] * b[k];
  return sum;
}

void RmsNormT(const float* x, const float* weight, float epsilon, std::size_t n, float* out) {
  const float mean = DotOf(x, x, n) / static_cast<float>(n);
  const float factor = 1.0f / std::sqrt(mean + epsilon);
  const V scale = hn::Set(D(), factor);
  const std::size_t lanes = hn::Lanes(D());
  std::size_t k = 0;
  for (; k + lanes <= n; k += lanes) {
    const V normed = hn::Mul(hn::LoadU(D(), x + k), scale);
    hn::StoreU(hn::Mul(normed, hn::LoadU(D(), weight + k)), D(), out + k);
  }
  for (; k < n; ++k) out[k] = x[k] * factor * weight[k];
}

// Runs `f` on whole vectors, the last one padded with zeros, so that every element takes the same
// path.
template <class Function>
HWY_INLINE void ForVectors(float* x, const float* other, std::size_t n, const Function& f) {
  const std::size_t lanes = hn::Lanes(D());
  std::size_t k = 0;
  for (; k + lanes <= n; k += lanes) {
    hn::StoreU(f(hn::LoadU(D(), x + k), hn::LoadU(D(), other + k)), D(), x + k);
  }
  if (k == n) return;
  HWY_ALIGN float a[hn::MaxLanes(D())] = {};
  HWY_ALIGN float b[hn::MaxLanes(D())] = {};
  std::copy(x + k, x + n, a);
  std::copy(other + k, other + n, b);
  hn::Store(f(hn::Load(D(), a), hn::Load(D(), b)), D(), a);
  std::copy(a, a + (n - k), x + k);
}

// 1 + e^-x. e^88 is still a float; beyond it the quotient is smaller than any sum it enters can
// tell.
HWY_INLINE V SigmoidDivisor(V x) {
  const V exponent = hn::Min(hn::Neg(x), hn::Set(D(), 88.0f));
  return hn::Add(hn::Set(D(), 1.0f), hn::Exp(D(), exponent));
}

void SiluMultiplyT(float* gate, const float* up, std::size_t n) {
  ForVectors(gate, up, n,
             [&](V g, V u) HWY_ATTR { return hn::Mul(hn::Div(g, SigmoidDivisor(g)), u); });
}

void SigmoidT(float* x, std::size_t n) {
  const V one = hn::Set(D(), 1.0f);
  ForVectors(x, x, n, [&](V v, V) HWY_ATTR { return hn::Div(one, SigmoidDivisor(v)); });
}

// The sum of 16 sums, each of every sixteenth number, and of the rest in order, whatever the number
// of lanes: trainings have the same bits on AVX2 and on AVX-512.
HWY_INLINE float SumOfSixteens(const float* x, std::size_t n) {
  constexpr std::size_t kSums = 16;
  const hn::CappedTag<float, kSums> d;
  constexpr std::size_t kParts =
      HWY_HAVE_SCALABLE ? kSums / 4 : kSums / hn::MaxLanes(d);  // at most
  const std::size_t lanes = hn::Lanes(d), parts = kSums / lanes;
  Vectors<hn::CappedTag<float, kSums>, kParts> acc;
  for (std::size_t p = 0; p < parts; ++p) acc.Set(p, hn::Zero(d));
  std::size_t k = 0;
  for (; k + kSums <= n; k += kSums) {
    for (std::size_t p = 0; p < parts; ++p) {
      acc.Set(p, hn::Add(acc.Get(p), hn::LoadU(d, x + k + p * lanes)));
    }
  }
  // As lanes are added: the upper half to the lower one.
  for (std::size_t half = parts / 2; half > 0; half /= 2) {
    for (std::size_t p = 0; p < half; ++p) acc.Set(p, hn::Add(acc.Get(p), acc.Get(p + half)));
  }
#if HWY_ARCH_ARM_A64
  // Its own instruction adds neighbours first.
  float halves[kSums];
  hn::StoreU(acc.Get(0), d, halves);
  for (std::size_t half = lanes / 2; half > 0; half /= 2) {
    for (std::size_t i = 0; i < half; ++i) halves[i] += halves[i + half];
  }
  float sum = halves[0];
#else
  float sum = hn::GetLane(hn::SumOfLanes(d, acc.Get(0)));
#endif
  for (; k < n; ++k) sum += x[k];
  return sum;
}

double SoftmaxT(float* x, std::size_t n) {
  const std::size_t lanes = hn::Lanes(D());
  V top = hn::Set(D(), x[0]);
  std::size_t k = 0;
  for (; k + lanes <= n; k += lanes) top = hn::Max(top, hn::LoadU(D(), x + k));
  float most = hn::GetLane(hn::MaxOfLanes(D(), top));
  for (; k < n; ++k) most = std::max(most, x[k]);
  top = hn::Set(D(), most);
  ForVectors(x, x, n, [&](V v, V) HWY_ATTR { return hn::Exp(D(), hn::Sub(v, top)); });
  const float sum = SumOfSixteens(x, n);
  const float inverse = 1.0f / sum;
  for (std::size_t i = 0; i < n; ++i) x[i] *= inverse;
  return static_cast<double>(most) + std::log(static_cast<double>(sum));
}

void DotRowsT(const float* q, std::size_t n, const float* rows, std::size_t stride,
              std::size_t count, float scale, float* out) {
  for (std::size_t i = 0; i < count; ++i) out[i] = scale * DotOf(q, rows + i * stride, n);
}

void AddScaledRowsT(const float* rows, std::size_t stride, std::size_t count, const float* weights,
                    std::size_t n, float* out) {
  const std::size_t lanes = hn::Lanes(D());
  std::size_t k = 0;
  for (; k + lanes <= n; k += lanes) {
    V acc = hn::LoadU(D(), out + k);
    for (std::size_t i = 0; i < count; ++i) {
      acc = hn::MulAdd(hn::Set(D(), weights[i]), hn::LoadU(D(), rows + i * stride + k), acc);
    }
    hn::StoreU(acc, D(), out + k);
  }
  for (; k < n; ++k) {
    for (std::size_t i = 0; i < count; ++i) out[k] += weights[i] * rows[i * stride + k];
  }
}

float SumOfT(const float* x, std::size_t n) {
  constexpr std::size_t kChains = 8;
  const std::size_t lanes = hn::Lanes(D());
  Vectors<D, kChains> acc;
  for (std::size_t c = 0; c < kChains; ++c) acc.Set(c, hn::Zero(D()));
  std::size_t k = 0;
  for (; k + kChains * lanes <= n; k += kChains * lanes) {
    for (std::size_t c = 0; c < kChains; ++c) {
      acc.Set(c, hn::Add(acc.Get(c), hn::LoadU(D(), x + k + c * lanes)));
    }
  }
  float sum = 0;
  for (std::size_t c = 0; c < kChains; ++c) {
    sum += hn::GetLane(hn::SumOfLanes(D(), acc.Get(c)));
  }
  for (; k < n; ++k) sum += x[k];
  return sum;
}

}  // namespace HWY_NAMESPACE
}  // namespace txvm::vm
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace txvm::vm {

TXVM_SIMD_EXPORT(MultiplyRowsT);
TXVM_SIMD_EXPORT(WidenRowT);
TXVM_SIMD_EXPORT(RmsNormT);
TXVM_SIMD_EXPORT(SiluMultiplyT);
TXVM_SIMD_EXPORT(SigmoidT);
TXVM_SIMD_EXPORT(SoftmaxT);
TXVM_SIMD_EXPORT(DotRowsT);
TXVM_SIMD_EXPORT(AddScaledRowsT);
TXVM_SIMD_EXPORT(RoundRowToBf16T);
TXVM_SIMD_EXPORT(SumOfT);

void MultiplyRows(const WeightRows& w, const float* x, std::size_t tokens, float* y,
                  std::size_t y_stride) {
  TXVM_SIMD_DISPATCH(MultiplyRowsT)(w, x, tokens, y, y_stride);
}

void WidenRow(WeightFormat format, const std::uint8_t* row, std::size_t n, float* to) {
  TXVM_SIMD_DISPATCH(WidenRowT)(format, row, n, to);
}

void RmsNorm(const float* x, const float* weight, float epsilon, std::size_t n, float* out) {
  TXVM_SIMD_DISPATCH(RmsNormT)(x, weight, epsilon, n, out);
}

void SiluMultiply(float* gate, const float* up, std::size_t n) {
  TXVM_SIMD_DISPATCH(SiluMultiplyT)(gate, up, n);
}

void Sigmoid(float* x, std::size_t n) { TXVM_SIMD_DISPATCH(SigmoidT)(x, n); }

double Softmax(float* x, std::size_t n) { return TXVM_SIMD_DISPATCH(SoftmaxT)(x, n); }

void DotRows(const float* q, std::size_t n, const float* rows, std::size_t stride,
             std::size_t count, float scale, float* out) {
  TXVM_SIMD_DISPATCH(DotRowsT)(q, n, rows, stride, count, scale, out);
}

void AddScaledRows(const float* rows, std::size_t stride, std::size_t count, const float* weights,
                   std::size_t n, float* out) {
  TXVM_SIMD_DISPATCH(AddScaledRowsT)(rows, stride, count, weights, n, out);
}

void RoundRowToBf16(const float* from, std::size_t n, std::uint16_t* to) {
  TXVM_SIMD_DISPATCH(RoundRowToBf16T)(from, n, to);
}

float SumOf(const float* x, std::size_t n) { return TXVM_SIMD_DISPATCH(SumOfT)(x, n); }

}  // namespace txvm::vm
#endif

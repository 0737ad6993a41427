// NOTATION  A vector element a is split into halves a = a0 + 2^32 a1, the other factor x into limbs
//           x = x0 + 2^22 x1 + 2^44 x2 of 22, 22 and 20 bits. x' = 2^32 x mod p, split likewise.
// FACTS     (1) a x = sum over l of 2^(22 l) (a0 x_l + a1 x'_l)  (mod p).
//           (2) Every product is below 2^32 * 2^22 = 2^54, so 1,024 of them fit 64 bits: neither
//           reduction nor carry inside a block of 512 columns. Six multiplications and six
//           additions per product, against seventeen operations for four products with carries.
//           (3) The three sums of a block combine in 128 bits: 2^64 * 2^44 < 2^109.
#include "vm/tensor/goldilocks_kernels.h"

#include <algorithm>
#include <array>

#include "isa/support/result.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "vm/tensor/goldilocks_kernels.cc"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"
#include "vm/tensor/simd_target.h"
#include "vm/tensor/vectors-inl.h"

HWY_BEFORE_NAMESPACE();
namespace txvm::vm::goldilocks {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using D = hn::ScalableTag<std::uint64_t>;
using V = hn::Vec<D>;

using vm::HWY_NAMESPACE::Vectors;

constexpr std::size_t kLimbs = 3;
constexpr int kLimbBits = 22;
constexpr std::uint64_t kLimbMask = (std::uint64_t{1} << kLimbBits) - 1;
constexpr std::size_t kBlock = 512;  // columns between reductions, by fact (2)

// The product of the low 32 bits of each lane.
HWY_INLINE V MulLow(V a, V b) {
#if HWY_TARGET == HWY_SCALAR
  const V mask = hn::Set(D(), kEpsilon);
  return hn::Mul(hn::And(a, mask), hn::And(b, mask));
#else
  const hn::Repartition<std::uint32_t, D> d32;
  return hn::MulEven(hn::BitCast(d32, a), hn::BitCast(d32, b));
#endif
}

HWY_INLINE V CanonicalLanes(V a) {
  const V p = hn::Set(D(), kPrime);
  return hn::IfThenElse(hn::Lt(a, p), a, hn::Sub(a, p));
}

HWY_INLINE V AddLanes(V a, V b) {
  const V gap = hn::Sub(hn::Set(D(), kPrime), b);
  return hn::IfThenElse(hn::Lt(a, gap), hn::Add(a, b), hn::Sub(a, gap));
}

HWY_INLINE V SubLanes(V a, V b) {
  const V difference = hn::Sub(a, b);
  return hn::IfThenElse(hn::Lt(a, b), hn::Add(difference, hn::Set(D(), kPrime)), difference);
}

// Reduce128 of vm/tensor/goldilocks.h, lane by lane.
HWY_INLINE V ReduceLanes(V hi, V lo) {
  const V eps = hn::Set(D(), kEpsilon);
  const V top = hn::ShiftRight<32>(hi);
  const V low = hn::Sub(lo, top);
  const V borrowed = hn::Sub(low, hn::IfThenElseZero(hn::Lt(lo, top), eps));
  const V hi_low = hn::And(hi, eps);
  const V middle = hn::Sub(hn::ShiftLeft<32>(hi_low), hi_low);
  const V sum = hn::Add(borrowed, middle);
  return CanonicalLanes(hn::Add(sum, hn::IfThenElseZero(hn::Lt(sum, middle), eps)));
}

HWY_INLINE V MulLanes(V a, V b) {
  const V eps = hn::Set(D(), kEpsilon);
  const V a1 = hn::ShiftRight<32>(a);
  const V b1 = hn::ShiftRight<32>(b);
  const V low = MulLow(a, b);
  const V cross = hn::Add(MulLow(a, b1), hn::ShiftRight<32>(low));
  const V other = hn::Add(MulLow(a1, b), hn::And(cross, eps));
  const V high =
      hn::Add(MulLow(a1, b1), hn::Add(hn::ShiftRight<32>(cross), hn::ShiftRight<32>(other)));
  return ReduceLanes(high, hn::Or(hn::ShiftLeft<32>(other), hn::And(low, eps)));
}

template <typename Lanes, typename Scalar>
HWY_INLINE void Elementwise(std::span<const Element> a, std::span<const Element> b,
                            std::span<Element> out, Lanes lanes, Scalar scalar) {
  const D d;
  const std::size_t step = hn::Lanes(d);
  std::size_t i = 0;
  for (; i + step <= a.size(); i += step) {
    hn::StoreU(lanes(hn::LoadU(d, a.data() + i), hn::LoadU(d, b.data() + i)), d, out.data() + i);
  }
  for (; i < a.size(); ++i) out[i] = scalar(a[i], b[i]);
}

void AddVectorsT(std::span<const Element> a, std::span<const Element> b, std::span<Element> out) {
  Elementwise(
      a, b, out, [](V x, V y) HWY_ATTR { return AddLanes(x, y); },
      [](Element x, Element y) { return Add(x, y); });
}

void SubVectorsT(std::span<const Element> a, std::span<const Element> b, std::span<Element> out) {
  Elementwise(
      a, b, out, [](V x, V y) HWY_ATTR { return SubLanes(x, y); },
      [](Element x, Element y) { return Sub(x, y); });
}

void MulVectorsT(std::span<const Element> a, std::span<const Element> b, std::span<Element> out) {
  Elementwise(
      a, b, out, [](V x, V y) HWY_ATTR { return MulLanes(x, y); },
      [](Element x, Element y) { return Mul(x, y); });
}

// Simultaneous inversion, one chain per lane: out first holds the products of all elements before,
// then each element's inverse is the inverse of the chain so far times the product before it.
void InvertVectorT(std::span<const Element> a, std::span<Element> out) {
  const D d;
  const std::size_t step = hn::Lanes(d);
  const V zero = hn::Zero(d);
  const V one = hn::Set(d, 1);
  V chain = one;
  std::size_t i = 0;
  for (; i + step <= a.size(); i += step) {
    const V x = hn::LoadU(d, a.data() + i);
    hn::StoreU(chain, d, out.data() + i);
    chain = MulLanes(chain, hn::IfThenElse(hn::Eq(x, zero), one, x));
  }
  for (std::size_t tail = i; tail < a.size(); ++tail) out[tail] = Inverse(a[tail]);
  HWY_ALIGN std::array<Element, HWY_MAX_BYTES / sizeof(Element)> lanes{};
  hn::Store(chain, d, lanes.data());
  for (std::size_t lane = 0; lane < step; ++lane) lanes[lane] = Inverse(lanes[lane]);
  V inverse = hn::Load(d, lanes.data());
  for (; i >= step; i -= step) {
    const V x = hn::LoadU(d, a.data() + i - step);
    const auto is_zero = hn::Eq(x, zero);
    const V result = MulLanes(inverse, hn::LoadU(d, out.data() + i - step));
    hn::StoreU(hn::IfThenZeroElse(is_zero, result), d, out.data() + i - step);
    inverse = MulLanes(inverse, hn::IfThenElse(is_zero, one, x));
  }
}

// The sum of all lanes modulo 2^64.
HWY_INLINE std::uint64_t SumLanes(V v) {
#if HWY_TARGET <= HWY_AVX3
  // By halves: the compiler's own reduction of 512 bits adds signed integers, which may overflow.
  const hn::Half<D> half;
  return hn::GetLane(hn::SumOfLanes(half, hn::Add(hn::LowerHalf(half, v), hn::UpperHalf(half, v))));
#else
  return hn::GetLane(hn::SumOfLanes(D(), v));
#endif
}

// s0 + 2^22 s1 + 2^44 s2 mod p, by fact (3).
HWY_INLINE Element Combine(std::uint64_t s0, std::uint64_t s1, std::uint64_t s2) {
  return Reduce128(static_cast<Uint128>(s0) + (static_cast<Uint128>(s1) << kLimbBits) +
                   (static_cast<Uint128>(s2) << 2 * kLimbBits));
}

// One block of at most 1,024 terms: both factors are split here, so there are six sums, those of a1
// weighted by 2^32.
HWY_INLINE Element DotBlock(const Element* a, const Element* b, std::size_t n) {
  const D d;
  const std::size_t step = hn::Lanes(d);
  const V mask = hn::Set(d, kLimbMask);
  V low0 = hn::Zero(d), low1 = low0, low2 = low0, high0 = low0, high1 = low0, high2 = low0;
  std::size_t i = 0;
  for (; i + step <= n; i += step) {
    const V x = hn::LoadU(d, b + i);
    const V a0 = hn::LoadU(d, a + i);
    const V a1 = hn::ShiftRight<32>(a0);
    const V x0 = hn::And(x, mask);
    const V x1 = hn::And(hn::ShiftRight<kLimbBits>(x), mask);
    const V x2 = hn::ShiftRight<2 * kLimbBits>(x);
    low0 = hn::Add(low0, MulLow(a0, x0));
    low1 = hn::Add(low1, MulLow(a0, x1));
    low2 = hn::Add(low2, MulLow(a0, x2));
    high0 = hn::Add(high0, MulLow(a1, x0));
    high1 = hn::Add(high1, MulLow(a1, x1));
    high2 = hn::Add(high2, MulLow(a1, x2));
  }
  const Element low = Combine(SumLanes(low0), SumLanes(low1), SumLanes(low2));
  const Element high = Combine(SumLanes(high0), SumLanes(high1), SumLanes(high2));
  Element result = Add(low, Mul(high, std::uint64_t{1} << 32));
  for (; i < n; ++i) result = Add(result, Mul(a[i], b[i]));
  return result;
}

Element DotT(std::span<const Element> a, std::span<const Element> b) {
  constexpr std::size_t kTerms = 2 * kBlock;  // one product per sum and term
  Element result = 0;
  for (std::size_t i = 0; i < a.size(); i += kTerms) {
    result = Add(result, DotBlock(a.data() + i, b.data() + i, std::min(kTerms, a.size() - i)));
  }
  return result;
}

// The limbs of x and of x' = 2^32 x, for fact (1): six vectors for each vector of x, side by side.
struct SplitBlock {
  HWY_ALIGN std::array<std::uint64_t, 2 * kLimbs * kBlock> limbs;

  /// Limb l of x (l + 3: of x') in the columns from i on, a multiple of the lanes.
  HWY_INLINE std::uint64_t* At(std::size_t l, std::size_t i) {
    return &limbs[2 * kLimbs * i + l * hn::Lanes(D())];
  }
  HWY_INLINE const std::uint64_t* At(std::size_t l, std::size_t i) const {
    return &limbs[2 * kLimbs * i + l * hn::Lanes(D())];
  }
  /// The same for one column.
  HWY_INLINE std::uint64_t Of(std::size_t l, std::size_t k) const {
    const std::size_t lane = k % hn::Lanes(D());
    return At(l, k - lane)[lane];
  }
};

HWY_INLINE void StoreLimbs(V value, std::size_t first, std::size_t i, SplitBlock& block) {
  const D d;
  const V mask = hn::Set(d, kLimbMask);
  hn::Store(hn::And(value, mask), d, block.At(first, i));
  hn::Store(hn::And(hn::ShiftRight<kLimbBits>(value), mask), d, block.At(first + 1, i));
  hn::Store(hn::ShiftRight<2 * kLimbBits>(value), d, block.At(first + 2, i));
}

// 2^32 v mod p, below 2^64 but not canonical: high * 2^64 = high * (2^32 - 1), one carry at most.
HWY_INLINE V ShiftedLanes(V v) {
  const V high = hn::ShiftRight<32>(v);
  const V middle = hn::Sub(hn::ShiftLeft<32>(high), high);
  const V sum = hn::Add(hn::ShiftLeft<32>(v), middle);
  return hn::Add(sum, hn::IfThenElseZero(hn::Lt(sum, middle), hn::Set(D(), kEpsilon)));
}

// Splits n <= kBlock elements; the lanes after the last one become 0.
HWY_INLINE void Split(const Element* x, std::size_t n, SplitBlock& block) {
  const D d;
  const std::size_t step = hn::Lanes(d);
  HWY_ALIGN std::array<Element, HWY_MAX_BYTES / sizeof(Element)> tail{};
  for (std::size_t i = 0; i < n; i += step) {
    const bool whole = i + step <= n;
    if (!whole) std::copy(x + i, x + n, tail.begin());
    const V value = whole ? hn::LoadU(d, x + i) : hn::Load(d, tail.data());
    StoreLimbs(value, 0, i, block);
    StoreLimbs(ShiftedLanes(value), kLimbs, i, block);
  }
}

// s0 + 2^22 s1 + 2^44 s2 mod p, lane by lane, by fact (3).
HWY_INLINE V CombineLanes(V s0, V s1, V s2) {
  auto carry = [](V sum, V addend)
                   HWY_ATTR { return hn::IfThenElseZero(hn::Lt(sum, addend), hn::Set(D(), 1)); };
  const V part1 = hn::ShiftLeft<kLimbBits>(s1);
  const V part2 = hn::ShiftLeft<2 * kLimbBits>(s2);
  const V sum1 = hn::Add(s0, part1);
  const V sum2 = hn::Add(sum1, part2);
  const V high = hn::Add(hn::Add(hn::ShiftRight<64 - kLimbBits>(s1), carry(sum1, part1)),
                         hn::Add(hn::ShiftRight<64 - 2 * kLimbBits>(s2), carry(sum2, part2)));
  return ReduceLanes(high, sum2);
}

#if HWY_TARGET <= HWY_AVX3
// Lanes 0, 1, 4 and 5 of the result are the sums of all lanes of v[0] .. v[3].
HWY_INLINE V SumFourRows(const Vectors<D, 4>& v) {
  const D d;
  const V v0 = v.Get(0), v1 = v.Get(1), v2 = v.Get(2), v3 = v.Get(3);
  const V ab = hn::Add(hn::InterleaveLower(d, v0, v1), hn::InterleaveUpper(d, v0, v1));
  const V cd = hn::Add(hn::InterleaveLower(d, v2, v3), hn::InterleaveUpper(d, v2, v3));
  // 128-bit blocks ab0..ab3 and cd0..cd3: first halves with halves, then blocks with blocks.
  const V halves = hn::Add(hn::ConcatLowerLower(d, cd, ab), hn::ConcatUpperUpper(d, cd, ab));
  return hn::Add(halves, hn::SwapAdjacentBlocks(halves));
}
#endif

// The unreduced sums of kCount rows, one vector per row and limb.
template <std::size_t kCount>
struct RowSums {
  HWY_INLINE RowSums() {}  // NOLINT(modernize-use-equals-default): for the target's instructions
  Vectors<D, kCount> s[kLimbs];
};

// Adds one vector of columns, from column i, of every row: a[r] times x. The first vector is the
// sum.
template <bool kFirst, std::size_t kCount>
HWY_INLINE void Accumulate(const Vectors<D, kCount>& a, const SplitBlock& x, std::size_t i,
                           RowSums<kCount>& sums) {
  const D d;
  for (std::size_t l = 0; l < kLimbs; ++l) {
    const V low = hn::Load(d, x.At(l, i));
    const V high = hn::Load(d, x.At(kLimbs + l, i));
    for (std::size_t r = 0; r < kCount; ++r) {
      V sum = MulLow(a.Get(r), low);
      if constexpr (!kFirst) sum = hn::Add(sums.s[l].Get(r), sum);
      sums.s[l].Set(r, hn::Add(sum, MulLow(hn::ShiftRight<32>(a.Get(r)), high)));
    }
  }
}

// The sums of kCount rows over `n` columns. Row r begins at m + rows[r] * stride.
template <std::size_t kCount>
HWY_INLINE RowSums<kCount> SumRows(const Element* m, std::size_t stride,
                                   const std::array<std::size_t, kCount>& rows, const SplitBlock& x,
                                   std::size_t n) {
  const D d;
  const std::size_t step = hn::Lanes(d);
  RowSums<kCount> sums;
  Vectors<D, kCount> a;
  const auto load = [&](std::size_t i) HWY_ATTR {
    for (std::size_t r = 0; r < kCount; ++r) a.Set(r, hn::LoadU(d, m + rows[r] * stride + i));
  };
  const auto load_tail = [&](std::size_t i) HWY_ATTR {
    for (std::size_t r = 0; r < kCount; ++r) {
      HWY_ALIGN std::array<Element, HWY_MAX_BYTES / sizeof(Element)> tail{};
      const Element* row = m + rows[r] * stride;
      std::copy(row + i, row + n, tail.begin());
      a.Set(r, hn::Load(d, tail.data()));
    }
  };
  if (n < step) {
    load_tail(0);
    Accumulate<true>(a, x, 0, sums);
    return sums;
  }
  load(0);
  Accumulate<true>(a, x, 0, sums);
  std::size_t i = step;
  for (; i + step <= n; i += step) {
    load(i);
    Accumulate<false>(a, x, i, sums);
  }
  if (i < n) {
    load_tail(i);
    Accumulate<false>(a, x, i, sums);
  }
  return sums;
}

#if HWY_TARGET <= HWY_AVX3
constexpr std::size_t kRows = 8;

// y[r] += row r times the block, for eight rows: two passes of four, so that sums and limbs stay in
// the 32 registers, and one reduction.
HWY_INLINE void RowsTimesBlock(const Element* m, std::size_t stride, const SplitBlock& x,
                               std::size_t n, Element* y) {
  const D d;
  const RowSums<4> even = SumRows<4>(m, stride, {0, 1, 4, 5}, x, n);
  V s0 = SumFourRows(even.s[0]);
  V s1 = SumFourRows(even.s[1]);
  V s2 = SumFourRows(even.s[2]);
  const RowSums<4> odd = SumRows<4>(m, stride, {2, 3, 6, 7}, x, n);
  s0 = hn::OddEvenBlocks(SumFourRows(odd.s[0]), s0);
  s1 = hn::OddEvenBlocks(SumFourRows(odd.s[1]), s1);
  s2 = hn::OddEvenBlocks(SumFourRows(odd.s[2]), s2);
  hn::StoreU(AddLanes(hn::LoadU(d, y), CombineLanes(s0, s1, s2)), d, y);
}
#else
constexpr std::size_t kRows = 2;  // with the limbs of x, what 16 registers hold

HWY_INLINE void RowsTimesBlock(const Element* m, std::size_t stride, const SplitBlock& x,
                               std::size_t n, Element* y) {
  const RowSums<kRows> sums = SumRows<kRows>(m, stride, {0, 1}, x, n);
  for (std::size_t r = 0; r < kRows; ++r) {
    const std::uint64_t s0 = SumLanes(sums.s[0].Get(r));
    const std::uint64_t s1 = SumLanes(sums.s[1].Get(r));
    const std::uint64_t s2 = SumLanes(sums.s[2].Get(r));
    y[r] = Add(y[r], Combine(s0, s1, s2));
  }
}
#endif

HWY_INLINE void RowTimesBlock(const Element* m, const SplitBlock& x, std::size_t n, Element* y) {
  const RowSums<1> sums = SumRows<1>(m, 0, {0}, x, n);
  const std::uint64_t s0 = SumLanes(sums.s[0].Get(0));
  const std::uint64_t s1 = SumLanes(sums.s[1].Get(0));
  const std::uint64_t s2 = SumLanes(sums.s[2].Get(0));
  *y = Add(*y, Combine(s0, s1, s2));
}

void MatVecT(std::span<const Element> m, std::span<const Element> x, std::span<Element> y) {
  std::fill(y.begin(), y.end(), 0);
  const std::size_t cols = x.size();
  SplitBlock block;
  for (std::size_t begin = 0; begin < cols; begin += kBlock) {
    const std::size_t n = std::min(kBlock, cols - begin);
    Split(x.data() + begin, n, block);
    std::size_t row = 0;
    for (; row + kRows <= y.size(); row += kRows) {
      RowsTimesBlock(m.data() + row * cols + begin, cols, block, n, y.data() + row);
    }
    for (; row < y.size(); ++row) {
      RowTimesBlock(m.data() + row * cols + begin, block, n, y.data() + row);
    }
  }
}

// One vector of columns of C += (row of A, split) times B; a lane is a column, so nothing is summed
// across lanes.
HWY_INLINE V RowTimesColumns(const SplitBlock& a, const Element* b, std::size_t stride,
                             std::size_t n) {
  const D d;
  V s0 = hn::Zero(d), s1 = s0, s2 = s0;
  for (std::size_t k = 0; k < n; ++k) {
    const V b0 = hn::LoadU(d, b + k * stride);
    const V b1 = hn::ShiftRight<32>(b0);
    s0 = hn::Add(s0,
                 hn::Add(MulLow(b0, hn::Set(d, a.Of(0, k))), MulLow(b1, hn::Set(d, a.Of(3, k)))));
    s1 = hn::Add(s1,
                 hn::Add(MulLow(b0, hn::Set(d, a.Of(1, k))), MulLow(b1, hn::Set(d, a.Of(4, k)))));
    s2 = hn::Add(s2,
                 hn::Add(MulLow(b0, hn::Set(d, a.Of(2, k))), MulLow(b1, hn::Set(d, a.Of(5, k)))));
  }
  return CombineLanes(s0, s1, s2);
}

void MatMulT(std::span<const Element> a, std::span<const Element> b, std::span<Element> c,
             std::size_t rows, std::size_t inner, std::size_t cols) {
  const D d;
  const std::size_t step = hn::Lanes(d);
  std::fill(c.begin(), c.end(), 0);
  SplitBlock block;
  for (std::size_t begin = 0; begin < inner; begin += kBlock) {
    const std::size_t n = std::min(kBlock, inner - begin);
    for (std::size_t row = 0; row < rows; ++row) {
      Split(a.data() + row * inner + begin, n, block);
      Element* out = c.data() + row * cols;
      std::size_t j = 0;
      for (; j + step <= cols; j += step) {
        const V sum = RowTimesColumns(block, b.data() + begin * cols + j, cols, n);
        hn::StoreU(AddLanes(hn::LoadU(d, out + j), sum), d, out + j);
      }
      for (; j < cols; ++j) {
        for (std::size_t k = 0; k < n; ++k) {
          out[j] = Add(out[j], Mul(a[row * inner + begin + k], b[(begin + k) * cols + j]));
        }
      }
    }
  }
}

const char* TargetNameT() { return hwy::TargetName(HWY_TARGET); }

}  // namespace HWY_NAMESPACE
}  // namespace txvm::vm::goldilocks
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace txvm::vm::goldilocks {

TXVM_SIMD_EXPORT(AddVectorsT);
TXVM_SIMD_EXPORT(SubVectorsT);
TXVM_SIMD_EXPORT(MulVectorsT);
TXVM_SIMD_EXPORT(InvertVectorT);
TXVM_SIMD_EXPORT(DotT);
TXVM_SIMD_EXPORT(MatVecT);
TXVM_SIMD_EXPORT(MatMulT);
TXVM_SIMD_EXPORT(TargetNameT);

void AddVectors(std::span<const Element> a, std::span<const Element> b, std::span<Element> out) {
  TXVM_ASSERT(a.size() == b.size() && a.size() == out.size());
  TXVM_SIMD_DISPATCH(AddVectorsT)(a, b, out);
}

void SubVectors(std::span<const Element> a, std::span<const Element> b, std::span<Element> out) {
  TXVM_ASSERT(a.size() == b.size() && a.size() == out.size());
  TXVM_SIMD_DISPATCH(SubVectorsT)(a, b, out);
}

void MulVectors(std::span<const Element> a, std::span<const Element> b, std::span<Element> out) {
  TXVM_ASSERT(a.size() == b.size() && a.size() == out.size());
  TXVM_SIMD_DISPATCH(MulVectorsT)(a, b, out);
}

void InvertVector(std::span<const Element> a, std::span<Element> out) {
  TXVM_ASSERT(a.size() == out.size());
  TXVM_SIMD_DISPATCH(InvertVectorT)(a, out);
}

Element Dot(std::span<const Element> a, std::span<const Element> b) {
  TXVM_ASSERT(a.size() == b.size());
  return TXVM_SIMD_DISPATCH(DotT)(a, b);
}

void MatVec(std::span<const Element> m, std::span<const Element> x, std::span<Element> y) {
  TXVM_ASSERT(m.size() == x.size() * y.size());
  TXVM_SIMD_DISPATCH(MatVecT)(m, x, y);
}

void MatMul(std::span<const Element> a, std::span<const Element> b, std::span<Element> c,
            std::size_t rows, std::size_t inner, std::size_t cols) {
  TXVM_ASSERT(a.size() == rows * inner && b.size() == inner * cols && c.size() == rows * cols);
  TXVM_SIMD_DISPATCH(MatMulT)(a, b, c, rows, inner, cols);
}

const char* GoldilocksTarget() { return TXVM_SIMD_DISPATCH(TargetNameT)(); }

bool ChooseGoldilocksTarget(std::string_view name) {
  for (const std::int64_t target : SimdTargets()) {
    if (name != hwy::TargetName(target)) continue;
    SelectSimdTarget(target);
    return true;
  }
  return false;
}

}  // namespace txvm::vm::goldilocks
#endif

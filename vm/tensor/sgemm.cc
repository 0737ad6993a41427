// NOTATION  A panel of a holds kRows rows, a panel of b kCols columns, both stored k by k. A tile
// is
//           the kRows x kCols elements of c that two panels give.
// FACTS     (1) Tiles are computed whole and cut when stored: panels are padded with zeros, so the
//           shape of the matrices enters no sum.
//           (2) A tile is 12 accumulators, which leaves room for b and a broadcast in 16 registers
//           and hides the latency of a fused multiply-add.
#include "vm/tensor/sgemm.h"

#include <algorithm>
#include <array>
#include <vector>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "vm/tensor/sgemm.cc"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"
#include "vm/tensor/simd_target.h"

HWY_BEFORE_NAMESPACE();
namespace txvm::vm {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using D = hn::ScalableTag<float>;
using V = hn::Vec<D>;

constexpr std::size_t kRows = 6;
constexpr std::size_t kMaxLanes = HWY_MAX_BYTES / sizeof(float);

// Panel `first` of b: (k, 2 * lanes), zeros behind column n.
HWY_INLINE void PackColumns(const MatrixView& b, std::size_t k0, std::size_t k, std::size_t first,
                            std::size_t n, float* HWY_RESTRICT panel) {
  const D d;
  const std::size_t lanes = hn::Lanes(d);
  const std::size_t width = 2 * lanes;
  const std::size_t used = std::min(width, n - first);
  const float* from = b.data + k0 * b.row_stride + first * b.col_stride;
  if (used == width && b.col_stride == 1) {
    for (std::size_t i = 0; i < k; ++i, panel += width, from += b.row_stride) {
      hn::Store(hn::LoadU(d, from), d, panel);
      hn::Store(hn::LoadU(d, from + lanes), d, panel + lanes);
    }
    return;
  }
  // Along k inside: a transposed b is read in the order in which it lies.
  for (std::size_t j = 0; j < used; ++j, from += b.col_stride) {
    for (std::size_t i = 0; i < k; ++i) panel[i * width + j] = from[i * b.row_stride];
  }
  for (std::size_t i = 0; i < k; ++i) {
    for (std::size_t j = used; j < width; ++j) panel[i * width + j] = 0;
  }
}

// The panel of a from row `first`: (k, kRows), zeros behind row m.
HWY_INLINE void PackRows(const MatrixView& a, std::size_t k0, std::size_t k, std::size_t first,
                         std::size_t m, float* HWY_RESTRICT panel) {
  const std::size_t used = std::min(kRows, m - first);
  const float* from = a.data + first * a.row_stride + k0 * a.col_stride;
  if (used == kRows) {  // the count is a constant here, which unrolls the copy
    for (std::size_t i = 0; i < k; ++i, panel += kRows, from += a.col_stride) {
      for (std::size_t r = 0; r < kRows; ++r) panel[r] = from[r * a.row_stride];
    }
    return;
  }
  for (std::size_t i = 0; i < k; ++i, panel += kRows, from += a.col_stride) {
    for (std::size_t r = 0; r < used; ++r) panel[r] = from[r * a.row_stride];
    for (std::size_t r = used; r < kRows; ++r) panel[r] = 0;
  }
}

HWY_INLINE void StoreRow(V left, V right, std::size_t used, bool add, float* c) {
  const D d;
  const std::size_t lanes = hn::Lanes(d);
  if (used == 2 * lanes) {
    if (add) {
      left = hn::Add(hn::LoadU(d, c), left);
      right = hn::Add(hn::LoadU(d, c + lanes), right);
    }
    hn::StoreU(left, d, c);
    hn::StoreU(right, d, c + lanes);
    return;
  }
  HWY_ALIGN std::array<float, 2 * kMaxLanes> row;
  hn::Store(left, d, row.data());
  hn::Store(right, d, row.data() + lanes);
  for (std::size_t j = 0; j < used; ++j) c[j] = add ? c[j] + row[j] : row[j];
}

HWY_INLINE void Tile(const float* HWY_RESTRICT a, const float* HWY_RESTRICT b, std::size_t k,
                     float* c, std::size_t c_stride, std::size_t rows, std::size_t cols, bool add) {
  const D d;
  const std::size_t lanes = hn::Lanes(d);
  V acc[kRows][2];
  for (std::size_t r = 0; r < kRows; ++r) acc[r][0] = acc[r][1] = hn::Zero(d);
  for (std::size_t i = 0; i < k; ++i, a += kRows, b += 2 * lanes) {
    const V left = hn::Load(d, b);
    const V right = hn::Load(d, b + lanes);
    for (std::size_t r = 0; r < kRows; ++r) {
      const V factor = hn::Set(d, a[r]);
      acc[r][0] = hn::MulAdd(factor, left, acc[r][0]);
      acc[r][1] = hn::MulAdd(factor, right, acc[r][1]);
    }
  }
  for (std::size_t r = 0; r < rows; ++r) {
    StoreRow(acc[r][0], acc[r][1], cols, add, c + r * c_stride);
  }
}

void SgemmT(const MatrixView& a, const MatrixView& b, float* c, std::size_t c_stride, std::size_t m,
            std::size_t n, std::size_t k, bool accumulate) {
  // Packing room of this thread, reused from call to call.
  static thread_local std::vector<float> room;
  const std::size_t width = 2 * hn::Lanes(D());
  const std::size_t panels = (n + width - 1) / width;
  const std::size_t block = std::min(k, kSgemmBlock);
  room.resize(panels * block * width + block * kRows + kMaxLanes);
  float* packed_b = room.data();
  while (reinterpret_cast<std::uintptr_t>(packed_b) % (kMaxLanes * sizeof(float)) != 0) ++packed_b;
  float* packed_a = packed_b + panels * block * width;
  for (std::size_t k0 = 0; k0 < k; k0 += block) {
    const std::size_t depth = std::min(block, k - k0);
    const bool add = accumulate || k0 > 0;
    for (std::size_t p = 0; p < panels; ++p) {
      PackColumns(b, k0, depth, p * width, n, packed_b + p * depth * width);
    }
    for (std::size_t row = 0; row < m; row += kRows) {
      PackRows(a, k0, depth, row, m, packed_a);
      for (std::size_t p = 0; p < panels; ++p) {
        Tile(packed_a, packed_b + p * depth * width, depth, c + row * c_stride + p * width,
             c_stride, std::min(kRows, m - row), std::min(width, n - p * width), add);
      }
    }
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace txvm::vm
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace txvm::vm {

TXVM_SIMD_EXPORT(SgemmT);

void Sgemm(const MatrixView& a, const MatrixView& b, float* c, std::size_t c_stride, std::size_t m,
           std::size_t n, std::size_t k, bool accumulate) {
  TXVM_SIMD_DISPATCH(SgemmT)(a, b, c, c_stride, m, n, k, accumulate);
}

}  // namespace txvm::vm
#endif

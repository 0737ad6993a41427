// NOTATION  A panel of a holds kRows rows: kGroups groups one after the other, each k by k of
//           kGroup rows. A panel of b holds kCols vectors of columns, k by k. A tile is what two
//           panels give of c.
// FACTS     (1) Tiles are computed whole and cut when stored: panels are padded with zeros, so the
//           shape of the matrices enters no sum. At the last rows a tile has fewer groups.
//           (2) A tile of three groups fills the registers but for b and a broadcast: 12 of 16
//           accumulate, or 24 of 32. That hides the latency of a fused multiply-add and leaves
//           most of the bandwidth of loads unused. A group is what one interleaving store writes.
#include "vm/tensor/sgemm.h"

#include <algorithm>
#include <array>
#include <vector>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "vm/tensor/sgemm.cc"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"
#include "vm/tensor/simd_target.h"
#include "vm/tensor/vectors-inl.h"

HWY_BEFORE_NAMESPACE();
namespace txvm::vm {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using D = hn::ScalableTag<float>;
using V = hn::Vec<D>;

// Targets with 32 registers take rows of four to a group; the others of two.
constexpr std::size_t kGroup = HWY_TARGET <= HWY_AVX3 || HWY_ARCH_ARM_A64 ? 4 : 2;
constexpr std::size_t kGroups = 3, kCols = 2;
constexpr std::size_t kRows = kGroups * kGroup;
constexpr std::size_t kMaxLanes = HWY_MAX_BYTES / sizeof(float);

// Columns of a transposed b that are packed at once.
constexpr std::size_t kPacked = 4;

// kPacked columns, each in one piece from `col_stride` on, into rows `width` apart.
HWY_INLINE void PackTransposed(const float* HWY_RESTRICT from, std::size_t col_stride,
                               std::size_t k, std::size_t width, float* HWY_RESTRICT to) {
  const D d;
  const std::size_t lanes = hn::Lanes(d);
  HWY_ALIGN std::array<float, kPacked * kMaxLanes> rows;
  std::size_t i = 0;
  for (; i + lanes <= k; i += lanes) {
    hn::StoreInterleaved4(hn::LoadU(d, from + i), hn::LoadU(d, from + col_stride + i),
                          hn::LoadU(d, from + 2 * col_stride + i),
                          hn::LoadU(d, from + 3 * col_stride + i), d, rows.data());
    for (std::size_t r = 0; r < lanes; ++r, to += width) {
      std::copy_n(rows.data() + r * kPacked, kPacked, to);
    }
  }
  for (; i < k; ++i, to += width) {
    for (std::size_t j = 0; j < kPacked; ++j) to[j] = from[j * col_stride + i];
  }
}

// The panel of b from column `first`: (k, kCols * lanes), zeros after column n.
HWY_INLINE void PackColumns(const MatrixView& b, std::size_t k0, std::size_t k, std::size_t first,
                            std::size_t n, float* HWY_RESTRICT panel) {
  const D d;
  const std::size_t lanes = hn::Lanes(d);
  const std::size_t width = kCols * lanes;
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
  std::size_t j = 0;
  if (b.row_stride == 1) {
    for (; j + kPacked <= used; j += kPacked, from += kPacked * b.col_stride) {
      PackTransposed(from, b.col_stride, k, width, panel + j);
    }
  }
  for (; j < used; ++j, from += b.col_stride) {
    for (std::size_t i = 0; i < k; ++i) panel[i * width + j] = from[i * b.row_stride];
  }
  if (used == width) return;
  for (std::size_t i = 0; i < k; ++i) {
    for (j = used; j < width; ++j) panel[i * width + j] = 0;
  }
}

// One whole group of a row-major a: (k, kGroup).
HWY_INLINE void PackGroup(const float* HWY_RESTRICT from, std::size_t row_stride, std::size_t k,
                          float* HWY_RESTRICT group) {
  const D d;
  const std::size_t lanes = hn::Lanes(d);
  std::size_t i = 0;
  for (; i + lanes <= k; i += lanes, group += lanes * kGroup) {
    const V row0 = hn::LoadU(d, from + i);
    const V row1 = hn::LoadU(d, from + row_stride + i);
    if constexpr (kGroup == 4) {
      const V row2 = hn::LoadU(d, from + 2 * row_stride + i);
      const V row3 = hn::LoadU(d, from + 3 * row_stride + i);
      hn::StoreInterleaved4(row0, row1, row2, row3, d, group);
    } else {
      hn::StoreInterleaved2(row0, row1, d, group);
    }
  }
  for (; i < k; ++i, group += kGroup) {
    for (std::size_t r = 0; r < kGroup; ++r) group[r] = from[r * row_stride + i];
  }
}

// The panel of a from row `first`, zeros after row m; of its groups those that have a row.
HWY_INLINE void PackRows(const MatrixView& a, std::size_t k0, std::size_t k, std::size_t first,
                         std::size_t m, float* HWY_RESTRICT panel) {
  const std::size_t end = std::min(first + kRows, m);
  for (; first < end; first += kGroup, panel += k * kGroup) {
    const std::size_t used = std::min(kGroup, m - first);
    const float* from = a.data + first * a.row_stride + k0 * a.col_stride;
    if (used == kGroup && a.col_stride == 1) {
      PackGroup(from, a.row_stride, k, panel);
    } else if (used == kGroup) {  // the count is a constant here, which unrolls the copy
      float* to = panel;
      for (std::size_t i = 0; i < k; ++i, to += kGroup, from += a.col_stride) {
        for (std::size_t r = 0; r < kGroup; ++r) to[r] = from[r * a.row_stride];
      }
    } else {
      float* to = panel;
      for (std::size_t i = 0; i < k; ++i, to += kGroup, from += a.col_stride) {
        for (std::size_t r = 0; r < used; ++r) to[r] = from[r * a.row_stride];
        for (std::size_t r = used; r < kGroup; ++r) to[r] = 0;
      }
    }
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

template <std::size_t kUsed>  // groups
HWY_INLINE void Tile(const float* HWY_RESTRICT a, const float* HWY_RESTRICT b, std::size_t k,
                     float* c, std::size_t c_stride, std::size_t rows, std::size_t cols, bool add) {
  const D d;
  const std::size_t lanes = hn::Lanes(d);
  Vectors<D, kUsed * kGroup> lefts, rights;
  for (std::size_t r = 0; r < kUsed * kGroup; ++r) {
    lefts.Set(r, hn::Zero(d));
    rights.Set(r, hn::Zero(d));
  }
  for (std::size_t i = 0; i < k; ++i, a += kGroup, b += kCols * lanes) {
    const V left = hn::Load(d, b);
    const V right = hn::Load(d, b + lanes);
    for (std::size_t r = 0; r < kUsed * kGroup; ++r) {
      const V factor = hn::Set(d, a[r / kGroup * kGroup * k + r % kGroup]);
      lefts.Set(r, hn::MulAdd(factor, left, lefts.Get(r)));
      rights.Set(r, hn::MulAdd(factor, right, rights.Get(r)));
    }
  }
  for (std::size_t r = 0; r < rows; ++r) {
    StoreRow(lefts.Get(r), rights.Get(r), cols, add, c + r * c_stride);
  }
}

void SgemmT(const MatrixView& a, const MatrixView& b, float* c, std::size_t c_stride, std::size_t m,
            std::size_t n, std::size_t k, bool accumulate) {
  // Packing room of this thread, reused from call to call.
  static thread_local std::vector<float> room;
  const std::size_t width = kCols * hn::Lanes(D());
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
        const float* panel = packed_b + p * depth * width;
        float* to = c + row * c_stride + p * width;
        const std::size_t rows = std::min(kRows, m - row), cols = std::min(width, n - p * width);
        if (rows > 2 * kGroup) {
          Tile<3>(packed_a, panel, depth, to, c_stride, rows, cols, add);
        } else if (rows > kGroup) {
          Tile<2>(packed_a, panel, depth, to, c_stride, rows, cols, add);
        } else {
          Tile<1>(packed_a, panel, depth, to, c_stride, rows, cols, add);
        }
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

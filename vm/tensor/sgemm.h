// Single-precision matrix products whose bits depend on nothing but whether the SIMD target fuses a
// product and a sum: what training needs to be repeatable. One thread; callers split the work.
#pragma once

#include <cstddef>

namespace txvm::vm {

/// A matrix in memory: element (i, j) at data[i * row_stride + j * col_stride].
struct MatrixView {
  const float* data;
  std::size_t row_stride, col_stride;
};

/// Row-major with `cols` columns, and its transpose.
inline MatrixView Plain(const float* data, std::size_t cols) { return {data, cols, 1}; }
inline MatrixView Transposed(const float* data, std::size_t cols) { return {data, 1, cols}; }

/// c = a * b, or c += a * b if `accumulate`. a: (m, k), b: (k, n), c: (m, n) row-major with rows
/// c_stride apart, not overlapping a or b. Each element is one chain of fused multiply-adds over
/// k in blocks of kSgemmBlock; blocks are added in order.
void Sgemm(const MatrixView& a, const MatrixView& b, float* c, std::size_t c_stride, std::size_t m,
           std::size_t n, std::size_t k, bool accumulate);

inline constexpr std::size_t kSgemmBlock = 512;

}  // namespace txvm::vm

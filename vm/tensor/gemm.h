// Single-precision matrix products through oneDNN, which is loaded when the first product is asked
// for: programs that need none do not pay for it.
#pragma once

#include <cstddef>
#include <string_view>

namespace txvm::vm {

/// c = a * b^T + beta * c.  a: (m, k), b: (n, k), c: (m, n), row-major, any alignment, m, n, k >=
/// 1, beta 0 or 1. The order of additions is unspecified: callers that need exact results bound
/// their sums (weights/bounds.h). Thread-safe.
void MultiplyTransposed(const float* a, const float* b, float* c, std::size_t m, std::size_t n,
                        std::size_t k, float beta);

/// The same with plain loops.
void MultiplyTransposedPlain(const float* a, const float* b, float* c, std::size_t m, std::size_t n,
                             std::size_t k, float beta);

/// "oneDNN", or "plain loops" where libdnnl is not installed.
std::string_view GemmName();

}  // namespace txvm::vm

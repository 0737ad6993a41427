// Declared in vm/tensor/gemm.h.
#include "vm/tensor/gemm.h"

namespace txvm::vm {

void MultiplyTransposedPlain(const float* a, const float* b, float* c, std::size_t m, std::size_t n,
                             std::size_t k, float beta) {
  for (std::size_t i = 0; i < m; ++i) {
    for (std::size_t j = 0; j < n; ++j) {
      float sum = 0;
      for (std::size_t l = 0; l < k; ++l) sum += a[i * k + l] * b[j * k + l];
      c[i * n + j] = sum + (beta == 0 ? 0 : c[i * n + j]);
    }
  }
}

}  // namespace txvm::vm

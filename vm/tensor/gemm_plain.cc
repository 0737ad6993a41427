// Declared in vm/tensor/gemm.h.
// Where oneDNN cannot be: every product is plain loops.
#include "vm/tensor/gemm.h"

namespace txvm::vm {

void MultiplyTransposed(const float* a, const float* b, float* c, std::size_t m, std::size_t n,
                        std::size_t k, float beta) {
  MultiplyTransposedPlain(a, b, c, m, n, k, beta);
}

std::string_view GemmName() { return "plain loops"; }

}  // namespace txvm::vm

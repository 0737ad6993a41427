#include "vm/tensor/gemm.h"

#include <dnnl.h>

#include "isa/support/result.h"
#include "vm/tensor/dnnl_library.h"

namespace txvm::vm {
namespace {

using Sgemm = decltype(&dnnl_sgemm);

Sgemm TheSgemm() {
  static const auto sgemm = reinterpret_cast<Sgemm>(DnnlSymbol("dnnl_sgemm"));
  UseOneDnnlThread();
  return sgemm;
}

}  // namespace

void MultiplyTransposed(const float* a, const float* b, float* c, std::size_t m, std::size_t n,
                        std::size_t k, float beta) {
  const Sgemm sgemm = TheSgemm();
  if (sgemm == nullptr) return MultiplyTransposedPlain(a, b, c, m, n, k, beta);
  const auto size = [](std::size_t count) { return static_cast<dnnl_dim_t>(count); };
  const dnnl_status_t status =
      sgemm('N', 'T', size(m), size(n), size(k), 1.0f, a, size(k), b, size(k), beta, c, size(n));
  TXVM_ASSERT(status == dnnl_success);
}

std::string_view GemmName() { return TheSgemm() == nullptr ? "plain loops" : "oneDNN"; }

}  // namespace txvm::vm

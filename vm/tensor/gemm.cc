#include "vm/tensor/gemm.h"

#include <dlfcn.h>
#include <dnnl.h>

#include "isa/result.h"

namespace txvm::vm {
namespace {

using Sgemm = decltype(&dnnl_sgemm);

// The library version whose header this was compiled with: its C interface is stable within it.
struct Library {
  Sgemm sgemm = nullptr;
  void (*set_threads)(int) = nullptr;
};

Library Load() {
  Library library;
  void* handle = dlopen("libdnnl.so.2", RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) return library;
  library.sgemm = reinterpret_cast<Sgemm>(dlsym(handle, "dnnl_sgemm"));
  library.set_threads = reinterpret_cast<void (*)(int)>(dlsym(handle, "omp_set_num_threads"));
  return library;
}

Sgemm TheSgemm() {
  static const Library library = Load();
  // One thread for each caller: a pass is many small products, and waiting for a second core costs
  // more than it gives. Callers that have several cores call from several threads.
  thread_local const bool set = [] {
    if (library.set_threads != nullptr) library.set_threads(1);
    return true;
  }();
  static_cast<void>(set);
  return library.sgemm;
}

}  // namespace

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

#include "vm/tensor/dnnl_library.h"

#include "isa/support/system/dynamic_library.h"

namespace txvm::vm {

void* DnnlSymbol(const char* name) {
  // The library version whose header gemm.cc was compiled with: its C interface is stable in it.
  static void* const handle = isa::OpenLibrary("libdnnl.so.2");
  return handle == nullptr ? nullptr : isa::LibrarySymbol(handle, name);
}

void UseOneDnnlThread() {
  // One thread for each caller: a pass is many small products, and waiting for a second core costs
  // more than it gives. Callers that have several cores call from several threads.
  thread_local const bool set = [] {
    const auto set_threads = reinterpret_cast<void (*)(int)>(DnnlSymbol("omp_set_num_threads"));
    if (set_threads != nullptr) set_threads(1);
    return true;
  }();
  static_cast<void>(set);
}

}  // namespace txvm::vm

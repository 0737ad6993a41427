// Which compiled SIMD target the kernels run on.
//
// Highway compiles each kernel for several targets; its own run-time choice lives in libhwy, whose
// loading measures the timer for some 4 ms, longer than a short program runs. The choice is made
// here instead, so that nothing of libhwy is loaded.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace txvm::vm {

/// Targets (bits as in hwy/detect_targets.h) that are compiled in and that this processor has, best
/// first. Never empty.
std::vector<std::int64_t> SimdTargets();

/// Makes every kernel run on one of SimdTargets(); 0 restores the best. Thread-safe, but meant for
/// tests and benchmarks.
void SelectSimdTarget(std::int64_t target);

/// Position of the selected target in a dispatch table of TXVM_SIMD_EXPORT. One relaxed load.
std::size_t SimdTargetIndex();

}  // namespace txvm::vm

// In the HWY_ONCE part of a multi-target unit: TXVM_SIMD_EXPORT(Kernel); then
// TXVM_SIMD_DISPATCH(Kernel)(arguments).
#define TXVM_SIMD_EXPORT(kernel)                                \
  static decltype(&HWY_STATIC_DISPATCH(kernel))                 \
      const k##kernel##Targets[HWY_MAX_DYNAMIC_TARGETS + 2] = { \
          nullptr, HWY_CHOOSE_TARGET_LIST(kernel), HWY_CHOOSE_FALLBACK(kernel)}
#define TXVM_SIMD_DISPATCH(kernel) (*k##kernel##Targets[::txvm::vm::SimdTargetIndex()])

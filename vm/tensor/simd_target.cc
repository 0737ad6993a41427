#include "vm/tensor/simd_target.h"

#include <atomic>
#include <bit>

#include "hwy/highway.h"

namespace txvm::vm {
namespace {

/// Targets whose instructions this processor and its operating system support, compiled in or not.
std::int64_t Detected() {
  std::int64_t targets = HWY_STATIC_TARGET | HWY_SCALAR | HWY_EMU128;
#if HWY_ARCH_X86
  // Highway's own conditions for 1.0: a target needs all of its instruction sets.
  const bool ssse3 = __builtin_cpu_supports("ssse3");
  const bool sse4 = ssse3 && __builtin_cpu_supports("sse4.2") && __builtin_cpu_supports("aes") &&
                    __builtin_cpu_supports("pclmul");
  const bool avx2 = sse4 && __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi") &&
                    __builtin_cpu_supports("bmi2") && __builtin_cpu_supports("fma") &&
                    __builtin_cpu_supports("f16c") && __builtin_cpu_supports("lzcnt");
  const bool avx3 = avx2 && __builtin_cpu_supports("avx512f") &&
                    __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512dq") &&
                    __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512cd");
  if (ssse3) targets |= HWY_SSSE3;
  if (sse4) targets |= HWY_SSE4;
  if (avx2) targets |= HWY_AVX2;
  if (avx3) targets |= HWY_AVX3;
#endif
  return targets;
}

std::size_t IndexOf(std::int64_t targets) {
  const std::int64_t mask =
      HWY_CHOSEN_TARGET_SHIFT(targets & HWY_TARGETS) | HWY_CHOSEN_TARGET_MASK_SCALAR;
  return static_cast<std::size_t>(std::countr_zero(static_cast<std::uint64_t>(mask)));
}

// 0 until the first use; then the index of the selected target.
std::atomic<std::size_t> selected{0};

}  // namespace

std::vector<std::int64_t> SimdTargets() {
  std::vector<std::int64_t> targets;
  // A better target has a lower bit.
  for (std::uint64_t left = static_cast<std::uint64_t>(Detected() & HWY_TARGETS); left != 0;
       left &= left - 1) {
    targets.push_back(static_cast<std::int64_t>(left & (~left + 1)));
  }
  return targets;
}

void SelectSimdTarget(std::int64_t target) {
  selected.store(IndexOf(target == 0 ? Detected() : target), std::memory_order_relaxed);
}

std::size_t SimdTargetIndex() {
  const std::size_t index = selected.load(std::memory_order_relaxed);
  if (index != 0) [[likely]]
    return index;
  SelectSimdTarget(0);
  return selected.load(std::memory_order_relaxed);
}

}  // namespace txvm::vm

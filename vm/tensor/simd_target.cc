#include "vm/tensor/simd_target.h"

#include <atomic>
#include <bit>

#include "hwy/highway.h"

#if HWY_ARCH_ARM_A64 && HWY_OS_LINUX
#include <sys/auxv.h>
#include <sys/prctl.h>
#endif

namespace txvm::vm {
namespace {

#if HWY_ARCH_ARM_A64 && HWY_OS_LINUX
/// The targets of SVE: two of them are for vectors of one length, the others for any.
std::int64_t DetectedSve() {
  if ((getauxval(AT_HWCAP) & HWCAP_SVE) == 0) return 0;
  const int length = prctl(PR_SVE_GET_VL);
  if (length < 0) return 0;
  const std::size_t bytes = static_cast<std::size_t>(length) & PR_SVE_VL_LEN_MASK;
  if (!std::has_single_bit(bytes)) return 0;  // kernels cut blocks of 2^n lanes into vectors
  const std::uint64_t more = getauxval(AT_HWCAP2);
  const bool sve2 = (more & HWCAP2_SVE2) != 0 && (more & HWCAP2_SVEAES) != 0;
  std::int64_t targets = HWY_SVE;
  if (sve2) targets |= HWY_SVE2;
  if (sve2 && bytes == 16) targets |= HWY_SVE2_128;
  if (bytes == 32) targets |= HWY_SVE_256;
  return targets;
}
#endif

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
#if HWY_ARCH_ARM_A64 && HWY_OS_LINUX
  targets |= DetectedSve();
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

// An array of vectors, for one Highway target. Vectors of SVE have no size that is known when
// compiling, so that they can be neither elements nor members: there the array lies in memory.

#if defined(TXVM_VM_TENSOR_VECTORS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef TXVM_VM_TENSOR_VECTORS_INL_H_
#undef TXVM_VM_TENSOR_VECTORS_INL_H_
#else
#define TXVM_VM_TENSOR_VECTORS_INL_H_
#endif

#include <cstddef>

#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace txvm::vm {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

/// kCount vectors of the tag D, of any value until set. Where vectors have a size, they stay in
/// registers as those of a plain array do.
template <class D, std::size_t kCount>
class Vectors {
 public:
  // Not left to the compiler: what it makes lacks the target's instructions.
  HWY_INLINE Vectors() {}  // NOLINT(modernize-use-equals-default)

#if HWY_HAVE_SCALABLE
  HWY_INLINE hn::Vec<D> Get(std::size_t i) const {
    return hn::LoadU(D(), lanes_ + i * hn::Lanes(D()));
  }
  HWY_INLINE void Set(std::size_t i, hn::Vec<D> vector) {
    hn::StoreU(vector, D(), lanes_ + i * hn::Lanes(D()));
  }

 private:
  HWY_ALIGN hn::TFromD<D> lanes_[kCount * hn::MaxLanes(D())];
#else
  HWY_INLINE hn::Vec<D> Get(std::size_t i) const { return vectors_[i]; }
  HWY_INLINE void Set(std::size_t i, hn::Vec<D> vector) { vectors_[i] = vector; }

 private:
  hn::Vec<D> vectors_[kCount];
#endif
};

// NOLINTNEXTLINE(google-readability-namespace-comments)
}  // namespace HWY_NAMESPACE
}  // namespace txvm::vm
HWY_AFTER_NAMESPACE();

#endif  // include guard

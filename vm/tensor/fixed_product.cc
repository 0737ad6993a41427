#include "vm/tensor/fixed_product.h"

#include <array>

#include "isa/support/result.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "vm/tensor/fixed_product.cc"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"
#include "vm/tensor/simd_target.h"
#include "vm/tensor/vectors-inl.h"

HWY_BEFORE_NAMESPACE();
namespace txvm::vm {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// Eight sums at once hide the latency of a fused multiply-add.
constexpr std::size_t kSums = 8;
using D = hn::CappedTag<double, kFixedBlock / kSums>;
using V = hn::Vec<D>;

// Outputs [first, first + kSums * lanes).
HWY_INLINE void Outputs(std::span<const double> factors, std::span<const std::uint16_t> rows,
                        const double* HWY_RESTRICT weights, const double* HWY_RESTRICT bias,
                        const FixedRange& range, std::size_t first, std::span<std::int32_t> out) {
  const D d;
  const std::size_t lanes = hn::Lanes(d);
  const double one = range.one;
  Vectors<D, kSums> sums;
  for (std::size_t s = 0; s < kSums; ++s) {
    sums.Set(s, bias == nullptr ? hn::Zero(d)
                                : hn::Mul(hn::LoadU(d, bias + first + s * lanes), hn::Set(d, one)));
  }
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const V factor = hn::Set(d, factors[i]);
    const double* HWY_RESTRICT row = weights + rows[i] * out.size() + first;
    for (std::size_t s = 0; s < kSums; ++s) {
      sums.Set(s, hn::MulAdd(factor, hn::LoadU(d, row + s * lanes), sums.Get(s)));
    }
  }
  const hn::Rebind<std::int32_t, D> d32;
  const V most = hn::Set(d, static_cast<double>(range.most)), least = hn::Neg(most);
  for (std::size_t s = 0; s < kSums; ++s) {
    const V rounded = hn::Round(hn::Mul(sums.Get(s), hn::Set(d, 1 / one)));
    const V clamped = hn::Min(hn::Max(rounded, least), most);
    hn::StoreU(hn::DemoteTo(d32, clamped), d32, out.data() + first + s * lanes);
  }
}

void FixedProductT(std::span<const std::int32_t> x, const double* weights, const double* bias,
                   const FixedRange& range, std::span<std::int32_t> out) {
  // The inputs that are not 0, which no branch predictor foresees.
  std::array<double, kFixedInputs> factors;
  std::array<std::uint16_t, kFixedInputs> rows;
  std::size_t used = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    factors[used] = x[i];
    rows[used] = static_cast<std::uint16_t>(i);
    used += x[i] != 0 ? 1 : 0;
  }
  const std::size_t step = kSums * hn::Lanes(D());
  for (std::size_t first = 0; first < out.size(); first += step) {
    Outputs({factors.data(), used}, {rows.data(), used}, weights, bias, range, first, out);
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace txvm::vm
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace txvm::vm {
namespace {

TXVM_SIMD_EXPORT(FixedProductT);

}  // namespace

void FixedProduct(std::span<const std::int32_t> x, const double* weights, const double* bias,
                  const FixedRange& range, std::span<std::int32_t> out) {
  TXVM_ASSERT(x.size() <= kFixedInputs && out.size() % kFixedBlock == 0);
  TXVM_SIMD_DISPATCH(FixedProductT)(x, weights, bias, range, out);
}

}  // namespace txvm::vm
#endif

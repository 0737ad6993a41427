// Declared in vector_oracle.h.
#include <bit>
#include <cstring>
#include <limits>

#include "tests/asm/routines/vector_oracle.h"

#ifdef __x86_64__
#include <immintrin.h>
#endif

namespace txvm::assembler {

#ifdef __x86_64__

namespace {

using isa::VectorOperation;
using isa::VectorRoutine;

/// A vector register; a template argument loses its attributes.
struct Vector {
  __m128i bits;
  Vector(__m128i from) : bits(from) {}  // what intrinsics return becomes one
};

#define TXVM_SSE4 __attribute__((target("sse4.2")))

// NaNs, made the machine's.
TXVM_SSE4 __m128i CanonicalSingles(__m128 x) {
  const __m128 is_nan = _mm_cmpunord_ps(x, x);
  return _mm_castps_si128(
      _mm_blendv_ps(x, _mm_set1_ps(std::numeric_limits<float>::quiet_NaN()), is_nan));
}
TXVM_SSE4 __m128i CanonicalDoubles(__m128d x) {
  const __m128d is_nan = _mm_cmpunord_pd(x, x);
  return _mm_castpd_si128(
      _mm_blendv_pd(x, _mm_set1_pd(std::numeric_limits<double>::quiet_NaN()), is_nan));
}

#define BY_BITS(b8, b16, b32, b64) \
  return row.bits == 8 ? (b8) : row.bits == 16 ? (b16) : row.bits == 32 ? (b32) : (b64)

TXVM_SSE4 std::optional<Vector> Integers(const VectorRoutine& row, __m128i a, __m128i b,
                                         __m128i c) {
  const bool is_signed = row.is_signed;
  const __m128i none = _mm_setzero_si128(), all = _mm_set1_epi32(-1);
  switch (row.operation) {
    case VectorOperation::kNot:
      return _mm_xor_si128(a, all);
    case VectorOperation::kAnd:
      return _mm_and_si128(a, b);
    case VectorOperation::kAndNot:
      return _mm_andnot_si128(b, a);
    case VectorOperation::kOr:
      return _mm_or_si128(a, b);
    case VectorOperation::kXor:
      return _mm_xor_si128(a, b);
    case VectorOperation::kBitSelect:
      return _mm_or_si128(_mm_and_si128(c, a), _mm_andnot_si128(c, b));
    case VectorOperation::kSwizzle:
      return _mm_shuffle_epi8(a, _mm_adds_epu8(b, _mm_set1_epi8(0x70)));
    case VectorOperation::kAdd:
      BY_BITS(_mm_add_epi8(a, b), _mm_add_epi16(a, b), _mm_add_epi32(a, b), _mm_add_epi64(a, b));
    case VectorOperation::kSub:
      BY_BITS(_mm_sub_epi8(a, b), _mm_sub_epi16(a, b), _mm_sub_epi32(a, b), _mm_sub_epi64(a, b));
    case VectorOperation::kNeg:
      BY_BITS(_mm_sub_epi8(none, a), _mm_sub_epi16(none, a), _mm_sub_epi32(none, a),
              _mm_sub_epi64(none, a));
    case VectorOperation::kMul:
      if (row.bits == 64) return std::nullopt;
      return row.bits == 16 ? _mm_mullo_epi16(a, b) : _mm_mullo_epi32(a, b);
    case VectorOperation::kAbs:
      if (row.bits == 64) return std::nullopt;
      BY_BITS(_mm_abs_epi8(a), _mm_abs_epi16(a), _mm_abs_epi32(a), a);
    case VectorOperation::kEq:
      BY_BITS(_mm_cmpeq_epi8(a, b), _mm_cmpeq_epi16(a, b), _mm_cmpeq_epi32(a, b),
              _mm_cmpeq_epi64(a, b));
    case VectorOperation::kGt:
      if (!is_signed) return std::nullopt;
      BY_BITS(_mm_cmpgt_epi8(a, b), _mm_cmpgt_epi16(a, b), _mm_cmpgt_epi32(a, b),
              _mm_cmpgt_epi64(a, b));
    case VectorOperation::kLt:
      if (!is_signed) return std::nullopt;
      BY_BITS(_mm_cmpgt_epi8(b, a), _mm_cmpgt_epi16(b, a), _mm_cmpgt_epi32(b, a),
              _mm_cmpgt_epi64(b, a));
    case VectorOperation::kGe: {  // the maximum is a
      if (is_signed) return std::nullopt;
      BY_BITS(_mm_cmpeq_epi8(_mm_max_epu8(a, b), a), _mm_cmpeq_epi16(_mm_max_epu16(a, b), a),
              _mm_cmpeq_epi32(_mm_max_epu32(a, b), a), a);
    }
    case VectorOperation::kLe: {
      if (is_signed) return std::nullopt;
      BY_BITS(_mm_cmpeq_epi8(_mm_min_epu8(a, b), a), _mm_cmpeq_epi16(_mm_min_epu16(a, b), a),
              _mm_cmpeq_epi32(_mm_min_epu32(a, b), a), a);
    }
    case VectorOperation::kMin:
      if (is_signed) BY_BITS(_mm_min_epi8(a, b), _mm_min_epi16(a, b), _mm_min_epi32(a, b), a);
      BY_BITS(_mm_min_epu8(a, b), _mm_min_epu16(a, b), _mm_min_epu32(a, b), a);
    case VectorOperation::kMax:
      if (is_signed) BY_BITS(_mm_max_epi8(a, b), _mm_max_epi16(a, b), _mm_max_epi32(a, b), a);
      BY_BITS(_mm_max_epu8(a, b), _mm_max_epu16(a, b), _mm_max_epu32(a, b), a);
    case VectorOperation::kAddSat:
      if (is_signed) return row.bits == 8 ? _mm_adds_epi8(a, b) : _mm_adds_epi16(a, b);
      return row.bits == 8 ? _mm_adds_epu8(a, b) : _mm_adds_epu16(a, b);
    case VectorOperation::kSubSat:
      if (is_signed) return row.bits == 8 ? _mm_subs_epi8(a, b) : _mm_subs_epi16(a, b);
      return row.bits == 8 ? _mm_subs_epu8(a, b) : _mm_subs_epu16(a, b);
    case VectorOperation::kAvgr:
      return row.bits == 8 ? _mm_avg_epu8(a, b) : _mm_avg_epu16(a, b);
    case VectorOperation::kQ15Mulr: {  // PMULHRSW, and its one overflow
      const __m128i product = _mm_mulhrs_epi16(a, b);
      return _mm_xor_si128(product, _mm_cmpeq_epi16(product, _mm_set1_epi16(-0x8000)));
    }
    case VectorOperation::kNarrow:
      if (row.bits == 8) return is_signed ? _mm_packs_epi16(a, b) : _mm_packus_epi16(a, b);
      return is_signed ? _mm_packs_epi32(a, b) : _mm_packus_epi32(a, b);
    case VectorOperation::kDot:
      return _mm_madd_epi16(a, b);
    case VectorOperation::kExtendHigh:
      a = _mm_srli_si128(a, 8);
      [[fallthrough]];
    case VectorOperation::kExtendLow:
      if (is_signed) {
        BY_BITS(a, _mm_cvtepi8_epi16(a), _mm_cvtepi16_epi32(a), _mm_cvtepi32_epi64(a));
      }
      BY_BITS(a, _mm_cvtepu8_epi16(a), _mm_cvtepu16_epi32(a), _mm_cvtepu32_epi64(a));
    case VectorOperation::kExtmulHigh:
      a = _mm_srli_si128(a, 8);
      b = _mm_srli_si128(b, 8);
      [[fallthrough]];
    case VectorOperation::kExtmulLow:
      if (is_signed) {
        BY_BITS(a, _mm_mullo_epi16(_mm_cvtepi8_epi16(a), _mm_cvtepi8_epi16(b)),
                _mm_mullo_epi32(_mm_cvtepi16_epi32(a), _mm_cvtepi16_epi32(b)),
                _mm_mul_epi32(_mm_cvtepi32_epi64(a), _mm_cvtepi32_epi64(b)));
      }
      BY_BITS(a, _mm_mullo_epi16(_mm_cvtepu8_epi16(a), _mm_cvtepu8_epi16(b)),
              _mm_mullo_epi32(_mm_cvtepu16_epi32(a), _mm_cvtepu16_epi32(b)),
              _mm_mul_epu32(_mm_cvtepu32_epi64(a), _mm_cvtepu32_epi64(b)));
    case VectorOperation::kExtadd:
      if (row.bits == 16 && is_signed) return _mm_maddubs_epi16(_mm_set1_epi8(1), a);
      if (row.bits == 16) return _mm_maddubs_epi16(a, _mm_set1_epi8(1));
      return is_signed ? std::optional<Vector>(_mm_madd_epi16(a, _mm_set1_epi16(1))) : std::nullopt;
    case VectorOperation::kAnyTrue:
      return _mm_cvtsi32_si128(_mm_testz_si128(a, a) == 0 ? 1 : 0);
    case VectorOperation::kBitmask:
      if (row.bits == 8) return _mm_cvtsi32_si128(_mm_movemask_epi8(a));
      if (row.bits == 16) {
        return _mm_cvtsi32_si128(_mm_movemask_epi8(_mm_packs_epi16(a, none)));
      }
      return _mm_cvtsi32_si128(row.bits == 32 ? _mm_movemask_ps(_mm_castsi128_ps(a))
                                              : _mm_movemask_pd(_mm_castsi128_pd(a)));
    case VectorOperation::kAllTrue: {
      const __m128i zero = row.bits == 8    ? _mm_cmpeq_epi8(a, none)
                           : row.bits == 16 ? _mm_cmpeq_epi16(a, none)
                           : row.bits == 32 ? _mm_cmpeq_epi32(a, none)
                                            : _mm_cmpeq_epi64(a, none);
      return _mm_cvtsi32_si128(_mm_testz_si128(zero, zero));
    }
    default:
      return std::nullopt;
  }
}

TXVM_SSE4 std::optional<Vector> Shifts(const VectorRoutine& row, __m128i a, std::uint32_t count) {
  const __m128i by = _mm_cvtsi32_si128(static_cast<int>(count % row.bits));
  const bool is_left = row.operation == VectorOperation::kShl;
  if (!is_left && row.operation != VectorOperation::kShr) return std::nullopt;
  if (row.bits == 8) return std::nullopt;
  if (is_left) BY_BITS(a, _mm_sll_epi16(a, by), _mm_sll_epi32(a, by), _mm_sll_epi64(a, by));
  if (!row.is_signed) BY_BITS(a, _mm_srl_epi16(a, by), _mm_srl_epi32(a, by), _mm_srl_epi64(a, by));
  if (row.bits == 64) return std::nullopt;
  return row.bits == 16 ? _mm_sra_epi16(a, by) : _mm_sra_epi32(a, by);
}

TXVM_SSE4 std::optional<Vector> Singles(const VectorRoutine& row, __m128 a, __m128 b, __m128 c) {
  switch (row.operation) {
    case VectorOperation::kFSqrt:
      return CanonicalSingles(_mm_sqrt_ps(a));
    case VectorOperation::kFCeil:
      return CanonicalSingles(_mm_ceil_ps(a));
    case VectorOperation::kFFloor:
      return CanonicalSingles(_mm_floor_ps(a));
    case VectorOperation::kFTrunc:
      return CanonicalSingles(_mm_round_ps(a, _MM_FROUND_TO_ZERO | _MM_FROUND_NO_EXC));
    case VectorOperation::kFNearest:
      return CanonicalSingles(_mm_round_ps(a, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC));
    case VectorOperation::kFAdd:
      return CanonicalSingles(_mm_add_ps(a, b));
    case VectorOperation::kFSub:
      return CanonicalSingles(_mm_sub_ps(a, b));
    case VectorOperation::kFMul:
      return CanonicalSingles(_mm_mul_ps(a, b));
    case VectorOperation::kFDiv:
      return CanonicalSingles(_mm_div_ps(a, b));
    case VectorOperation::kFPmin:
      return _mm_castps_si128(_mm_min_ps(b, a));
    case VectorOperation::kFPmax:
      return _mm_castps_si128(_mm_max_ps(b, a));
    case VectorOperation::kFEq:
      return _mm_castps_si128(_mm_cmpeq_ps(a, b));
    case VectorOperation::kFNe:
      return _mm_castps_si128(_mm_cmpneq_ps(a, b));
    case VectorOperation::kFLt:
      return _mm_castps_si128(_mm_cmplt_ps(a, b));
    case VectorOperation::kFGt:
      return _mm_castps_si128(_mm_cmpgt_ps(a, b));
    case VectorOperation::kFLe:
      return _mm_castps_si128(_mm_cmple_ps(a, b));
    case VectorOperation::kFGe:
      return _mm_castps_si128(_mm_cmpge_ps(a, b));
    case VectorOperation::kMadd:
      return CanonicalSingles(_mm_add_ps(_mm_mul_ps(a, b), c));
    case VectorOperation::kNmadd:
      return CanonicalSingles(_mm_sub_ps(c, _mm_mul_ps(a, b)));
    case VectorOperation::kPromote:
      return CanonicalDoubles(_mm_cvtps_pd(a));
    case VectorOperation::kConvert:
      if (!row.is_signed) return std::nullopt;
      return _mm_castps_si128(_mm_cvtepi32_ps(_mm_castps_si128(a)));
    default:
      return std::nullopt;
  }
}

TXVM_SSE4 std::optional<Vector> Doubles(const VectorRoutine& row, __m128d a, __m128d b, __m128d c) {
  switch (row.operation) {
    case VectorOperation::kFSqrt:
      return CanonicalDoubles(_mm_sqrt_pd(a));
    case VectorOperation::kFCeil:
      return CanonicalDoubles(_mm_ceil_pd(a));
    case VectorOperation::kFFloor:
      return CanonicalDoubles(_mm_floor_pd(a));
    case VectorOperation::kFTrunc:
      return CanonicalDoubles(_mm_round_pd(a, _MM_FROUND_TO_ZERO | _MM_FROUND_NO_EXC));
    case VectorOperation::kFNearest:
      return CanonicalDoubles(_mm_round_pd(a, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC));
    case VectorOperation::kFAdd:
      return CanonicalDoubles(_mm_add_pd(a, b));
    case VectorOperation::kFSub:
      return CanonicalDoubles(_mm_sub_pd(a, b));
    case VectorOperation::kFMul:
      return CanonicalDoubles(_mm_mul_pd(a, b));
    case VectorOperation::kFDiv:
      return CanonicalDoubles(_mm_div_pd(a, b));
    case VectorOperation::kFPmin:
      return _mm_castpd_si128(_mm_min_pd(b, a));
    case VectorOperation::kFPmax:
      return _mm_castpd_si128(_mm_max_pd(b, a));
    case VectorOperation::kFEq:
      return _mm_castpd_si128(_mm_cmpeq_pd(a, b));
    case VectorOperation::kFNe:
      return _mm_castpd_si128(_mm_cmpneq_pd(a, b));
    case VectorOperation::kFLt:
      return _mm_castpd_si128(_mm_cmplt_pd(a, b));
    case VectorOperation::kFGt:
      return _mm_castpd_si128(_mm_cmpgt_pd(a, b));
    case VectorOperation::kFLe:
      return _mm_castpd_si128(_mm_cmple_pd(a, b));
    case VectorOperation::kFGe:
      return _mm_castpd_si128(_mm_cmpge_pd(a, b));
    case VectorOperation::kMadd:
      return CanonicalDoubles(_mm_add_pd(_mm_mul_pd(a, b), c));
    case VectorOperation::kNmadd:
      return CanonicalDoubles(_mm_sub_pd(c, _mm_mul_pd(a, b)));
    case VectorOperation::kDemote:
      return CanonicalSingles(_mm_cvtpd_ps(a));
    case VectorOperation::kConvert:
      if (!row.is_signed) return std::nullopt;
      return _mm_castpd_si128(_mm_cvtepi32_pd(_mm_castpd_si128(a)));
    default:
      return std::nullopt;
  }
}

TXVM_SSE4 std::optional<Vector> Computed(const VectorRoutine& row, const VectorOperands& operands) {
  __m128i in[3];
  std::memcpy(in, operands.vectors.data(), sizeof in);
  if (auto shifted = Shifts(row, in[0], operands.count)) return shifted;
  if (auto integers = Integers(row, in[0], in[1], in[2])) return integers;
  if (row.bits == 32) {
    return Singles(row, _mm_castsi128_ps(in[0]), _mm_castsi128_ps(in[1]), _mm_castsi128_ps(in[2]));
  }
  return Doubles(row, _mm_castsi128_pd(in[0]), _mm_castsi128_pd(in[1]), _mm_castsi128_pd(in[2]));
}

}  // namespace

std::optional<VectorWords> OfProcessor(const VectorRoutine& row, const VectorOperands& operands) {
  static const bool has_vectors = __builtin_cpu_supports("sse4.2") != 0;
  if (!has_vectors) return std::nullopt;
  const std::optional<Vector> result = Computed(row, operands);
  if (!result) return std::nullopt;
  return std::bit_cast<VectorWords>(result->bits);
}

#else

std::optional<VectorWords> OfProcessor(const isa::VectorRoutine&, const VectorOperands&) {
  return std::nullopt;
}

#endif

}  // namespace txvm::assembler

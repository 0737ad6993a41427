#include "tests/asm/routines/vector_oracle.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

#include "isa/support/result.h"

namespace txvm::assembler {
namespace {

using isa::VectorOperation;
using isa::VectorRoutine;
using I64 = std::int64_t;
using U64 = std::uint64_t;

/// Lanes of one width in a vector.
struct LaneView {
  VectorWords words{};

  U64 Bits(unsigned bits, unsigned lane) const {
    std::array<U64, 2> halves{};
    std::memcpy(halves.data(), words.data(), sizeof words);
    const unsigned at = bits * lane;
    const U64 all = bits == 64 ? ~U64{0} : (U64{1} << bits) - 1;
    return halves[at / 64] >> (at % 64) & all;
  }
  I64 Integer(unsigned bits, unsigned lane, bool is_signed) const {
    const U64 value = Bits(bits, lane);
    if (!is_signed) return static_cast<I64>(value);
    const unsigned up = 64 - bits;
    return static_cast<I64>(value << up) >> up;
  }
  void Set(unsigned bits, unsigned lane, U64 value) {
    std::array<U64, 2> halves{};
    std::memcpy(halves.data(), words.data(), sizeof words);
    const unsigned at = bits * lane;
    const U64 all = bits == 64 ? ~U64{0} : (U64{1} << bits) - 1;
    halves[at / 64] &= ~(all << (at % 64));
    halves[at / 64] |= (value & all) << (at % 64);
    std::memcpy(words.data(), halves.data(), sizeof words);
  }
};

I64 Saturated(I64 value, unsigned bits, bool is_signed) {
  const I64 low = is_signed ? -(I64{1} << (bits - 1)) : 0;
  const I64 high = is_signed ? (I64{1} << (bits - 1)) - 1 : (I64{1} << bits) - 1;
  return std::clamp(value, low, high);
}

U64 AllOrNone(bool flag) { return flag ? ~U64{0} : 0; }

/// An operation on the same lane of two operands; nullopt: it is no such operation.
std::optional<U64> OnLane(const VectorRoutine& row, I64 a, I64 b) {
  const bool is_signed = row.is_signed;
  const auto less = [&](I64 x, I64 y) {
    return is_signed ? x < y : static_cast<U64>(x) < static_cast<U64>(y);
  };
  const auto ua = static_cast<U64>(a), ub = static_cast<U64>(b);
  switch (row.operation) {
    case VectorOperation::kAdd:
      return ua + ub;
    case VectorOperation::kSub:
      return ua - ub;
    case VectorOperation::kMul:
      return ua * ub;
    case VectorOperation::kEq:
      return AllOrNone(a == b);
    case VectorOperation::kNe:
      return AllOrNone(a != b);
    case VectorOperation::kLt:
      return AllOrNone(less(a, b));
    case VectorOperation::kGt:
      return AllOrNone(less(b, a));
    case VectorOperation::kLe:
      return AllOrNone(!less(b, a));
    case VectorOperation::kGe:
      return AllOrNone(!less(a, b));
    case VectorOperation::kMin:
      return less(a, b) ? ua : ub;
    case VectorOperation::kMax:
      return less(a, b) ? ub : ua;
    case VectorOperation::kAddSat:
      return static_cast<U64>(Saturated(a + b, row.bits, is_signed));
    case VectorOperation::kSubSat:
      return static_cast<U64>(Saturated(a - b, row.bits, is_signed));
    case VectorOperation::kAvgr:
      return (ua + ub + 1) / 2;
    case VectorOperation::kQ15Mulr:
      return static_cast<U64>(Saturated((a * b + 0x4000) >> 15, 16, true));
    case VectorOperation::kAnd:
      return ua & ub;
    case VectorOperation::kAndNot:
      return ua & ~ub;
    case VectorOperation::kOr:
      return ua | ub;
    case VectorOperation::kXor:
      return ua ^ ub;
    case VectorOperation::kNot:
      return ~ua;
    case VectorOperation::kNeg:
      return 0 - ua;
    case VectorOperation::kAbs:
      return a < 0 ? 0 - ua : ua;
    case VectorOperation::kPopcnt:
      return static_cast<U64>(std::popcount(ua));
    default:
      return std::nullopt;
  }
}

template <typename T>
T Canonical(T value) {
  return std::isnan(value) ? std::numeric_limits<T>::quiet_NaN() : value;
}

template <typename T>
T Smaller(T a, T b) {
  if (std::isnan(a) || std::isnan(b)) return std::numeric_limits<T>::quiet_NaN();
  if (a == b) return std::signbit(a) ? a : b;
  return a < b ? a : b;
}

template <typename T>
T Larger(T a, T b) {
  if (std::isnan(a) || std::isnan(b)) return std::numeric_limits<T>::quiet_NaN();
  if (a == b) return std::signbit(a) ? b : a;
  return a > b ? a : b;
}

template <typename T, typename Bits>
Bits FloatLane(VectorOperation operation, Bits a_bits, Bits b_bits, Bits c_bits) {
  const T a = std::bit_cast<T>(a_bits), b = std::bit_cast<T>(b_bits), c = std::bit_cast<T>(c_bits);
  constexpr Bits kSign = Bits{1} << (8 * sizeof(Bits) - 1);
  const auto bits = [](T value) { return std::bit_cast<Bits>(Canonical(value)); };
  const auto flag = [](bool value) { return value ? static_cast<Bits>(~Bits{0}) : Bits{0}; };
  // A product rounded by itself, whatever contraction the compiler is allowed.
  const volatile T product = operation == VectorOperation::kNmadd ? -a * b : a * b;
  switch (operation) {
    case VectorOperation::kFAbs:
      return a_bits & ~kSign;
    case VectorOperation::kFNeg:
      return a_bits ^ kSign;
    case VectorOperation::kFSqrt:
      return bits(std::sqrt(a));
    case VectorOperation::kFCeil:
      return bits(std::ceil(a));
    case VectorOperation::kFFloor:
      return bits(std::floor(a));
    case VectorOperation::kFTrunc:
      return bits(std::trunc(a));
    case VectorOperation::kFNearest:
      return bits(std::nearbyint(a));
    case VectorOperation::kFAdd:
      return bits(a + b);
    case VectorOperation::kFSub:
      return bits(a - b);
    case VectorOperation::kFMul:
      return bits(product);
    case VectorOperation::kFDiv:
      return bits(a / b);
    case VectorOperation::kFMin:
      return bits(Smaller(a, b));
    case VectorOperation::kFMax:
      return bits(Larger(a, b));
    case VectorOperation::kFPmin:
      return b < a ? b_bits : a_bits;
    case VectorOperation::kFPmax:
      return a < b ? b_bits : a_bits;
    case VectorOperation::kFEq:
      return flag(a == b);
    case VectorOperation::kFNe:
      return flag(a != b);
    case VectorOperation::kFLt:
      return flag(a < b);
    case VectorOperation::kFGt:
      return flag(a > b);
    case VectorOperation::kFLe:
      return flag(a <= b);
    case VectorOperation::kFGe:
      return flag(a >= b);
    default:  // madd, nmadd
      return bits(product + c);
  }
}

std::uint32_t Truncated(double value, bool is_signed) {
  if (std::isnan(value)) return 0;
  const double cut = std::trunc(value);
  if (is_signed) {
    return static_cast<std::uint32_t>(
        static_cast<std::int32_t>(std::clamp(cut, -2147483648.0, 2147483647.0)));
  }
  return static_cast<std::uint32_t>(std::clamp(cut, 0.0, 4294967295.0));
}

VectorWords Converted(const VectorRoutine& row, const LaneView& a) {
  LaneView out;
  const unsigned lanes = 128 / row.bits;
  const auto single = [&](unsigned i) { return std::bit_cast<float>(a.words[i]); };
  const auto twice = [&](unsigned i) { return std::bit_cast<double>(a.Bits(64, i)); };
  for (unsigned i = 0; i < lanes; ++i) {
    const I64 integer = a.Integer(32, i, row.is_signed);
    if (row.operation == VectorOperation::kConvert) {
      row.bits == 32 ? out.Set(32, i, std::bit_cast<std::uint32_t>(static_cast<float>(integer)))
                     : out.Set(64, i, std::bit_cast<U64>(static_cast<double>(integer)));
    } else if (row.operation == VectorOperation::kTruncSat) {
      out.Set(32, i, Truncated(row.bits == 32 ? double{single(i)} : twice(i), row.is_signed));
    } else if (row.operation == VectorOperation::kDemote) {
      out.Set(32, i, std::bit_cast<std::uint32_t>(Canonical(static_cast<float>(twice(i)))));
    } else if (i < 2) {
      out.Set(64, i, std::bit_cast<U64>(Canonical(double{single(i)})));
    }
  }
  return out.words;
}

VectorWords Resized(const VectorRoutine& row, const VectorOperands& operands) {
  const LaneView a{operands.vectors[0]}, b{operands.vectors[1]}, c{operands.vectors[2]};
  const unsigned bits = row.bits, lanes = 128 / bits, half = bits / 2;
  const bool is_signed = row.is_signed;
  LaneView out;
  for (unsigned i = 0; i < lanes; ++i) {
    switch (row.operation) {
      case VectorOperation::kExtendLow:
        out.Set(bits, i, static_cast<U64>(a.Integer(half, i, is_signed)));
        break;
      case VectorOperation::kExtendHigh:
        out.Set(bits, i, static_cast<U64>(a.Integer(half, lanes + i, is_signed)));
        break;
      case VectorOperation::kExtmulLow:
      case VectorOperation::kExtmulHigh: {
        const unsigned at = row.operation == VectorOperation::kExtmulLow ? i : lanes + i;
        out.Set(bits, i,
                static_cast<U64>(a.Integer(half, at, is_signed)) *
                    static_cast<U64>(b.Integer(half, at, is_signed)));
        break;
      }
      case VectorOperation::kExtadd:
        out.Set(bits, i,
                static_cast<U64>(a.Integer(half, 2 * i, is_signed) +
                                 a.Integer(half, 2 * i + 1, is_signed)));
        break;
      case VectorOperation::kNarrow: {
        const LaneView& from = i < lanes / 2 ? a : b;
        const I64 value = from.Integer(2 * bits, i % (lanes / 2), true);
        out.Set(bits, i, static_cast<U64>(Saturated(value, bits, is_signed)));
        break;
      }
      case VectorOperation::kDot:
        out.Set(bits, i,
                static_cast<U64>(a.Integer(16, 2 * i, true) * b.Integer(16, 2 * i, true) +
                                 a.Integer(16, 2 * i + 1, true) * b.Integer(16, 2 * i + 1, true)));
        break;
      default: {  // the relaxed ones
        const auto pair = [&](unsigned at) {
          return Saturated(a.Integer(8, 2 * at, true) * b.Integer(8, 2 * at, true) +
                               a.Integer(8, 2 * at + 1, true) * b.Integer(8, 2 * at + 1, true),
                           16, true);
        };
        const bool adds = row.operation == VectorOperation::kRelaxedDotAdd;
        out.Set(bits, i,
                static_cast<U64>(adds ? pair(2 * i) + pair(2 * i + 1) + c.Integer(32, i, true)
                                      : pair(i)));
      }
    }
  }
  return out.words;
}

VectorWords Tested(const VectorRoutine& row, const LaneView& a) {
  const unsigned lanes = 128 / row.bits;
  std::uint32_t mask = 0;
  bool all = true, any = false;
  for (unsigned i = 0; i < lanes; ++i) {
    mask |= (a.Integer(row.bits, i, true) < 0 ? 1u : 0u) << i;
    all = all && a.Bits(row.bits, i) != 0;
    any = any || a.Bits(row.bits, i) != 0;
  }
  switch (row.operation) {
    case VectorOperation::kAnyTrue:
      return {any ? 1u : 0u};
    case VectorOperation::kAllTrue:
      return {all ? 1u : 0u};
    default:
      return {mask};
  }
}

VectorWords Shifted(const VectorRoutine& row, const VectorOperands& operands) {
  const LaneView a{operands.vectors[0]};
  LaneView out;
  const unsigned count = operands.count % row.bits;
  for (unsigned i = 0; i < 128u / row.bits; ++i) {
    if (row.operation == VectorOperation::kShl) {
      out.Set(row.bits, i, a.Bits(row.bits, i) << count);
    } else if (row.is_signed) {
      out.Set(row.bits, i, static_cast<U64>(a.Integer(row.bits, i, true) >> count));
    } else {
      out.Set(row.bits, i, a.Bits(row.bits, i) >> count);
    }
  }
  return out.words;
}

VectorWords Swizzled(const LaneView& a, const LaneView& b) {
  LaneView out;
  for (unsigned i = 0; i < 16; ++i) {
    const auto name = static_cast<unsigned>(b.Bits(8, i));
    out.Set(8, i, name < 16 ? a.Bits(8, name) : 0);
  }
  return out.words;
}

bool IsFloatLanes(VectorOperation operation) {
  return (operation >= VectorOperation::kFAbs && operation <= VectorOperation::kFGe) ||
         operation == VectorOperation::kMadd || operation == VectorOperation::kNmadd;
}

}  // namespace

LaneKind OperandLanes(const VectorRoutine& row) {
  if (IsFloatLanes(row.operation)) return {row.bits, true};
  switch (row.operation) {
    case VectorOperation::kNarrow:
      return {2u * row.bits, false};
    case VectorOperation::kExtendLow:
    case VectorOperation::kExtendHigh:
    case VectorOperation::kExtmulLow:
    case VectorOperation::kExtmulHigh:
    case VectorOperation::kExtadd:
    case VectorOperation::kDot:
      return {row.bits / 2u, false};
    case VectorOperation::kRelaxedDot:
    case VectorOperation::kRelaxedDotAdd:
      return {8, false};
    case VectorOperation::kTruncSat:
    case VectorOperation::kDemote:
    case VectorOperation::kPromote:
      return {row.bits, true};
    case VectorOperation::kConvert:
      return {32, false};
    default:
      return {row.bits, false};
  }
}

VectorWords LaneByLane(const VectorRoutine& row, const VectorOperands& operands) {
  const LaneView a{operands.vectors[0]}, b{operands.vectors[1]}, c{operands.vectors[2]};
  LaneView out;
  if (IsFloatLanes(row.operation)) {
    for (unsigned i = 0; i < 128u / row.bits; ++i) {
      if (row.bits == 32) {
        out.Set(32, i,
                FloatLane<float, std::uint32_t>(row.operation, a.words[i], b.words[i], c.words[i]));
      } else {
        out.Set(64, i,
                FloatLane<double, U64>(row.operation, a.Bits(64, i), b.Bits(64, i), c.Bits(64, i)));
      }
    }
    return out.words;
  }
  switch (row.operation) {
    case VectorOperation::kAnyTrue:
    case VectorOperation::kAllTrue:
    case VectorOperation::kBitmask:
      return Tested(row, a);
    case VectorOperation::kShl:
    case VectorOperation::kShr:
      return Shifted(row, operands);
    case VectorOperation::kSwizzle:
      return Swizzled(a, b);
    case VectorOperation::kBitSelect:
      for (unsigned i = 0; i < 4; ++i) {
        out.words[i] = (a.words[i] & c.words[i]) | (b.words[i] & ~c.words[i]);
      }
      return out.words;
    case VectorOperation::kConvert:
    case VectorOperation::kTruncSat:
    case VectorOperation::kDemote:
    case VectorOperation::kPromote:
      return Converted(row, a);
    default:
      break;
  }
  if (!OnLane(row, 0, 0)) return Resized(row, operands);
  for (unsigned i = 0; i < 128u / row.bits; ++i) {
    out.Set(
        row.bits, i,
        *OnLane(row, a.Integer(row.bits, i, row.is_signed), b.Integer(row.bits, i, row.is_signed)));
  }
  return out.words;
}

}  // namespace txvm::assembler

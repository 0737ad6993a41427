// Chooses instructions for routines on vectors. A vector is made of two longs and taken apart into
// two again at the ends of what a block does with it.
//
// FACTS  PANDN and ANDNPS take their first operand's complement. MINPS of zeros or with a NaN is
// its
//        second operand: so WebAssembly's pmin(a, b) is MINPS b, a.
//        A float's NaN is made the machine's where an operation may make one.
#pragma once

#include <array>
#include <bit>
#include <cstdint>

#include "isa/vector_routine.h"
#include "vm/folded/processor.h"
#include "vm/folded/wide_emitter.h"

namespace txvm::vm::folded {

using isa::VectorOperation;
using isa::VectorRoutine;
namespace Inst = x86::Inst;

/// Whether this processor has instructions for the routines on vectors: all of them, or none.
inline bool HasVectorCode() { return ThisProcessor().sse4_2; }

/// Emits the operations on vectors of one block after the other. REQUIRES: HasVectorCode().
class VectorEmitter : protected WideEmitter {
 protected:
  VectorEmitter(x86::Compiler& cc, const FunctionIr& ir) : WideEmitter(cc, ir) {}

  void EmitVector(Value value, const Node& node) {
    const VectorRoutine& row = *isa::FindVectorRoutine(static_cast<isa::RoutineId>(node.imm));
    if (node.type == Type::kWord) return EmitTest(value, node, row);
    const bool is_float =
        row.operation >= VectorOperation::kFAbs && row.operation <= VectorOperation::kNmadd;
    floats_[value] = is_float ? Floats(node, row) : Integers(node, row);  // a register of its own
  }

 private:
  using Ids = std::array<asmjit::InstId, 4>;  // by lanes of 8, 16, 32 and 64 bits

  static asmjit::InstId ByBits(const VectorRoutine& row, const Ids& ids) {
    return ids[row.bits == 8 ? 0 : row.bits == 16 ? 1 : row.bits == 32 ? 2 : 3];
  }
  static asmjit::InstId ByFloat(const VectorRoutine& row, asmjit::InstId single,
                                asmjit::InstId twice) {
    return row.bits == 32 ? single : twice;
  }

  Xmm Copied(const Xmm& from) {
    const Xmm copy = NewVector();
    cc_.movaps(copy, from);
    return copy;
  }
  Xmm Operand(Value value) { return FloatRegister(value); }
  /// A fresh register with `instruction` of two operands.
  Xmm Two(asmjit::InstId instruction, const Xmm& a, const Xmm& b) {
    const Xmm out = Copied(a);
    cc_.emit(instruction, out, b);
    return out;
  }
  Xmm Zeros() {
    const Xmm zeros = NewVector();
    cc_.pxor(zeros, zeros);
    return zeros;
  }
  Xmm Ones() {
    const Xmm ones = NewVector();
    cc_.pcmpeqd(ones, ones);
    return ones;
  }
  Xmm Not(const Xmm& a) { return Two(Inst::kIdPxor, a, Ones()); }
  Xmm Constant(std::uint64_t low, std::uint64_t high) {
    const std::array<std::uint64_t, 2> both = {low, high};
    const Xmm out = NewVector();
    cc_.movdqu(out, cc_.newConst(asmjit::ConstPoolScope::kLocal, both.data(), sizeof both));
    return out;
  }
  /// The same 64 bits twice.
  Xmm Repeated(std::uint64_t bits) { return Constant(bits, bits); }
  Xmm RepeatedSingle(float number) {
    const auto bits = std::uint64_t{std::bit_cast<std::uint32_t>(number)};
    return Repeated(bits << 32 | bits);
  }
  Xmm RepeatedDouble(double number) { return Repeated(std::bit_cast<std::uint64_t>(number)); }
  /// A fresh register with a shift by a constant.
  Xmm Shifted(asmjit::InstId instruction, const Xmm& a, int count) {
    const Xmm out = Copied(a);
    cc_.emit(instruction, out, Imm(count));
    return out;
  }

  Xmm Integers(const Node& node, const VectorRoutine& row) {
    const Xmm a = Operand(node.a);
    const bool is_signed = row.is_signed;
    switch (row.operation) {
      case VectorOperation::kNot:
        return Not(a);
      case VectorOperation::kNeg:
        return Two(ByBits(row, kSub), Zeros(), a);
      case VectorOperation::kPopcnt:
        return CountedBits(a);
      case VectorOperation::kExtadd:
        return PairSums(a, row);
      case VectorOperation::kAbs: {
        if (row.bits == 64) {
          const Xmm is_negative = Two(Inst::kIdPcmpgtq, Zeros(), a);
          return Two(Inst::kIdPsubq, Two(Inst::kIdPxor, a, is_negative), is_negative);
        }
        const Xmm out = NewVector();
        cc_.emit(ByBits(row, {Inst::kIdPabsb, Inst::kIdPabsw, Inst::kIdPabsd, 0}), out, a);
        return out;
      }
      case VectorOperation::kShl:
      case VectorOperation::kShr:
        return Shift(a, node.b, row);
      case VectorOperation::kExtendLow:
      case VectorOperation::kExtendHigh:
        return Extended(a, row, row.operation == VectorOperation::kExtendHigh);
      default:
        break;
    }
    const Xmm b = Operand(node.b);
    switch (row.operation) {
      case VectorOperation::kAnd:
        return Two(Inst::kIdPand, a, b);
      case VectorOperation::kAndNot:
        return Two(Inst::kIdPandn, b, a);
      case VectorOperation::kOr:
        return Two(Inst::kIdPor, a, b);
      case VectorOperation::kXor:
        return Two(Inst::kIdPxor, a, b);
      case VectorOperation::kBitSelect: {
        const Xmm out = Two(Inst::kIdPxor, a, b);
        cc_.pand(out, Operand(node.c));
        cc_.pxor(out, b);
        return out;
      }
      case VectorOperation::kSwizzle: {  // names from 16 on get their top bit set
        constexpr std::uint64_t kToTopBit = 0x7070707070707070;
        return Two(Inst::kIdPshufb, a, Two(Inst::kIdPaddusb, b, Repeated(kToTopBit)));
      }
      case VectorOperation::kAdd:
        return Two(ByBits(row, {Inst::kIdPaddb, Inst::kIdPaddw, Inst::kIdPaddd, Inst::kIdPaddq}), a,
                   b);
      case VectorOperation::kSub:
        return Two(ByBits(row, kSub), a, b);
      case VectorOperation::kMul:
        if (row.bits == 64) return LongProduct(a, b);
        return Two(row.bits == 16 ? Inst::kIdPmullw : Inst::kIdPmulld, a, b);
      case VectorOperation::kExtmulLow:
      case VectorOperation::kExtmulHigh: {
        const bool is_high = row.operation == VectorOperation::kExtmulHigh;
        return Two(ByBits(row, {0, Inst::kIdPmullw, Inst::kIdPmulld,
                                is_signed ? Inst::kIdPmuldq : Inst::kIdPmuludq}),
                   Extended(a, row, is_high), Extended(b, row, is_high));
      }
      case VectorOperation::kQ15Mulr: {  // and its one overflow
        constexpr std::uint64_t kOverflown = 0x8000800080008000;
        const Xmm out = Two(Inst::kIdPmulhrsw, a, b);
        cc_.pxor(out, Two(Inst::kIdPcmpeqw, out, Repeated(kOverflown)));
        return out;
      }
      case VectorOperation::kRelaxedDot:
        return DotOfBytes(a, b);
      case VectorOperation::kRelaxedDotAdd:
        return Two(Inst::kIdPaddd, PairSums(DotOfBytes(a, b), row), Operand(node.c));
      case VectorOperation::kEq:
        return Two(ByBits(row, kEqual), a, b);
      case VectorOperation::kNe:
        return Not(Two(ByBits(row, kEqual), a, b));
      case VectorOperation::kGt:
        return is_signed ? Two(ByBits(row, kGreater), a, b) : Not(AtMost(row, a, b));
      case VectorOperation::kLt:
        return is_signed ? Two(ByBits(row, kGreater), b, a) : Not(AtMost(row, b, a));
      case VectorOperation::kLe:
        return is_signed ? Not(Two(ByBits(row, kGreater), a, b)) : AtMost(row, a, b);
      case VectorOperation::kGe:
        return is_signed ? Not(Two(ByBits(row, kGreater), b, a)) : AtMost(row, b, a);
      case VectorOperation::kMin:
        return Two(ByBits(row, is_signed ? kMinSigned : kMinUnsigned), a, b);
      case VectorOperation::kMax:
        return Two(is_signed ? ByBits(row, {Inst::kIdPmaxsb, Inst::kIdPmaxsw, Inst::kIdPmaxsd, 0})
                             : ByBits(row, {Inst::kIdPmaxub, Inst::kIdPmaxuw, Inst::kIdPmaxud, 0}),
                   a, b);
      case VectorOperation::kAddSat:
        return Two(is_signed ? ByBits(row, {Inst::kIdPaddsb, Inst::kIdPaddsw, 0, 0})
                             : ByBits(row, {Inst::kIdPaddusb, Inst::kIdPaddusw, 0, 0}),
                   a, b);
      case VectorOperation::kSubSat:
        return Two(is_signed ? ByBits(row, {Inst::kIdPsubsb, Inst::kIdPsubsw, 0, 0})
                             : ByBits(row, {Inst::kIdPsubusb, Inst::kIdPsubusw, 0, 0}),
                   a, b);
      case VectorOperation::kAvgr:
        return Two(ByBits(row, {Inst::kIdPavgb, Inst::kIdPavgw, 0, 0}), a, b);
      case VectorOperation::kNarrow:
        return Two(is_signed ? ByBits(row, {Inst::kIdPacksswb, Inst::kIdPackssdw, 0, 0})
                             : ByBits(row, {Inst::kIdPackuswb, Inst::kIdPackusdw, 0, 0}),
                   a, b);
      default:  // dot
        return Two(Inst::kIdPmaddwd, a, b);
    }
  }

  /// Unsigned a <= b: the smaller one is a.
  Xmm AtMost(const VectorRoutine& row, const Xmm& a, const Xmm& b) {
    return Two(ByBits(row, kEqual), Two(ByBits(row, kMinUnsigned), a, b), a);
  }

  /// One half of an operand, its lanes twice as wide.
  Xmm Extended(const Xmm& a, const VectorRoutine& row, bool is_high) {
    const Xmm from = is_high ? Shifted(Inst::kIdPsrldq, a, 8) : a;
    return One(row.is_signed
                   ? ByBits(row, {0, Inst::kIdPmovsxbw, Inst::kIdPmovsxwd, Inst::kIdPmovsxdq})
                   : ByBits(row, {0, Inst::kIdPmovzxbw, Inst::kIdPmovzxwd, Inst::kIdPmovzxdq}),
               from);
  }

  /// Sums of neighbours, as lanes of row.bits. PMADDUBSW multiplies unsigned bytes by signed ones.
  Xmm PairSums(const Xmm& a, const VectorRoutine& row) {
    constexpr std::uint64_t kByteOnes = 0x0101010101010101, kWordOnes = 0x0001000100010001;
    if (row.bits == 16) {
      return row.is_signed ? Two(Inst::kIdPmaddubsw, Repeated(kByteOnes), a)
                           : Two(Inst::kIdPmaddubsw, a, Repeated(kByteOnes));
    }
    if (row.is_signed) return Two(Inst::kIdPmaddwd, a, Repeated(kWordOnes));
    const Xmm low = Shifted(Inst::kIdPslld, a, 16);
    cc_.psrld(low, 16);
    return Two(Inst::kIdPaddd, low, Shifted(Inst::kIdPsrld, a, 16));
  }

  /// Saturated sums of two products of signed bytes.
  Xmm DotOfBytes(const Xmm& a, const Xmm& b) {
    const VectorRoutine words{.bits = 16, .is_signed = true};
    const Xmm low = Two(Inst::kIdPmaddwd, Extended(a, words, false), Extended(b, words, false));
    const Xmm high = Two(Inst::kIdPmaddwd, Extended(a, words, true), Extended(b, words, true));
    cc_.packssdw(low, high);
    return low;
  }

  Xmm LongProduct(const Xmm& a, const Xmm& b) {
    const Xmm across = Two(Inst::kIdPmuludq, Shifted(Inst::kIdPsrlq, a, 32), b);
    cc_.paddq(across, Two(Inst::kIdPmuludq, Shifted(Inst::kIdPsrlq, b, 32), a));
    cc_.psllq(across, 32);
    cc_.paddq(across, Two(Inst::kIdPmuludq, a, b));
    return across;
  }

  /// One bits of each byte: a table of those of four bits, twice.
  Xmm CountedBits(const Xmm& a) {
    constexpr std::uint64_t kLowCounts = 0x0302020102010100, kHighCounts = 0x0403030203020201;
    constexpr std::uint64_t kNibbles = 0x0F0F0F0F0F0F0F0F;
    const Xmm mask = Repeated(kNibbles), table = Constant(kLowCounts, kHighCounts);
    const Xmm low = Two(Inst::kIdPand, a, mask);
    const Xmm high = Shifted(Inst::kIdPsrlw, a, 4);
    cc_.pand(high, mask);
    return Two(Inst::kIdPaddb, Two(Inst::kIdPshufb, table, low), Two(Inst::kIdPshufb, table, high));
  }

  Xmm Shift(const Xmm& a, Value count, const VectorRoutine& row) {
    const bool is_left = row.operation == VectorOperation::kShl;
    const Gp by = NewWord();
    Move(by, count);
    cc_.and_(by, Imm(row.bits - 1));
    const Xmm counts = NewVector();
    if (row.bits == 8 && !is_left && row.is_signed) return ShiftedBytes(a, by);
    cc_.movd(counts, by);
    if (row.bits == 8) {
      constexpr std::uint64_t kLowBytes = 0x00FF00FF00FF00FF;
      const asmjit::InstId words = is_left ? Inst::kIdPsllw : Inst::kIdPsrlw;
      const Xmm kept = Two(words, Repeated(kLowBytes), counts);  // of a byte, then of all
      cc_.pand(kept, Repeated(kLowBytes));
      cc_.packuswb(kept, kept);
      cc_.pand(kept, Two(words, a, counts));
      return kept;
    }
    if (row.bits == 64 && !is_left && row.is_signed) {
      const Xmm sign = Two(Inst::kIdPsrlq, Repeated(kDoubleSign), counts);
      const Xmm out = Two(Inst::kIdPsrlq, a, counts);
      cc_.pxor(out, sign);
      cc_.psubq(out, sign);
      return out;
    }
    return Two(is_left         ? ByBits(row, {0, Inst::kIdPsllw, Inst::kIdPslld, Inst::kIdPsllq})
               : row.is_signed ? ByBits(row, {0, Inst::kIdPsraw, Inst::kIdPsrad, 0})
                               : ByBits(row, {0, Inst::kIdPsrlw, Inst::kIdPsrld, Inst::kIdPsrlq}),
               a, counts);
  }

  /// Signed bytes shifted right, each in the upper half of a word at first.
  Xmm ShiftedBytes(const Xmm& a, const Gp& by) {
    cc_.add(by, 8);
    const Xmm counts = NewVector();
    cc_.movd(counts, by);
    const Xmm low = Two(Inst::kIdPunpcklbw, a, a), high = Two(Inst::kIdPunpckhbw, a, a);
    cc_.psraw(low, counts);
    cc_.psraw(high, counts);
    cc_.packsswb(low, high);
    return low;
  }

  /// NaNs, made the machine's.
  Xmm Canonical(const VectorRoutine& row, const Xmm& a) {
    constexpr int kUnordered = 3;
    const bool is_single = row.bits == 32;
    const Xmm is_nan = Copied(a);
    if (is_single) {
      cc_.cmpps(is_nan, is_nan, Imm(kUnordered));
    } else {
      cc_.cmppd(is_nan, is_nan, Imm(kUnordered));
    }
    const Xmm nan = Repeated(is_single ? std::uint64_t{kSingleNan} << 32 | kSingleNan : kDoubleNan);
    cc_.pand(nan, is_nan);
    cc_.pandn(is_nan, a);
    cc_.por(is_nan, nan);
    return is_nan;
  }

  Xmm Compared(const VectorRoutine& row, const Xmm& a, const Xmm& b, int condition) {
    const Xmm out = Copied(a);
    cc_.emit(ByFloat(row, Inst::kIdCmpps, Inst::kIdCmppd), out, b, Imm(condition));
    return out;
  }

  Xmm Rounded(const VectorRoutine& row, const Xmm& a, int mode) {
    constexpr int kQuiet = 8;
    const Xmm out = NewVector();
    cc_.emit(ByFloat(row, Inst::kIdRoundps, Inst::kIdRoundpd), out, a, Imm(mode | kQuiet));
    return Canonical(row, out);
  }

  Xmm One(asmjit::InstId instruction, const Xmm& a) {
    const Xmm out = NewVector();
    cc_.emit(instruction, out, a);
    return out;
  }

  /// Two halves that are exact, and one rounding.
  Xmm UnsignedToSingles(const Xmm& a) {
    constexpr std::uint64_t kLowHalves = 0x0000FFFF0000FFFF;
    const Xmm high = One(Inst::kIdCvtdq2ps, Shifted(Inst::kIdPsrld, a, 16));
    cc_.mulps(high, RepeatedSingle(0x1p16f));
    const Xmm low = One(Inst::kIdCvtdq2ps, Two(Inst::kIdPand, a, Repeated(kLowHalves)));
    cc_.addps(high, low);
    return high;
  }
  /// A word below the exponent of 2^52 is that much more.
  Xmm UnsignedToDoubles(const Xmm& a) {
    constexpr std::uint64_t kExponents = 0x4330000043300000;
    const Xmm out = Two(Inst::kIdPunpckldq, a, Repeated(kExponents));
    cc_.subpd(out, RepeatedDouble(0x1p52));
    return out;
  }
  /// CVTTPS2DQ gives 0x80000000 for what does not fit: wrong for NaNs, which are made 0, and beyond
  /// the largest.
  Xmm TruncatedSingles(const Xmm& a) {
    constexpr int kOrdered = 7, kLessOrEqual = 2;
    const Xmm number = Copied(a);
    cc_.cmpps(number, number, Imm(kOrdered));
    cc_.andps(number, a);
    const Xmm is_large = RepeatedSingle(0x1p31f);
    cc_.cmpps(is_large, number, Imm(kLessOrEqual));
    const Xmm out = One(Inst::kIdCvttps2dq, number);
    cc_.pxor(out, is_large);
    return out;
  }
  Xmm TruncatedDoubles(const Xmm& a) {
    constexpr int kOrdered = 7;
    const Xmm number = Copied(a);
    cc_.cmppd(number, number, Imm(kOrdered));
    cc_.andpd(number, a);
    cc_.minpd(number, RepeatedDouble(2147483647.0));
    return One(Inst::kIdCvttpd2dq, number);
  }
  /// What is below 2^31, and what is beyond. MAXPS of a NaN and 0 is 0.
  Xmm UnsignedOfSingles(const Xmm& a) {
    constexpr int kLessOrEqual = 2;
    const Xmm number = Copied(a);
    cc_.maxps(number, Zeros());
    const Xmm half = RepeatedSingle(0x1p31f);
    const Xmm rest = Copied(number);
    cc_.subps(rest, half);
    cc_.cmpps(half, rest, Imm(kLessOrEqual));
    const Xmm above = One(Inst::kIdCvttps2dq, rest);
    cc_.pxor(above, half);
    cc_.pmaxsd(above, Zeros());
    cc_.paddd(above, One(Inst::kIdCvttps2dq, number));
    return above;
  }
  /// 2^52 more than a number below 2^32 has it in its lowest bits.
  Xmm UnsignedOfDoubles(const Xmm& a) {
    constexpr int kTowardsZero = 3 | 8, kEvenWords = 0x88;
    const Xmm number = Copied(a);
    cc_.maxpd(number, Zeros());
    cc_.minpd(number, RepeatedDouble(4294967295.0));
    cc_.roundpd(number, number, Imm(kTowardsZero));
    cc_.addpd(number, RepeatedDouble(0x1p52));
    cc_.shufps(number, Zeros(), Imm(kEvenWords));
    return number;
  }

  Xmm Floats(const Node& node, const VectorRoutine& row) {
    constexpr int kEqualTo = 0, kLess = 1, kLessOrEqual = 2, kUnordered = 3, kNotEqualTo = 4;
    const Xmm a = Operand(node.a);
    const std::uint64_t sign = row.bits == 32 ? kSingleSign << 32 | kSingleSign : kDoubleSign;
    const asmjit::InstId multiply = ByFloat(row, Inst::kIdMulps, Inst::kIdMulpd);
    switch (row.operation) {
      case VectorOperation::kFAbs:
        return Two(Inst::kIdPand, a, Repeated(~sign));
      case VectorOperation::kFNeg:
        return Two(Inst::kIdPxor, a, Repeated(sign));
      case VectorOperation::kFSqrt:
        return Canonical(row, One(ByFloat(row, Inst::kIdSqrtps, Inst::kIdSqrtpd), a));
      case VectorOperation::kFNearest:
        return Rounded(row, a, 0);
      case VectorOperation::kFFloor:
        return Rounded(row, a, 1);
      case VectorOperation::kFCeil:
        return Rounded(row, a, 2);
      case VectorOperation::kFTrunc:
        return Rounded(row, a, 3);
      case VectorOperation::kConvert:
        if (!row.is_signed) return row.bits == 32 ? UnsignedToSingles(a) : UnsignedToDoubles(a);
        return One(ByFloat(row, Inst::kIdCvtdq2ps, Inst::kIdCvtdq2pd), a);
      case VectorOperation::kTruncSat:
        if (row.bits == 32) return row.is_signed ? TruncatedSingles(a) : UnsignedOfSingles(a);
        return row.is_signed ? TruncatedDoubles(a) : UnsignedOfDoubles(a);
      case VectorOperation::kDemote: {
        VectorRoutine singles = row;
        singles.bits = 32;
        return Canonical(singles, One(Inst::kIdCvtpd2ps, a));
      }
      case VectorOperation::kPromote: {
        VectorRoutine doubles = row;
        doubles.bits = 64;
        return Canonical(doubles, One(Inst::kIdCvtps2pd, a));
      }
      default:
        break;
    }
    const Xmm b = Operand(node.b);
    switch (row.operation) {
      case VectorOperation::kFAdd:
        return Canonical(row, Two(ByFloat(row, Inst::kIdAddps, Inst::kIdAddpd), a, b));
      case VectorOperation::kFSub:
        return Canonical(row, Two(ByFloat(row, Inst::kIdSubps, Inst::kIdSubpd), a, b));
      case VectorOperation::kFMul:
        return Canonical(row, Two(multiply, a, b));
      case VectorOperation::kFDiv:
        return Canonical(row, Two(ByFloat(row, Inst::kIdDivps, Inst::kIdDivpd), a, b));
      case VectorOperation::kFMin: {  // OR of zeros is -0 if one is; OR with a NaN is a NaN
        const asmjit::InstId smaller = ByFloat(row, Inst::kIdMinps, Inst::kIdMinpd);
        const Xmm out = Two(smaller, a, b);
        cc_.por(out, Two(smaller, b, a));
        return Canonical(row, out);
      }
      case VectorOperation::kFMax: {  // AND of zeros is +0 if one is; where one is a NaN, all ones
        const asmjit::InstId larger = ByFloat(row, Inst::kIdMaxps, Inst::kIdMaxpd);
        const Xmm out = Two(larger, a, b);
        cc_.pand(out, Two(larger, b, a));
        cc_.por(out, Compared(row, a, b, kUnordered));
        return Canonical(row, out);
      }
      case VectorOperation::kFPmin:
        return Two(ByFloat(row, Inst::kIdMinps, Inst::kIdMinpd), b, a);
      case VectorOperation::kFPmax:
        return Two(ByFloat(row, Inst::kIdMaxps, Inst::kIdMaxpd), b, a);
      case VectorOperation::kFEq:
        return Compared(row, a, b, kEqualTo);
      case VectorOperation::kFNe:
        return Compared(row, a, b, kNotEqualTo);
      case VectorOperation::kFLt:
        return Compared(row, a, b, kLess);
      case VectorOperation::kFGt:
        return Compared(row, b, a, kLess);
      case VectorOperation::kFLe:
        return Compared(row, a, b, kLessOrEqual);
      case VectorOperation::kFGe:
        return Compared(row, b, a, kLessOrEqual);
      case VectorOperation::kMadd: {
        const Xmm out = Two(multiply, a, b);
        cc_.emit(ByFloat(row, Inst::kIdAddps, Inst::kIdAddpd), out, Operand(node.c));
        return Canonical(row, out);
      }
      default:  // nmadd: c - a * b
        return Canonical(row, Two(ByFloat(row, Inst::kIdSubps, Inst::kIdSubpd), Operand(node.c),
                                  Two(multiply, a, b)));
    }
  }

  /// Operations whose result is a word.
  void EmitTest(Value value, const Node& node, const VectorRoutine& row) {
    constexpr int kAllBytes = 0xFFFF, kHalfBytes = 0xFF;
    Xmm a = Operand(node.a);
    const Gp bits = NewWord();
    if (row.operation == VectorOperation::kBitmask) {
      if (row.bits == 16) a = Two(Inst::kIdPacksswb, a, Zeros());
      const asmjit::InstId gather = row.bits == 32   ? Inst::kIdMovmskps
                                    : row.bits == 64 ? Inst::kIdMovmskpd
                                                     : Inst::kIdPmovmskb;
      cc_.emit(gather, bits, a);
      if (row.bits == 16) cc_.and_(bits, Imm(kHalfBytes));
      cc_.mov(NewHome(value), bits);
      return;
    }
    const bool is_any = row.operation == VectorOperation::kAnyTrue;
    cc_.emit(Inst::kIdPmovmskb, bits, Two(ByBits(row, kEqual), a, Zeros()));
    const Gp flag = NewFlag();
    cc_.cmp(bits, Imm(is_any ? kAllBytes : 0));
    cc_.set(is_any ? CondCode::kNotEqual : CondCode::kEqual, flag.r8());
    KeepFlag(value, flag);
  }

  static constexpr Ids kSub = {Inst::kIdPsubb, Inst::kIdPsubw, Inst::kIdPsubd, Inst::kIdPsubq};
  static constexpr Ids kEqual = {Inst::kIdPcmpeqb, Inst::kIdPcmpeqw, Inst::kIdPcmpeqd,
                                 Inst::kIdPcmpeqq};
  static constexpr Ids kGreater = {Inst::kIdPcmpgtb, Inst::kIdPcmpgtw, Inst::kIdPcmpgtd,
                                   Inst::kIdPcmpgtq};
  static constexpr Ids kMinSigned = {Inst::kIdPminsb, Inst::kIdPminsw, Inst::kIdPminsd, 0};
  static constexpr Ids kMinUnsigned = {Inst::kIdPminub, Inst::kIdPminuw, Inst::kIdPminud, 0};
};

}  // namespace txvm::vm::folded

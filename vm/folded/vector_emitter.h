// Chooses instructions for routines on vectors. A vector is made of two longs and taken apart into
// two again at the ends of what a block does with it.
//
// FACTS  PANDN and ANDNPS take their first operand's complement. MINPS of zeros or with a NaN is
// its
//        second operand: so WebAssembly's pmin(a, b) is MINPS b, a.
//        A float's NaN is made the machine's where an operation may make one.
#pragma once

#include <array>
#include <cstdint>

#include "isa/vector_routine.h"
#include "vm/folded/wide_emitter.h"

namespace txvm::vm::folded {

using isa::VectorOperation;
using isa::VectorRoutine;
namespace Inst = x86::Inst;

/// Whether this processor has an instruction, or a few, for a routine on vectors.
inline bool HasCode(const VectorRoutine& row) {
  const asmjit::CpuFeatures::X86& has = asmjit::CpuInfo::host().features().x86();
  if (!has.hasSSE4_1() || !has.hasSSE4_2() || !has.hasSSSE3()) return false;
  const bool is_byte = row.bits == 8, is_long = row.bits == 64;
  switch (row.operation) {
    case VectorOperation::kMul:
    case VectorOperation::kAbs:
      return !is_long;
    case VectorOperation::kShl:
      return !is_byte;
    case VectorOperation::kShr:
      return !is_byte && !(is_long && row.is_signed);
    case VectorOperation::kConvert:
      return row.is_signed;
    case VectorOperation::kExtadd:
    case VectorOperation::kExtmulLow:
    case VectorOperation::kExtmulHigh:
    case VectorOperation::kPopcnt:
    case VectorOperation::kQ15Mulr:
    case VectorOperation::kTruncSat:
    case VectorOperation::kRelaxedDot:
    case VectorOperation::kRelaxedDotAdd:
      return false;
    default:
      return true;
  }
}

/// Emits the operations on vectors of one block after the other. REQUIRES: HasCode of each.
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
  /// The same 64 bits twice.
  Xmm Repeated(std::uint64_t bits) {
    const std::array<std::uint64_t, 2> both = {bits, bits};
    const Xmm out = NewVector();
    cc_.movdqu(out, cc_.newConst(asmjit::ConstPoolScope::kLocal, both.data(), sizeof both));
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
      case VectorOperation::kAbs: {
        const Xmm out = NewVector();
        cc_.emit(ByBits(row, {Inst::kIdPabsb, Inst::kIdPabsw, Inst::kIdPabsd, 0}), out, a);
        return out;
      }
      case VectorOperation::kShl:
      case VectorOperation::kShr:
        return Shift(a, node.b, row);
      case VectorOperation::kExtendLow:
      case VectorOperation::kExtendHigh: {
        Xmm from = a;
        if (row.operation == VectorOperation::kExtendHigh) {
          from = Copied(a);
          cc_.psrldq(from, 8);
        }
        const Xmm out = NewVector();
        cc_.emit(is_signed
                     ? ByBits(row, {0, Inst::kIdPmovsxbw, Inst::kIdPmovsxwd, Inst::kIdPmovsxdq})
                     : ByBits(row, {0, Inst::kIdPmovzxbw, Inst::kIdPmovzxwd, Inst::kIdPmovzxdq}),
                 out, from);
        return out;
      }
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
        return Two(row.bits == 16 ? Inst::kIdPmullw : Inst::kIdPmulld, a, b);
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

  Xmm Shift(const Xmm& a, Value count, const VectorRoutine& row) {
    const asmjit::InstId instruction =
        row.operation == VectorOperation::kShl
            ? ByBits(row, {0, Inst::kIdPsllw, Inst::kIdPslld, Inst::kIdPsllq})
        : row.is_signed ? ByBits(row, {0, Inst::kIdPsraw, Inst::kIdPsrad, 0})
                        : ByBits(row, {0, Inst::kIdPsrlw, Inst::kIdPsrld, Inst::kIdPsrlq});
    const Gp by = NewWord();
    Move(by, count);
    cc_.and_(by, Imm(row.bits - 1));
    const Xmm counts = NewVector();
    cc_.movd(counts, by);
    return Two(instruction, a, counts);
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
        return One(ByFloat(row, Inst::kIdCvtdq2ps, Inst::kIdCvtdq2pd), a);
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

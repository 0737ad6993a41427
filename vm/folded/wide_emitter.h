// Chooses instructions for values of more than a word: longs in general registers, floats in the
// processor's own.
//
// FACTS  A float operation may leave any NaN; kCanonical* makes it the machine's. Code runs with
// the
//        rounding and the masks that every thread starts with (DefaultRounding in machine_code.h).
//        UCOMIS sets carry, zero and parity where an operand is a NaN: so a < b is b "above" a.
#pragma once

#include <bit>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "vm/folded/block_plan.h"

namespace txvm::vm::folded {

/// Emits the nodes of more than a word of one block after the other.
class WideEmitter : protected BlockPlan {
 protected:
  WideEmitter(x86::Compiler& cc, const FunctionIr& ir) : BlockPlan(cc, ir) {}

  void EmitWideCell(Value value, const Node& node) {
    const Mem place = WideCellInSpace(node.imm, BytesOf(node.type));
    LoadWide(value, node, place);
  }

  void EmitWideLoad(Value value, const Node& node) {
    if (words_of_[value].first != kNone || words_of_[value].second != kNone) {
      return LoadWords(value, node);
    }
    LoadWide(value, node, MemoryAt(node, BytesOf(node.type)));
  }

  void EmitWideStore(const Node& node) {
    const Mem place = MemoryAt(node, BytesOf(node.type));
    if (node.type == Type::kLong) {
      cc_.mov(place, LongRegister(node.b));
    } else {
      MoveFloat(node.type, place, FloatRegister(node.b));
    }
  }

  // Leaves unless the float is between two bounds, both excluded; a NaN is not.
  void EmitCheckTruncation(const Node& node) {
    const Range range = RangeOf(node.wide);
    const Xmm x = FloatRegister(node.a);
    const Type type = Info(node.wide).a;
    const Xmm above = NewFloat(type);
    MoveFloat(type, above, FloatConstant(type, range.above));
    Compare(type, above, x);
    const Label out = ExitLabel(node.exit);
    cc_.jbe(out);
    Compare(type, x, FloatConstant(type, range.below));
    cc_.jbe(out);
  }

  void EmitWide(Value value, const Node& node) {
    const Type type = node.type;
    switch (node.wide) {
      case WideOp::kPair:
        return EmitPair(value, node);
      case WideOp::kLow:
        if (homes_[value].isValid()) return;  // loaded as a word
        return EmitLow(value, LongRegister(node.a));
      case WideOp::kHigh:
        if (homes_[value].isValid()) return;
        return EmitHigh(value, node);
      case WideOp::kVectorOfLongs: {
        const Xmm low = NewFloatHome(value), high = NewVector();
        cc_.movq(low, LongRegister(node.a));
        cc_.movq(high, LongRegister(node.b));
        cc_.punpcklqdq(low, high);
        return;
      }
      case WideOp::kLowOfVector: {
        const Xmm vector = FloatRegister(node.a);
        MoveBits(NewLong(value), vector);
        return;
      }
      case WideOp::kHighOfVector: {
        const Xmm copy = NewVector();
        cc_.movaps(copy, FloatRegister(node.a));
        cc_.psrldq(copy, 8);
        MoveBits(NewLong(value), copy);
        return;
      }
      case WideOp::kExtendS:
        cc_.movsxd(NewLong(value), Register(node.a));
        return;
      case WideOp::kSingleOfWord:
        cc_.movd(NewFloatHome(value), Register(node.a));
        return;
      case WideOp::kWordOfSingle: {
        const Xmm single = FloatRegister(node.a);
        MoveBits(NewHome(value), single);
        return;
      }
      case WideOp::kDoubleOfLong:
        cc_.movq(NewFloatHome(value), LongRegister(node.a));
        return;
      case WideOp::kLongOfDouble: {
        const Xmm bits = FloatRegister(node.a);
        MoveBits(NewLong(value), bits);
        return;
      }
      case WideOp::kCanonicalSingle:
      case WideOp::kCanonicalDouble:
        return EmitCanonical(value, node);
      case WideOp::kNegSingle:
      case WideOp::kNegDouble:
        return EmitSign(x86::Inst::kIdXorps, value, node, false);
      case WideOp::kAbsSingle:
      case WideOp::kAbsDouble:
        return EmitSign(x86::Inst::kIdAndps, value, node, true);
      case WideOp::kF32Add:
      case WideOp::kF64Add:
        return EmitTwoFloats(x86::Inst::kIdAddss, x86::Inst::kIdAddsd, value, node);
      case WideOp::kF32Sub:
      case WideOp::kF64Sub:
        return EmitTwoFloats(x86::Inst::kIdSubss, x86::Inst::kIdSubsd, value, node);
      case WideOp::kF32Mul:
      case WideOp::kF64Mul:
        return EmitTwoFloats(x86::Inst::kIdMulss, x86::Inst::kIdMulsd, value, node);
      case WideOp::kF32Div:
      case WideOp::kF64Div:
        return EmitTwoFloats(x86::Inst::kIdDivss, x86::Inst::kIdDivsd, value, node);
      case WideOp::kF32Min:
      case WideOp::kF64Min:
        return EmitSmaller(value, node);
      case WideOp::kF32Max:
      case WideOp::kF64Max:
        return EmitLarger(value, node);
      case WideOp::kF32Sqrt:
      case WideOp::kF64Sqrt: {
        const Xmm home = MovedFloat(value, node.a);
        cc_.emit(type == Type::kDouble ? x86::Inst::kIdSqrtsd : x86::Inst::kIdSqrtss, home, home);
        return;
      }
      case WideOp::kF32Nearest:
      case WideOp::kF64Nearest:
        return EmitRounded(value, node, 0);
      case WideOp::kF32Floor:
      case WideOp::kF64Floor:
        return EmitRounded(value, node, 1);
      case WideOp::kF32Ceil:
      case WideOp::kF64Ceil:
        return EmitRounded(value, node, 2);
      case WideOp::kF32Trunc:
      case WideOp::kF64Trunc:
        return EmitRounded(value, node, 3);
      case WideOp::kF32DemoteF64:
      case WideOp::kF64PromoteF32: {
        const Xmm from = FloatRegister(node.a);
        const Xmm home = NewFloatHome(value);
        cc_.xorps(home, home);  // depends on nothing before
        cc_.emit(type == Type::kDouble ? x86::Inst::kIdCvtss2sd : x86::Inst::kIdCvtsd2ss, home,
                 from);
        return;
      }
      case WideOp::kF32ConvertI32S:
      case WideOp::kF64ConvertI32S:
        return ConvertInteger(value, type, Register(node.a));
      case WideOp::kF32ConvertI32U:
      case WideOp::kF64ConvertI32U:
        return ConvertInteger(value, type, Register(node.a).r64());
      case WideOp::kF32ConvertI64S:
      case WideOp::kF64ConvertI64S:
        return ConvertInteger(value, type, LongRegister(node.a));
      case WideOp::kF32ConvertI64U:
      case WideOp::kF64ConvertI64U:
        return ConvertUnsigned(value, node);
      case WideOp::kI32TruncF32S:
      case WideOp::kI32TruncF32U:
      case WideOp::kI32TruncF64S:
      case WideOp::kI32TruncF64U:
      case WideOp::kI64TruncF32S:
      case WideOp::kI64TruncF32U:
      case WideOp::kI64TruncF64S:
      case WideOp::kI64TruncF64U: {
        const Gp home = IntegerHome(value, type);
        Truncate(node.wide, home, FloatRegister(node.a));
        return;
      }
      case WideOp::kI32TruncSatF32S:
      case WideOp::kI32TruncSatF32U:
      case WideOp::kI32TruncSatF64S:
      case WideOp::kI32TruncSatF64U:
      case WideOp::kI64TruncSatF32S:
      case WideOp::kI64TruncSatF32U:
      case WideOp::kI64TruncSatF64S:
      case WideOp::kI64TruncSatF64U:
        return EmitSaturated(value, node);
      case WideOp::kAddLong:
        return EmitTwoLongs(x86::Inst::kIdAdd, value, node);
      case WideOp::kSubLong:
        return EmitTwoLongs(x86::Inst::kIdSub, value, node);
      case WideOp::kAndLong:
        return EmitTwoLongs(x86::Inst::kIdAnd, value, node);
      case WideOp::kOrLong:
        return EmitTwoLongs(x86::Inst::kIdOr, value, node);
      case WideOp::kXorLong:
        return EmitTwoLongs(x86::Inst::kIdXor, value, node);
      case WideOp::kI64Mul:
        return EmitTwoLongs(x86::Inst::kIdImul, value, node);
      case WideOp::kI64Shl:
        return EmitLongShift(x86::Inst::kIdShl, value, node);
      case WideOp::kI64ShrS:
        return EmitLongShift(x86::Inst::kIdSar, value, node);
      case WideOp::kI64ShrU:
        return EmitLongShift(x86::Inst::kIdShr, value, node);
      case WideOp::kI64Rotl:
        return EmitLongShift(x86::Inst::kIdRol, value, node);
      case WideOp::kI64Rotr:
        return EmitLongShift(x86::Inst::kIdRor, value, node);
      case WideOp::kI64Clz:
        return EmitLongCount(x86::Inst::kIdLzcnt, value, node);
      case WideOp::kI64Ctz:
        return EmitLongCount(x86::Inst::kIdTzcnt, value, node);
      case WideOp::kI64Popcnt:
        return EmitLongCount(x86::Inst::kIdPopcnt, value, node);
      default:
        return EmitWideFlag(value, node);
    }
  }

  /// Compares; the condition under which the value is 1. REQUIRES: SetsFlags(node).
  CondCode CompareWide(const Node& node) {
    const Type type = Info(node.wide).a;
    if (type == Type::kLong) {
      const Gp a = LongRegister(node.a);
      if (const std::optional<Imm> small = SmallLong(node.b)) {
        cc_.cmp(a, *small);
      } else {
        cc_.cmp(a, LongRegister(node.b));
      }
      return ConditionOfLong(node.wide);
    }
    switch (node.wide) {
      case WideOp::kF32Lt:
      case WideOp::kF64Lt:
        Compare(type, FloatRegister(node.b), FloatRegister(node.a));
        return CondCode::kUnsignedGT;
      case WideOp::kF32Le:
      case WideOp::kF64Le:
        Compare(type, FloatRegister(node.b), FloatRegister(node.a));
        return CondCode::kUnsignedGE;
      case WideOp::kF32Gt:
      case WideOp::kF64Gt:
        Compare(type, FloatRegister(node.a), FloatRegister(node.b));
        return CondCode::kUnsignedGT;
      default:
        Compare(type, FloatRegister(node.a), FloatRegister(node.b));
        return CondCode::kUnsignedGE;
    }
  }

  /// What lies out of the way of the blocks. REQUIRES: every block was emitted.
  void EmitCanonicalNans() {
    for (const auto& [from, back, home, type] : nans_) {
      cc_.bind(from);
      MoveFloat(type, home, CanonicalNan(type));
      cc_.jmp(back);
    }
  }

 private:
  // ------------------------------------------------------------------------------------ integers

  static CondCode ConditionOfLong(WideOp op) {
    switch (op) {
      case WideOp::kEqLong:
        return CondCode::kEqual;
      case WideOp::kLtSLong:
        return CondCode::kSignedLT;
      case WideOp::kLtULong:
        return CondCode::kUnsignedLT;
      case WideOp::kGtSLong:
        return CondCode::kSignedGT;
      case WideOp::kGtULong:
        return CondCode::kUnsignedGT;
      case WideOp::kLeSLong:
        return CondCode::kSignedLE;
      case WideOp::kLeULong:
        return CondCode::kUnsignedLE;
      case WideOp::kGeSLong:
        return CondCode::kSignedGE;
      case WideOp::kGeULong:
        return CondCode::kUnsignedGE;
      default:
        return CondCode::kNotEqual;
    }
  }

  // A constant that an instruction on 64 bits can hold.
  std::optional<Imm> SmallLong(Value value) const {
    const std::optional<std::uint64_t> bits = LongConstant(value);
    if (!bits) return std::nullopt;
    const auto number = static_cast<std::int64_t>(*bits);
    if (number != static_cast<std::int32_t>(number)) return std::nullopt;
    return Imm(number);
  }

  void EmitPair(Value value, const Node& node) {
    const Gp home = NewLong(value);
    if (IsConstant(node.b) && At(node.b).imm == 0) {
      cc_.mov(home.r32(), Register(node.a));
      return;
    }
    if (IsConstant(node.b)) {
      cc_.mov(home, Imm(At(node.b).imm << 32));
    } else {
      cc_.mov(home.r32(), Register(node.b));
      cc_.shl(home, 32);
    }
    if (IsConstant(node.a) && At(node.a).imm == 0) return;
    cc_.or_(home, Register(node.a).r64());  // zeros above
  }

  // No MOV: the allocator leaves one out where both are one register, and then what is above stays.
  void EmitLow(Value value, const Gp& all) { cc_.lea(NewHome(value), x86::ptr(all)); }

  void EmitHigh(Value value, const Node& node) {
    const Gp high = NewQuad();
    cc_.mov(high, LongRegister(node.a));
    cc_.shr(high, 32);
    cc_.mov(NewHome(value), high.r32());  // zeros above already
  }

  void EmitTwoLongs(asmjit::InstId instruction, Value value, const Node& node) {
    const std::optional<Imm> small = SmallLong(node.b);
    const Gp a = LongRegister(node.a), b = small ? a : LongRegister(node.b);
    const Gp home = NewLong(value, node.a);
    if (Same(home, b) && !Same(home, a)) {
      const Gp copy = NewQuad();
      cc_.mov(copy, a);
      cc_.emit(instruction, copy, b);
      cc_.mov(home, copy);
      return;
    }
    if (!Same(home, a)) cc_.mov(home, a);
    if (!small) {
      cc_.emit(instruction, home, b);
    } else if (instruction == x86::Inst::kIdImul) {
      cc_.emit(instruction, home, home, *small);
    } else {
      cc_.emit(instruction, home, *small);
    }
  }

  void EmitLongShift(asmjit::InstId instruction, Value value, const Node& node) {
    const Gp home = NewLong(value, node.a);
    if (const Gp a = LongRegister(node.a); !Same(home, a)) cc_.mov(home, a);
    constexpr std::uint64_t kCountMask = 63;
    if (IsConstant(node.b)) {
      cc_.emit(instruction, home, Imm(At(node.b).imm & kCountMask));
    } else {
      cc_.emit(instruction, home, Register(node.b).r8());
    }
  }

  void EmitLongCount(asmjit::InstId instruction, Value value, const Node& node) {
    const Gp count = NewQuad();
    cc_.emit(instruction, count, LongRegister(node.a));
    cc_.mov(NewHome(value), count.r32());
  }

  // --------------------------------------------------------------------------------------- moves

  void LoadWide(Value value, const Node& node, const Mem& place) {
    if (node.type == Type::kLong) {
      cc_.mov(NewLong(value), place);
    } else {
      MoveFloat(node.type, NewFloatHome(value), place);
    }
  }

  // A long of which only the words are used.
  void LoadWords(Value value, const Node& node) {
    const auto load = [&](Value word, std::uint64_t offset) {
      if (word == kNone) return;
      Node half = node;
      half.imm += offset;
      const Mem place = MemoryAt(half, sizeof(Word));
      cc_.mov(NewHome(word), place);
    };
    load(words_of_[value].first, 0);
    load(words_of_[value].second, sizeof(Word));
  }

  // The home of a value with operand `a` moved there.
  Xmm MovedFloat(Value value, Value a) {
    const Xmm from = FloatRegister(a);
    const Xmm home = NewFloatHome(value, a);
    if (home.id() != from.id()) cc_.movaps(home, from);
    return home;
  }

  void Compare(Type type, const Xmm& a, const asmjit::Operand& b) {
    cc_.emit(type == Type::kDouble ? x86::Inst::kIdUcomisd : x86::Inst::kIdUcomiss, a, b);
  }

  // -------------------------------------------------------------------------------------- floats

  void EmitTwoFloats(asmjit::InstId single, asmjit::InstId twice, Value value, const Node& node) {
    const asmjit::InstId instruction = node.type == Type::kDouble ? twice : single;
    const asmjit::Operand b = FloatOperand(node.b);
    const Xmm a = FloatRegister(node.a);
    const Xmm home = NewFloatHome(value, node.a);
    if (b.isReg() && b.id() == home.id() && a.id() != home.id()) {
      const Xmm copy = NewFloat(node.type);
      cc_.movaps(copy, a);
      cc_.emit(instruction, copy, b);
      cc_.movaps(home, copy);
      return;
    }
    if (a.id() != home.id()) cc_.movaps(home, a);
    cc_.emit(instruction, home, b);
  }

  // The processor's minimum of equal zeros or a NaN is its second operand. Both ways at once: OR of
  // zeros is -0 if one is, and OR with a NaN is a NaN.
  void EmitSmaller(Value value, const Node& node) {
    const auto [one, other] = BothWays(x86::Inst::kIdMinss, x86::Inst::kIdMinsd, node);
    cc_.orps(one, other);
    cc_.movaps(NewFloatHome(value), one);
  }

  // AND of zeros is +0 if one is. Where one is a NaN, all bits are set: that is one, too.
  void EmitLarger(Value value, const Node& node) {
    const Xmm a = FloatRegister(node.a), b = FloatRegister(node.b);
    const auto [one, other] = BothWays(x86::Inst::kIdMaxss, x86::Inst::kIdMaxsd, node);
    cc_.andps(one, other);
    cc_.movaps(other, a);
    constexpr int kUnordered = 3;
    cc_.emit(node.type == Type::kDouble ? x86::Inst::kIdCmpsd : x86::Inst::kIdCmpss, other, b,
             Imm(kUnordered));
    cc_.orps(one, other);
    cc_.movaps(NewFloatHome(value), one);
  }

  std::pair<Xmm, Xmm> BothWays(asmjit::InstId single, asmjit::InstId twice, const Node& node) {
    const Xmm a = FloatRegister(node.a), b = FloatRegister(node.b);
    const Xmm one = NewFloat(node.type), other = NewFloat(node.type);
    const asmjit::InstId instruction = node.type == Type::kDouble ? twice : single;
    cc_.movaps(one, a);
    cc_.movaps(other, b);
    cc_.emit(instruction, one, b);
    cc_.emit(instruction, other, a);
    return {one, other};
  }

  // `mode` of ROUNDSD: to nearest even, down, up, towards zero.
  void EmitRounded(Value value, const Node& node, int mode) {
    const Xmm home = MovedFloat(value, node.a);
    cc_.emit(node.type == Type::kDouble ? x86::Inst::kIdRoundsd : x86::Inst::kIdRoundss, home, home,
             Imm(mode));
  }

  void EmitSign(asmjit::InstId instruction, Value value, const Node& node, bool keeps_rest) {
    const Xmm home = MovedFloat(value, node.a);
    const std::uint64_t sign = node.type == Type::kDouble ? kDoubleSign : kSingleSign;
    const std::uint64_t mask[2] = {keeps_rest ? ~sign : sign, keeps_rest ? ~std::uint64_t{0} : 0};
    cc_.emit(instruction, home, cc_.newConst(asmjit::ConstPoolScope::kLocal, mask, sizeof(mask)));
  }

  void EmitCanonical(Value value, const Node& node) {
    const Xmm home = MovedFloat(value, node.a);
    const PlannedNan nan{cc_.newLabel(), cc_.newLabel(), home, node.type};
    Compare(node.type, home, home);
    cc_.jp(nan.from);
    cc_.bind(nan.back);
    nans_.push_back(nan);
  }

  void EmitWideFlag(Value value, const Node& node) {
    const Gp flag = NewFlag();
    if (SetsFlags(node)) {
      cc_.set(CompareWide(node), flag.r8());
    } else {  // equal: zero and no parity
      const bool differs = node.wide == WideOp::kF32Ne || node.wide == WideOp::kF64Ne;
      const Gp ordered = NewFlag();
      Compare(Info(node.wide).a, FloatRegister(node.a), FloatOperand(node.b));
      cc_.set(differs ? CondCode::kNotEqual : CondCode::kEqual, flag.r8());
      cc_.set(differs ? CondCode::kParityEven : CondCode::kParityOdd, ordered.r8());
      if (differs) {
        cc_.or_(flag.r8(), ordered.r8());
      } else {
        cc_.and_(flag.r8(), ordered.r8());
      }
    }
    KeepFlag(value, flag);
  }

  // --------------------------------------------------------------------------------- conversions

  void ConvertInteger(Value value, Type type, const Gp& from) {
    const Xmm home = NewFloatHome(value);
    cc_.xorps(home, home);  // depends on nothing before
    cc_.emit(type == Type::kDouble ? x86::Inst::kIdCvtsi2sd : x86::Inst::kIdCvtsi2ss, home, from);
  }

  // From 2^63 on: half of the number, its last bit kept for the rounding, and twice that.
  void ConvertUnsigned(Value value, const Node& node) {
    const bool is_double = node.type == Type::kDouble;
    const asmjit::InstId convert = is_double ? x86::Inst::kIdCvtsi2sd : x86::Inst::kIdCvtsi2ss;
    const Gp from = LongRegister(node.a);
    const Gp half = NewQuad(), last = NewQuad();
    const Xmm home = NewFloatHome(value);
    const Label large = cc_.newLabel(), done = cc_.newLabel();
    cc_.xorps(home, home);
    cc_.test(from, from);
    cc_.js(large);
    cc_.emit(convert, home, from);
    cc_.jmp(done);
    cc_.bind(large);
    cc_.mov(half, from);
    cc_.mov(last, from);
    cc_.shr(half, 1);
    cc_.and_(last, 1);
    cc_.or_(half, last);
    cc_.emit(convert, home, half);
    cc_.emit(is_double ? x86::Inst::kIdAddsd : x86::Inst::kIdAddss, home, home);
    cc_.bind(done);
  }

  struct Range {
    double below = 0, above = 0;  // what is truncated lies between them
  };

  // The neighbours of the integers that fit. Each is a number of the operand's type.
  static Range RangeOf(WideOp op) {
    constexpr double k31 = 2147483648.0, k32 = 4294967296.0;
    constexpr double k63 = 9223372036854775808.0, k64 = 18446744073709551616.0;
    constexpr double kSingleStep31 = 256, kSingleStep63 = 1099511627776.0;  // 2^8, 2^40
    constexpr double kDoubleStep63 = 2048;                                  // 2^11
    switch (op) {
      case WideOp::kI32TruncF32S:
      case WideOp::kI32TruncSatF32S:
        return {-k31 - kSingleStep31, k31};
      case WideOp::kI32TruncF64S:
      case WideOp::kI32TruncSatF64S:
        return {-k31 - 1, k31};
      case WideOp::kI64TruncF32S:
      case WideOp::kI64TruncSatF32S:
        return {-k63 - kSingleStep63, k63};
      case WideOp::kI64TruncF64S:
      case WideOp::kI64TruncSatF64S:
        return {-k63 - kDoubleStep63, k63};
      case WideOp::kI32TruncF32U:
      case WideOp::kI32TruncSatF32U:
      case WideOp::kI32TruncF64U:
      case WideOp::kI32TruncSatF64U:
        return {-1, k32};
      default:
        return {-1, k64};
    }
  }

  static bool IsUnsignedTruncation(WideOp op) { return RangeOf(op).below == -1; }

  Gp IntegerHome(Value value, Type type) {
    return type == Type::kLong ? NewLong(value) : NewHome(value);
  }

  // REQUIRES: x is in the range of the operation.
  void Truncate(WideOp op, const Gp& home, const Xmm& x) {
    const WideInfo& info = Info(op);
    const asmjit::InstId convert =
        info.a == Type::kDouble ? x86::Inst::kIdCvttsd2si : x86::Inst::kIdCvttss2si;
    if (!IsUnsignedTruncation(op)) {
      cc_.emit(convert, home, x);
      return;
    }
    if (info.result == Type::kWord) {
      const Gp whole = NewQuad();
      cc_.emit(convert, whole, x);
      cc_.mov(home, whole.r32());
      return;
    }
    // From 2^63 on that is subtracted first.
    constexpr double k63 = 9223372036854775808.0;
    constexpr int kTopBit = 63;
    const Label large = cc_.newLabel(), done = cc_.newLabel();
    const Xmm less = NewFloat(info.a);
    const Mem top = FloatConstant(info.a, k63);
    Compare(info.a, x, top);
    cc_.jae(large);
    cc_.emit(convert, home, x);
    cc_.jmp(done);
    cc_.bind(large);
    cc_.movaps(less, x);
    cc_.emit(info.a == Type::kDouble ? x86::Inst::kIdSubsd : x86::Inst::kIdSubss, less, top);
    cc_.emit(convert, home, less);
    cc_.btc(home, kTopBit);
    cc_.bind(done);
  }

  // 0 for a NaN, else the nearest integer that there is.
  void EmitSaturated(Value value, const Node& node) {
    const WideInfo& info = Info(node.wide);
    const bool is_long = info.result == Type::kLong;
    const bool is_unsigned = IsUnsignedTruncation(node.wide);
    const Range range = RangeOf(node.wide);
    const Xmm x = FloatRegister(node.a);
    // Not the home: that may be a variable, and there are several ways to here.
    const Gp home = is_long ? NewQuad() : NewWord();
    const Label done = cc_.newLabel();
    const int bits = is_long ? 64 : 32;
    const std::uint64_t top = std::uint64_t{1} << (bits - 1);
    const std::uint64_t all = top | (top - 1);
    const auto set = [&](std::uint64_t number) {
      cc_.mov(home, is_long ? Imm(number) : Imm(static_cast<std::uint32_t>(number)));
    };
    set(0);
    Compare(info.a, x, x);
    cc_.jp(done);
    if (!is_unsigned) set(top);
    Compare(info.a, x, FloatConstant(info.a, range.below));
    cc_.jbe(done);
    set(is_unsigned ? all : top - 1);
    Compare(info.a, x, FloatConstant(info.a, range.above));
    cc_.jae(done);
    Truncate(node.wide, home, x);
    cc_.bind(done);
    cc_.mov(IntegerHome(value, info.result), home);
  }

  struct PlannedNan {
    Label from, back;
    Xmm home;
    Type type;
  };

  std::vector<PlannedNan> nans_;
};

}  // namespace txvm::vm::folded

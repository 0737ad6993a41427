// Chooses instructions for the values of a block.
#pragma once

#include <bit>
#include <limits>
#include <optional>

#include "vm/folded/constant_division.h"
#include "vm/folded/processor.h"
#include "vm/folded/vector_emitter.h"

namespace txvm::vm::folded {

/// Emits the nodes of one block after the other.
class ValueEmitter : protected VectorEmitter {
 protected:
  ValueEmitter(x86::Compiler& cc, const FunctionIr& ir) : VectorEmitter(cc, ir) {}

  void EmitNode(Value value, const Node& node) {
    switch (node.op) {
      case Op::kConst:
      case Op::kVariable:
        return;
      case Op::kCell:
        cc_.mov(NewHome(value), CellInSpace(node.imm));
        return;
      case Op::kGlobalGet:
        cc_.mov(NewHome(value), Global(node.imm));
        return;
      case Op::kGlobalSet:
        Store(Global(node.imm), node.a);
        return;
      case Op::kLoad:
        return EmitLoad(value, node);
      case Op::kStore:
        return EmitStore(node);
      case Op::kCheckRange:
        return EmitCheckRange(node);
      case Op::kCheckNonzero: {
        const Gp divisor = Register(node.a);
        cc_.test(divisor, divisor);
        cc_.je(ExitLabel(node.exit));
        return;
      }
      case Op::kCheckQuotient:
        return EmitCheckQuotient(node);
      case Op::kDivide:
        return EmitDivide(value, node);
      case Op::kPure:
        return EmitPure(value, node);
      case Op::kWide:
        return EmitWide(value, node);
      case Op::kWideCell:
        return EmitWideCell(value, node);
      case Op::kWideLoad:
        return EmitWideLoad(value, node);
      case Op::kWideStore:
        return EmitWideStore(node);
      case Op::kCheckTruncation:
        return EmitCheckTruncation(node);
      case Op::kVector:
        return EmitVector(value, node);
    }
  }

  void Store(const Mem& place, Value value) {
    if (IsConstant(value)) {
      cc_.mov(place, ImmediateOf(value));
    } else {
      cc_.mov(place, Register(value));
    }
  }

  void EmitLoad(Value value, const Node& node) {
    switch (node.opcode) {
      case Opcode::kLoad8U: {
        const Mem place = MemoryAt(node, 1);
        cc_.movzx(NewHome(value, node.a), place);
        return;
      }
      case Opcode::kLoad8S: {
        const Mem place = MemoryAt(node, 1);
        cc_.movsx(NewHome(value, node.a), place);
        return;
      }
      case Opcode::kLoad16U: {
        const Mem place = MemoryAt(node, 2);
        cc_.movzx(NewHome(value, node.a), place);
        return;
      }
      case Opcode::kLoad16S: {
        const Mem place = MemoryAt(node, 2);
        cc_.movsx(NewHome(value, node.a), place);
        return;
      }
      default: {
        const Mem place = MemoryAt(node, 4);
        cc_.mov(NewHome(value, node.a), place);
        return;
      }
    }
  }

  void EmitStore(const Node& node) {
    const std::uint32_t size = isa::Info(node.opcode).memory_writes;
    const Mem place = MemoryAt(node, size);
    if (IsConstant(node.b)) {
      const auto word = static_cast<Word>(At(node.b).imm);
      const Word part = size == 4 ? word : word & ((Word{1} << (8 * size)) - 1);
      cc_.mov(place, Imm(size == 4   ? std::int64_t{static_cast<std::int32_t>(part)}
                         : size == 2 ? std::int64_t{static_cast<std::int16_t>(part)}
                                     : std::int64_t{static_cast<std::int8_t>(part)}));
      return;
    }
    const Gp word = Register(node.b);
    cc_.mov(place, size == 4 ? word : size == 2 ? Gp(word.r16()) : Gp(word.r8()));
  }

  // One comparison: address + offset + width <= size, in 64 bits.
  void EmitCheckRange(const Node& node) {
    const Mem size = x86::qword_ptr(ctx_, OffsetOf(offsetof(Context, memory_size)));
    const bool constant = IsConstant(node.a);
    const std::uint64_t end = node.imm + (constant ? At(node.a).imm : 0);
    if (constant && end <= static_cast<std::uint64_t>(kLargestOffset)) {
      cc_.cmp(size, Imm(end));
      cc_.jb(ExitLabel(node.exit));
      return;
    }
    const Gp sum = NewQuad();
    if (end > static_cast<std::uint64_t>(kLargestOffset)) {
      cc_.mov(sum, Imm(end));
      if (!constant) cc_.lea(sum, x86::ptr(sum, Register(node.a).r64()));
    } else {
      cc_.lea(sum, x86::ptr(Register(node.a).r64(), static_cast<std::int32_t>(end)));
    }
    cc_.cmp(sum, size);
    cc_.ja(ExitLabel(node.exit));
  }

  void EmitCheckQuotient(const Node& node) {
    const Label fine = cc_.newLabel();
    const Gp a = Register(node.a);
    if (!IsConstant(node.b)) {
      cc_.cmp(Register(node.b), Imm(-1));
      cc_.jne(fine);
    }
    cc_.cmp(a, Imm(std::numeric_limits<std::int32_t>::min()));
    cc_.je(ExitLabel(node.exit));
    cc_.bind(fine);
  }

  // ---------------------------------------------------------------------------------- division

  void EmitDivide(Value value, const Node& node) {
    const bool is_signed = node.opcode == Opcode::kDivS || node.opcode == Opcode::kRemS;
    const bool is_quotient = node.opcode == Opcode::kDivS || node.opcode == Opcode::kDivU;
    if (IsConstant(node.b) && !IsConstant(node.a)) {
      const auto divisor = static_cast<Word>(At(node.b).imm);
      const std::optional<Gp> quotient =
          is_signed ? SignedQuotient(node.a, divisor) : UnsignedQuotient(node.a, divisor);
      if (quotient) return FinishConstantDivision(value, node, *quotient, is_quotient);
    }
    const Gp low = NewWord(), high = NewWord();
    const Gp divisor = Register(node.b);
    Label done;
    const bool minus_one = node.opcode == Opcode::kRemS && !IsConstant(node.b);
    if (minus_one) {  // x rem -1 = 0, but the instruction faults for INT_MIN
      const Label other = cc_.newLabel();
      done = cc_.newLabel();
      cc_.cmp(divisor, Imm(-1));
      cc_.jne(other);
      cc_.mov(high, 0);
      cc_.jmp(done);
      cc_.bind(other);
    }
    Move(low, node.a);
    if (is_signed) {
      cc_.cdq(high, low);
      cc_.idiv(high, low, divisor);
    } else {
      cc_.xor_(high, high);
      cc_.div(high, low, divisor);
    }
    if (minus_one) cc_.bind(done);
    cc_.mov(NewHome(value), is_quotient ? low : high);
  }

  std::optional<Gp> UnsignedQuotient(Value a, Word divisor) {
    if (divisor < 2) return std::nullopt;
    const std::optional<Reciprocal> reciprocal = UnsignedReciprocal(divisor);
    const Gp product = NewQuad();
    if (reciprocal) {
      const Gp multiplier = NewQuad();
      cc_.mov(multiplier, Imm(reciprocal->multiplier));
      cc_.mov(product.r32(), Register(a));
      cc_.imul(product, multiplier);
      cc_.shr(product, Imm(reciprocal->shift));
      return product.r32();
    }
    // A multiplier of 33 bits, 2^32 + m: q = (((n - t) >> 1) + t) >> (l - 1), t = m n >> 32.
    const auto l = static_cast<unsigned>(std::bit_width(divisor - 1));
    const std::uint64_t m =
        ((std::uint64_t{1} << 32) * ((std::uint64_t{1} << l) - divisor)) / divisor + 1;
    const Gp multiplier = NewQuad(), rest = NewWord();
    cc_.mov(multiplier, Imm(m));
    cc_.mov(product.r32(), Register(a));
    cc_.imul(product, multiplier);
    cc_.shr(product, Imm(32));
    cc_.mov(rest, Register(a));
    cc_.sub(rest, product.r32());
    cc_.shr(rest, Imm(1));
    cc_.add(rest, product.r32());
    cc_.shr(rest, Imm(l - 1));
    return rest;
  }

  std::optional<Gp> SignedQuotient(Value a, Word divisor) {
    const bool negative = isa::Signed(divisor) < 0;
    const Word magnitude = negative ? isa::Neg(divisor) : divisor;
    if (magnitude < 2 || magnitude > 0x7FFFFFFF) return std::nullopt;
    const Reciprocal reciprocal = SignedReciprocal(magnitude);
    const Gp product = NewQuad(), multiplier = NewQuad(), sign = NewWord();
    cc_.movsxd(product, Register(a));
    cc_.mov(multiplier, Imm(reciprocal.multiplier));
    cc_.mov(sign, Register(a));
    cc_.imul(product, multiplier);
    cc_.shr(sign, Imm(31));
    cc_.sar(product, Imm(reciprocal.shift));
    const Gp quotient = NewWord();
    cc_.mov(quotient, product.r32());
    cc_.add(quotient, sign);
    if (negative) cc_.neg(quotient);
    return quotient;
  }

  void FinishConstantDivision(Value value, const Node& node, const Gp& quotient, bool is_quotient) {
    if (is_quotient) {
      cc_.mov(NewHome(value), quotient);
      return;
    }
    const Gp multiple = NewWord(), rest = NewWord();
    cc_.imul(multiple, quotient, ImmediateOf(node.b));
    cc_.mov(rest, Register(node.a));
    cc_.sub(rest, multiple);
    cc_.mov(NewHome(value), rest);
  }
  // ---------------------------------------------------------------------------------- pure ones

  void EmitPure(Value value, const Node& node) {
    switch (node.opcode) {
      case Opcode::kAdd:
        if (EmitSum(value, node)) return;
        return EmitTwo(x86::Inst::kIdAdd, value, node);
      case Opcode::kSub:
        return EmitTwo(x86::Inst::kIdSub, value, node);
      case Opcode::kAnd:
        return EmitTwo(x86::Inst::kIdAnd, value, node);
      case Opcode::kOr:
        return EmitTwo(x86::Inst::kIdOr, value, node);
      case Opcode::kXor:
        return EmitTwo(x86::Inst::kIdXor, value, node);
      case Opcode::kMul:
        return EmitProduct(value, node);
      case Opcode::kShl:
        return EmitShift(x86::Inst::kIdShl, x86::Inst::kIdShlx, value, node);
      case Opcode::kShrU:
        return EmitShift(x86::Inst::kIdShr, x86::Inst::kIdShrx, value, node);
      case Opcode::kShrS:
        return EmitShift(x86::Inst::kIdSar, x86::Inst::kIdSarx, value, node);
      case Opcode::kRotl:
        return EmitShift(x86::Inst::kIdRol, x86::Inst::kIdNone, value, node);
      case Opcode::kRotr:
        return EmitShift(x86::Inst::kIdRor, x86::Inst::kIdNone, value, node);
      case Opcode::kNeg: {
        const Gp home = NewHome(value, node.a);
        Move(home, node.a);
        cc_.neg(home);
        return;
      }
      case Opcode::kAbs:
        return EmitAbs(value, node);
      case Opcode::kClz:
      case Opcode::kCtz:
      case Opcode::kPopcnt:
        return EmitCount(value, node);
      case Opcode::kSelect:
        return EmitSelect(value, node);
      default:
        return EmitFlag(value, node);
    }
  }

  bool EmitSum(Value value, const Node& node) {
    const Gp a = Register(node.a);
    const Gp home = NewHome(value, node.a);
    if (Same(home, a)) return AddInPlace(home, node.b);
    if (IsConstant(node.b)) {
      cc_.lea(home,
              x86::ptr(a.r64(), static_cast<std::int32_t>(static_cast<Word>(At(node.b).imm))));
      return true;
    }
    const Gp b = Register(node.b);
    if (Same(home, b)) {
      cc_.add(home, a);
    } else {
      cc_.lea(home, x86::ptr(a.r64(), b.r64()));
    }
    return true;
  }
  bool AddInPlace(const Gp& home, Value b) {
    if (IsConstant(b)) {
      cc_.add(home, ImmediateOf(b));
    } else {
      cc_.add(home, Register(b));
    }
    return true;
  }

  // home = a op b, where the instruction computes home = home op b.
  void EmitTwo(asmjit::InstId instruction, Value value, const Node& node) {
    const Gp home = NewHome(value, node.a);
    if (IsConstant(node.b)) {
      Move(home, node.a);
      cc_.emit(instruction, home, ImmediateOf(node.b));
      return;
    }
    const Gp b = Register(node.b);
    if (!Same(home, b) || node.a == node.b) {
      Move(home, node.a);
      cc_.emit(instruction, home, b);
    } else if (IsCommutative(node.opcode)) {
      cc_.emit(instruction, home, Register(node.a));
    } else {
      const Gp copy = NewWord();
      Move(copy, node.a);
      cc_.emit(instruction, copy, b);
      cc_.mov(home, copy);
    }
  }

  void EmitProduct(Value value, const Node& node) {
    if (!IsConstant(node.b)) return EmitTwo(x86::Inst::kIdImul, value, node);
    const auto factor = static_cast<Word>(At(node.b).imm);
    const Gp a = Register(node.a);
    const Gp home = NewHome(value, node.a);
    if (std::has_single_bit(factor)) {
      if (!Same(home, a)) cc_.mov(home, a);
      cc_.shl(home, Imm(std::countr_zero(factor)));
      return;
    }
    cc_.imul(home, a, ImmediateOf(node.b));
  }

  void EmitShift(asmjit::InstId by_constant, asmjit::InstId by_register, Value value,
                 const Node& node) {
    if (IsConstant(node.b)) {
      const Gp home = NewHome(value, node.a);
      Move(home, node.a);
      cc_.emit(by_constant, home, Imm(At(node.b).imm & isa::kShiftMask));
      return;
    }
    const Gp count = Register(node.b);
    if (processor_.bmi2 && by_register != x86::Inst::kIdNone) {
      const Gp a = Register(node.a);
      cc_.emit(by_register, NewHome(value, node.a), a, count);
      return;
    }
    const Gp home = NewHome(value, node.a);
    if (!Same(home, count)) {
      Move(home, node.a);
      cc_.emit(by_constant, home, count.r8());
      return;
    }
    const Gp copy = NewWord();
    Move(copy, node.a);
    cc_.emit(by_constant, copy, count.r8());
    cc_.mov(home, copy);
  }

  void EmitAbs(Value value, const Node& node) {
    const Gp a = Register(node.a);
    const Gp negated = NewWord();
    cc_.mov(negated, a);
    cc_.neg(negated);
    cc_.cmovs(negated, a);
    cc_.mov(NewHome(value), negated);
  }

  void EmitCount(Value value, const Node& node) {
    const Gp a = Register(node.a);
    const Gp count = NewWord();
    if (node.opcode == Opcode::kPopcnt) {
      if (processor_.popcnt) {
        cc_.popcnt(count, a);
      } else {
        CountBits(count, a);
      }
    } else if (node.opcode == Opcode::kClz ? processor_.lzcnt : processor_.bmi) {
      cc_.emit(node.opcode == Opcode::kClz ? x86::Inst::kIdLzcnt : x86::Inst::kIdTzcnt, count, a);
    } else {
      const Gp none = NewWord();
      const bool leading = node.opcode == Opcode::kClz;
      cc_.mov(none, leading ? 63 : 32);
      cc_.emit(leading ? x86::Inst::kIdBsr : x86::Inst::kIdBsf, count, a);
      cc_.cmovz(count, none);
      if (leading) cc_.xor_(count, 31);
    }
    cc_.mov(NewHome(value), count);
  }

  // Sums of bits of pairs, then nibbles, then bytes.
  void CountBits(const Gp& count, const Gp& a) {
    const Gp part = NewWord();
    cc_.mov(count, a);
    cc_.mov(part, a);
    cc_.shr(part, 1);
    cc_.and_(part, 0x55555555);
    cc_.sub(count, part);
    cc_.mov(part, count);
    cc_.shr(part, 2);
    cc_.and_(part, 0x33333333);
    cc_.and_(count, 0x33333333);
    cc_.add(count, part);
    cc_.mov(part, count);
    cc_.shr(part, 4);
    cc_.add(count, part);
    cc_.and_(count, 0x0F0F0F0F);
    cc_.imul(count, count, 0x01010101);
    cc_.shr(count, 24);
  }

  /// Compares for a value that is tested against 0; the condition under which it is not 0.
  CondCode Compare(Value value) {
    const Node& node = At(value);
    if (!sunk_[value] && SetsFlags(node)) return Test(Register(value));
    if (!SetsFlags(node)) return Test(Register(value));
    return CompareOperands(node);
  }
  CondCode Test(const Gp& word) {
    cc_.test(word, word);
    return CondCode::kNotEqual;
  }
  CondCode CompareOperands(const Node& node) {
    if (node.op == Op::kWide) return CompareWide(node);
    const Gp a = Register(node.a);
    if (node.opcode == Opcode::kEqz) {
      cc_.test(a, a);
      return CondCode::kEqual;
    }
    const bool bits = node.opcode == Opcode::kAnd;
    const asmjit::InstId instruction = bits ? x86::Inst::kIdTest : x86::Inst::kIdCmp;
    if (IsConstant(node.b)) {
      cc_.emit(instruction, a, ImmediateOf(node.b));
    } else {
      cc_.emit(instruction, a, Register(node.b));
    }
    return bits ? CondCode::kNotEqual : ConditionOf(node.opcode);
  }

  void EmitFlag(Value value, const Node& node) {
    const Gp flag = NewFlag();
    cc_.set(CompareOperands(node), flag.r8());
    KeepFlag(value, flag);
  }

  void EmitSelect(Value value, const Node& node) {
    const Gp a = Register(node.a);
    const Gp b = Register(node.b);
    const CondCode condition = Compare(node.c);
    const Gp home = NewHome(value, node.b);
    if (Same(home, a)) {
      cc_.cmov(x86::negateCond(condition), home, b);
      return;
    }
    if (!Same(home, b)) cc_.mov(home, b);
    cc_.cmov(condition, home, a);
  }

 private:
  const Processor& processor_ = ThisProcessor();
};

}  // namespace txvm::vm::folded

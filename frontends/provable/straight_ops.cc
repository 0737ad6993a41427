// i32 arithmetic on field elements.
#include <algorithm>
#include <utility>

#include "frontends/provable/straight.h"
#include "isa/comparison.h"
#include "isa/opcode.h"
#include "vm/tensor/goldilocks.h"

namespace txvm::frontends::provable {

using isa::Opcode;
using triton::TirCode;
using wat::Instr;
using wat::InstrKind;

namespace {

constexpr std::uint64_t kPrime = vm::goldilocks::kPrime;
constexpr std::uint64_t kWordModulus = std::uint64_t{1} << 32;
constexpr std::uint64_t kTopBit = std::uint64_t{1} << 31;
constexpr std::uint32_t kShiftMask = 31;
constexpr std::uint32_t kWordBits = 32;

bool IsSigned(Opcode op) {
  return op == Opcode::kLtS || op == Opcode::kGtS || op == Opcode::kLeS || op == Opcode::kGeS;
}

/// The largest sum or product of values up to a and b; p when it does not fit the field.
std::uint64_t SumBound(std::uint64_t a, std::uint64_t b) { return a < kPrime - b ? a + b : kPrime; }
std::uint64_t ProductBound(std::uint64_t a, std::uint64_t b) {
  return b == 0 || a <= (kPrime - 1) / b ? a * b : kPrime;
}

bool IsPowerOfTwo(std::uint32_t c) { return c != 0 && (c & (c - 1)) == 0; }

std::uint32_t Log2(std::uint32_t c) {
  std::uint32_t n = 0;
  while (c > 1) {
    c >>= 1;
    ++n;
  }
  return n;
}

}  // namespace

/// Whether the operand just left is taken by a sum or product that takes operands of any size.
bool Straight::NextReduces() const {
  std::size_t i = 0;
  if (i < rest_.size() &&
      (rest_[i].kind == InstrKind::kConst ||
       (rest_[i].kind == InstrKind::kLocal && rest_[i].op == Opcode::kLocalGet))) {
    ++i;
  }
  if (i >= rest_.size() || rest_[i].kind != InstrKind::kOp) return false;
  const Opcode op = rest_[i].op;
  return op == Opcode::kAdd || op == Opcode::kSub || op == Opcode::kMul;
}

/// Reduces the top modulo 2^32.
void Straight::Reduce() {
  code_.Op(TirCode::kSplit);
  code_.Swap(1);
  code_.Pop(1);
}

/// An operation left a number up to `bound` that stands for its remainder modulo 2^32.
void Straight::LeftSum(std::uint64_t bound) {
  if (bound > kWordMax && !NextReduces()) {
    Reduce();
    bound = kWordMax;
  }
  Left({.bound = bound});
}

void Straight::LeftBool(bool is_zero_test, bool of_bool) {
  Left({.bound = 1,
        .is_bool = true,
        .of_bool = of_bool,
        .zero_test = is_zero_test ? code_.size() : 0});
}

/// `_ a -- _ (a = 0)`
void Straight::ZeroTest(bool of_bool) {
  code_.Push(0);
  code_.Op(TirCode::kEq);
  LeftBool(true, of_bool);
}

/// Reduces both operands, popped but on the stack.
void Straight::ReduceOperands(Operand& left, Operand& right) {
  if (right.bound > kWordMax) {
    Reduce();
    right.bound = kWordMax;
  }
  if (left.bound > kWordMax) {
    code_.Swap(1);
    Reduce();
    code_.Swap(1);
    left.bound = kWordMax;
  }
}

void Straight::Operation(isa::Opcode op) {
  if (op == Opcode::kPop) return Drop();
  if (op == Opcode::kSelect) return Select();
  if (op == Opcode::kDup || op == Opcode::kSwap || op == Opcode::kOver) return Shuffle(op);
  if (isa::Info(op).pops == 1) return Unary(op);
  TXVM_ASSERT(isa::Info(op).pops == 2 && isa::Info(op).pushes == 1);
  if (!operands_.empty() && operands_.back().constant) {
    const std::uint32_t c = *Pop().constant;
    FlushConstants();
    if (BinaryByConstant(op, c)) return;
    Left({.constant = c});
  }
  FlushConstants();
  if (op == Opcode::kAdd || op == Opcode::kSub || op == Opcode::kMul) return Arithmetic(op);
  Binary(op);
}

/// What i64 and floats add to WebAssembly's instructions.
void Straight::Shuffle(isa::Opcode op) {
  FlushConstants();
  if (op == Opcode::kDup || op == Opcode::kOver) {
    code_.Dup(op == Opcode::kDup ? 0 : 1);
    return Left({});
  }
  code_.Swap(1);
  Words(2, 2);
}

void Straight::Unary(isa::Opcode op) {
  FlushConstants();
  Operand operand = Pop();
  if (operand.bound > kWordMax) Reduce();
  switch (op) {
    case Opcode::kEqz:
      return ZeroTest(operand.is_bool);
    case Opcode::kPopcnt:
      code_.Op(TirCode::kPopCount);
      break;
    case Opcode::kClz:
      HelperCall("i32_clz");
      break;
    case Opcode::kCtz:
      HelperCall("i32_ctz");
      break;
    default:
      TXVM_ASSERT(false);  // no other instruction of WebAssembly has one operand
  }
  Left({.bound = kWordBits});
}

/// `_ a b c -- _ (c != 0 ? a : b)` as a + (c = 0) * (b - a).
void Straight::Select() {
  const Condition condition = TakeCondition();
  const Operand b = Pop(), a = Pop();
  if (condition.constant) {
    *condition.constant != 0 ? code_.Pop(1) : code_.DropUnder(1, 1);
    return Left({});
  }
  if (condition.is_zero_test && condition.of_bool) {
    code_.TakeBackZeroTest();
  } else {
    code_.Push(0);
    code_.Op(TirCode::kEq);
  }
  code_.Swap(1);
  code_.Dup(2);
  code_.Op(TirCode::kSub);
  code_.Op(TirCode::kMul);
  code_.Op(TirCode::kAdd);
  Left({.bound = std::max(a.bound, b.bound), .is_bool = a.is_bool && b.is_bool});
}

void Straight::Arithmetic(isa::Opcode op) {
  Operand right = Pop(), left = Pop();
  // A difference gets as many 2^32 as keep it positive.
  const auto lift = [&] { return (right.bound / kWordModulus + 1) * kWordModulus; };
  const auto bound = [&] {
    if (op == Opcode::kMul) return ProductBound(left.bound, right.bound);
    if (op == Opcode::kAdd) return SumBound(left.bound, right.bound);
    return right.bound >= kPrime - 1 ? kPrime : SumBound(left.bound, lift());  // else lift() wraps
  };
  if (bound() == kPrime) ReduceOperands(left, right);
  if (op == Opcode::kMul) {
    code_.Op(TirCode::kMul);
  } else if (op == Opcode::kAdd) {
    code_.Op(TirCode::kAdd);
  } else {
    code_.Op(TirCode::kSub);
    code_.Push(lift());
    code_.Op(TirCode::kAdd);
  }
  LeftSum(bound());
}

void Straight::Binary(isa::Opcode op) {
  Operand right = Pop(), left = Pop();
  ReduceOperands(left, right);
  switch (op) {
    case Opcode::kAnd:
      code_.Op(TirCode::kAnd);
      return Left(
          {.bound = std::min(left.bound, right.bound), .is_bool = left.is_bool || right.is_bool});
    case Opcode::kOr:
    case Opcode::kXor:
      code_.Op(op == Opcode::kOr ? TirCode::kOr : TirCode::kXor);
      return left.is_bool && right.is_bool ? LeftBool() : Left({});
    case Opcode::kDivU:
      code_.Op(TirCode::kDivMod);  // crashes on 0, as it must
      code_.Pop(1);
      return Left({.bound = left.bound});
    case Opcode::kRemU:
      code_.Op(TirCode::kDivMod);
      code_.DropUnder(1, 1);
      return Left({.bound = right.bound});
    case Opcode::kDivS:
      HelperCall("i32_div_s");
      return Left({});
    case Opcode::kRemS:
      HelperCall("i32_rem_s");
      return Left({});
    case Opcode::kShl:
      HelperCall("i32_shl");
      return Left({});
    case Opcode::kShrU:
      HelperCall("i32_shr_u");
      return Left({});
    case Opcode::kShrS:
      HelperCall("i32_shr_s");
      return Left({});
    case Opcode::kRotl:
      HelperCall("i32_rotl");
      return Left({});
    case Opcode::kRotr:
      HelperCall("i32_rotr");
      return Left({});
    default:
      Left(left);
      Left(right);
      return Compare(op);
  }
}

void Straight::Compare(isa::Opcode op) {
  const Operand right = Pop(), left = Pop();
  if (op == Opcode::kEq || op == Opcode::kNe) {
    code_.Op(TirCode::kEq);
    return op == Opcode::kNe ? ZeroTest(true) : LeftBool();
  }
  const bool is_signed = IsSigned(op) && (left.bound >= kTopBit || right.bound >= kTopBit);
  op = isa::UnsignedOf(op);
  const bool less = op == Opcode::kLtU || op == Opcode::kGeU;  // else the right one is less
  if (is_signed) {
    // With the top bit flipped words have the order of signed ones, with all other bits flipped
    // the inverse order. So either comparison takes the operands as they are, exchanged.
    const std::uint64_t mask = less ? kTopBit : kTopBit - 1;
    Flip(mask, right.bound);
    code_.Swap(1);
    Flip(mask, left.bound);
    code_.Swap(1);
  } else if (!less) {
    code_.Swap(1);
  }
  code_.Op(TirCode::kLt);
  if (op == Opcode::kLtU || op == Opcode::kGtU) return LeftBool();
  ZeroTest(true);
}

/// `_ a -- _ (a xor mask)` for an a of at most `bound`.
void Straight::Flip(std::uint64_t mask, std::uint64_t bound) {
  code_.Push(mask);
  code_.Op(mask == kTopBit && bound < kTopBit ? TirCode::kAdd : TirCode::kXor);
}

/// The left operand is popped but on the stack; false: the constant has to be pushed.
bool Straight::CompareWithConstant(isa::Opcode op, std::uint32_t c) {
  const Operand left = operands_.empty() ? Operand{} : operands_.back();
  if (op == Opcode::kEq || op == Opcode::kNe) {
    Pop();
    if (c == 0 && op == Opcode::kEq) {
      ZeroTest(left.is_bool);
      return true;
    }
    code_.Push(c);
    code_.Op(TirCode::kEq);
    op == Opcode::kNe ? ZeroTest(true) : LeftBool();
    return true;
  }
  const bool is_signed = IsSigned(op) && (left.bound >= kTopBit || c >= kTopBit);
  const std::uint32_t flipped = is_signed ? c ^ static_cast<std::uint32_t>(kTopBit) : c;
  op = isa::UnsignedOf(op);
  // a <= c is a < c + 1, and a >= c is a > c - 1, where these exist.
  if ((op == Opcode::kLeU && flipped == kWordMax) || (op == Opcode::kGeU && flipped == 0)) {
    return false;
  }
  Pop();
  const bool less = op == Opcode::kLtU || op == Opcode::kLeU;
  const std::uint32_t bound = op == Opcode::kLeU   ? flipped + 1
                              : op == Opcode::kGeU ? flipped - 1
                                                   : flipped;
  if (is_signed && less) {  // in the inverse order, so that lt takes the operands as they are
    Flip(kTopBit - 1, left.bound);
    code_.Push(kWordMax - bound);
    code_.Swap(1);
  } else {
    if (is_signed) Flip(kTopBit, left.bound);
    code_.Push(bound);
    if (!less) code_.Swap(1);
  }
  code_.Op(TirCode::kLt);
  LeftBool();
  return true;
}

/// Shifts and rotations by 1 .. 31, by multiplication; see FACTS (2).
void Straight::ShiftByConstant(isa::Opcode op, std::uint32_t n) {
  const Operand left = Pop();
  const bool to_left = op == Opcode::kShl || op == Opcode::kRotl;
  if (op == Opcode::kShrS) {
    code_.Push(kTopBit);
    code_.Op(TirCode::kXor);
  }
  const std::uint64_t factor = std::uint64_t{1} << (to_left ? n : kWordBits - n);
  code_.Push(factor);
  code_.Op(TirCode::kMul);
  if (op == Opcode::kShl) return LeftSum(left.bound * factor);
  code_.Op(TirCode::kSplit);
  if (op == Opcode::kRotl || op == Opcode::kRotr) {
    code_.Op(TirCode::kAdd);
    return Left({});
  }
  code_.Pop(1);
  const std::uint64_t high = kWordMax >> n;
  if (op == Opcode::kShrU) return Left({.bound = high, .is_bool = high == 1});
  code_.Push(kWordModulus - (kTopBit >> n));
  code_.Op(TirCode::kAdd);
  LeftSum(kWordModulus - (kTopBit >> n) + high);
}

/// True when the operation was written with the constant as its right operand in it; the left one
/// is on the stack.
bool Straight::BinaryByConstant(isa::Opcode op, std::uint32_t c) {
  const std::uint64_t bound = operands_.empty() ? kWordMax : operands_.back().bound;
  const bool is_sum = op == Opcode::kAdd || op == Opcode::kSub;
  if (is_sum || op == Opcode::kMul) {
    if (op == Opcode::kSub && c == 0) op = Opcode::kAdd;
    const std::uint64_t k = op == Opcode::kSub ? kWordModulus - c : c;
    const std::uint64_t largest = op == Opcode::kMul ? ProductBound(bound, k) : SumBound(bound, k);
    if (largest == kPrime) return false;
    Pop();
    code_.Push(k);
    code_.Op(op == Opcode::kMul ? TirCode::kMul : TirCode::kAdd);
    LeftSum(largest);
    return true;
  }
  if (bound > kWordMax) return false;
  switch (op) {
    case Opcode::kShl:
    case Opcode::kShrU:
    case Opcode::kShrS:
    case Opcode::kRotl:
    case Opcode::kRotr:
      if ((c & kShiftMask) != 0) ShiftByConstant(op, c & kShiftMask);
      return true;
    case Opcode::kAnd: {
      Pop();
      code_.Push(c);
      code_.Op(TirCode::kAnd);
      Left({.bound = std::min<std::uint64_t>(bound, c), .is_bool = c == 1});
      return true;
    }
    case Opcode::kDivU:
      if (!IsPowerOfTwo(c)) return false;
      if (c > 1) ShiftByConstant(Opcode::kShrU, Log2(c));
      return true;
    case Opcode::kRemU:
      return IsPowerOfTwo(c) && BinaryByConstant(Opcode::kAnd, c - 1);
    case Opcode::kEq:
    case Opcode::kNe:
    case Opcode::kLtU:
    case Opcode::kLtS:
    case Opcode::kGtU:
    case Opcode::kGtS:
    case Opcode::kLeU:
    case Opcode::kLeS:
    case Opcode::kGeU:
    case Opcode::kGeS:
      return CompareWithConstant(op, c);
    default:
      return false;
  }
}

}  // namespace txvm::frontends::provable

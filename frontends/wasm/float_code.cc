#include "frontends/wasm/float_code.h"

#include "frontends/wasm/wide.h"
#include "isa/opcode.h"
#include "isa/support/result.h"

namespace txvm::frontends::wat {

using isa::Opcode;

namespace {

// The sign of a float is the top bit of its only word, or of its high word.
constexpr std::uint32_t kSignBit = 0x80000000, kMagnitudeBits = 0x7FFFFFFF;

Instr WideInstr(WideOp op, const Instr& instr) {
  return {InstrKind::kWide, Opcode::kNop, instr.a, static_cast<std::uint32_t>(op), instr.place};
}

Instr WordInstr(Opcode op, const Instr& instr) {
  return {InstrKind::kAccess, op, instr.a, 0, instr.place};
}

/// `x y -- x with the sign of y`; the low words, if any, lie below each.
void Copysign(WideCode& code, bool is_wide) {
  if (is_wide) {  // the low word of y is not needed
    code.Op(Opcode::kSwap);
    code.Op(Opcode::kPop);
  }
  code.Push(kSignBit);
  code.Op(Opcode::kAnd);
  code.Op(Opcode::kSwap);
  code.Push(kMagnitudeBits);
  code.Op(Opcode::kAnd);
  code.Op(Opcode::kOr);
}

}  // namespace

Instr WithoutFloatMove(const Instr& instr) {
  if (instr.kind == InstrKind::kF32Const) {
    return {InstrKind::kConst, Opcode::kNop, instr.a, 0, instr.place};
  }
  if (instr.kind == InstrKind::kF64Const) {
    return {InstrKind::kWideConst, Opcode::kNop, instr.a, instr.b, instr.place};
  }
  if (instr.kind != InstrKind::kFloat) return instr;
  const auto op = static_cast<FloatOp>(instr.b);
  if (op == FloatOp::kF32Load) return WordInstr(Opcode::kLoad, instr);
  if (op == FloatOp::kF32Store) return WordInstr(Opcode::kStore, instr);
  if (op == FloatOp::kF64Load) return WideInstr(WideOp::kI64Load, instr);
  if (op == FloatOp::kF64Store) return WideInstr(WideOp::kI64Store, instr);
  return instr;
}

void EmitFloat(WideCode& code, FloatOp op) {
  const FloatInfo& info = InfoOf(op);
  switch (info.form) {
    case FloatForm::kRoutine:
      return code.CallRoutine(info.text);
    case FloatForm::kAbs:
      code.Push(kMagnitudeBits);
      return code.Op(Opcode::kAnd);
    case FloatForm::kNeg:
      code.Push(kSignBit);
      return code.Op(Opcode::kXor);
    case FloatForm::kCopysign:
      return Copysign(code, IsWide(info.operand));
    case FloatForm::kReinterpret:
      return;
    case FloatForm::kMove:
      break;
  }
  TXVM_ASSERT(false);
}

}  // namespace txvm::frontends::wat

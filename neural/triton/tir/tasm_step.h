// What each straight-line TASM instruction does, over any domain of values. The instructions of
// class kControl belong to whoever walks the program.
#pragma once

#include "isa/support/result.h"
#include "neural/triton/field/stack_step.h"
#include "neural/triton/tasm/program.h"

namespace txvm::triton {

/// Runs one instruction. The domain says afterwards whether it failed. REQUIRES IsStraight(op).
/// The switch names every straight row of ops.def and has no default: a row that is not run here
/// does not compile.
template <class D>
void StepTasm(StackMachine<D>& m, const TasmInstruction& instruction) {
  using V = typename D::Value;
  if (!m.Admit(TasmNet(instruction.op, instruction.arg))) return;
  D& d = m.domain();
  const auto n = static_cast<std::size_t>(instruction.arg);
  switch (instruction.op) {
#define TXVM_TASM_CONTROL(code, Name, ...) case TasmOp::k##Name:
#include "neural/triton/tasm/ops.def"
    TXVM_ASSERT(false);  // the caller walks the program
    return;

    // Class kMove.
    case TasmOp::kPush:
      return m.Push(d.Const(instruction.arg));
    case TasmOp::kPop:
      return m.Drop(n);
    case TasmOp::kDup:
      return m.Dup(n);
    case TasmOp::kSwap:
      return m.Swap(n);
    case TasmOp::kPick:
      return m.Pick(n);
    case TasmOp::kPlace:
      return m.Place(n);
    case TasmOp::kNop:
      return;

    // Class kPure.
    case TasmOp::kAdd:
      return m.Binary([&](const V& b, const V& a) { return d.Add(a, b); });
    case TasmOp::kAddI:
      return m.Unary([&](const V& a) { return d.Add(a, d.Const(instruction.arg)); });
    case TasmOp::kMul:
      return m.Binary([&](const V& b, const V& a) { return d.Mul(a, b); });
    case TasmOp::kInvert:
      return m.Unary([&](const V& a) { return d.Invert(a); });
    case TasmOp::kEq:
      return m.Binary([&](const V& b, const V& a) { return d.IsEqual(a, b); });
    case TasmOp::kSplit:
      return m.SplitTop();
    case TasmOp::kLt:
      return m.Binary([&](const V& b, const V& a) { return d.LessThan(a, b); });
    case TasmOp::kAnd:
      return m.Binary([&](const V& b, const V& a) { return d.BitAnd(a, b); });
    case TasmOp::kXor:
      return m.Binary([&](const V& b, const V& a) { return internal::Xor(d, a, b); });
    case TasmOp::kLog2Floor:
      return m.Unary([&](const V& a) { return d.Log2(a); });
    case TasmOp::kPow:
      return m.Binary([&](const V& e, const V& b) { return d.Power(b, e); });
    case TasmOp::kPopCount:
      return m.Unary([&](const V& a) { return d.PopCount(a); });
    case TasmOp::kDivMod: {
      const V number = m.Pop();
      const V divisor = m.Pop();
      return m.DivModTop(number, divisor);
    }
    case TasmOp::kHash:
      return m.Hash();
    case TasmOp::kXxAdd:
      return m.ExtAdd();
    case TasmOp::kXxMul:
      return m.ExtMul();
    case TasmOp::kXbMul:
      return m.ExtScale();
    case TasmOp::kXInvert:
      return m.ExtInvert();

    // Classes kStream, kMemory and kAssert.
    case TasmOp::kDivine:
      return m.Divine(n);
    case TasmOp::kReadIo:
      return m.ReadInput(n);
    case TasmOp::kWriteIo:
      return m.WriteOutput(n);
    case TasmOp::kReadMem:
      return m.ReadMemory(n);
    case TasmOp::kWriteMem:
      return m.WriteMemory(n);
    case TasmOp::kAssert:
      return m.AssertOne();
    case TasmOp::kAssertVector:
      return m.AssertVector();

    // Class kEvent.
    case TasmOp::kSpongeInit:
      return d.SpongeInit();
    case TasmOp::kSpongeAbsorb:
      return m.Absorb();
    case TasmOp::kSpongeAbsorbMem:
      return m.AbsorbMemory();
    case TasmOp::kSpongeSqueeze:
      return m.Squeeze();
    case TasmOp::kMerkleStep:
      return m.MerkleStepDivined();
    case TasmOp::kMerkleStepMem:
      return m.MerkleStepMemory();
    case TasmOp::kXxDotStep:
      return m.DotStep(3);
    case TasmOp::kXbDotStep:
      return m.DotStep(1);
    case TasmOp::kBHornerStep:
      return m.HornerStep(1);
    case TasmOp::kXHornerStep:
      return m.HornerStep(3);
  }
}

}  // namespace txvm::triton

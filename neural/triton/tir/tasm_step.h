// What each straight-line TASM instruction does, over any domain of values. Control (call, return,
// recurse, recurse_or_return, skiz, halt) belongs to whoever walks the program.
#pragma once

#include "neural/triton/tasm/program.h"
#include "neural/triton/field/stack_step.h"

namespace txvm::triton {

/// True for the instructions that StepTasm runs.
constexpr bool IsStraight(TasmOp op) {
  return op != TasmOp::kHalt && op != TasmOp::kSkiz && op != TasmOp::kCall &&
         op != TasmOp::kReturn && op != TasmOp::kRecurse && op != TasmOp::kRecurseOrReturn;
}

namespace internal {

template <class D>
void StepTasmArithmetic(StackMachine<D>& m, const TasmInstruction& instruction) {
  using V = typename D::Value;
  D& d = m.domain();
  switch (instruction.op) {
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
      return m.Binary([&](const V& b, const V& a) {
        const V both = d.BitAnd(a, b);
        return d.Sub(d.Add(a, b), d.Add(both, both));
      });
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
    default:
      return;
  }
}

template <class D>
void StepTasmProof(StackMachine<D>& m, const TasmInstruction& instruction) {
  switch (instruction.op) {
    case TasmOp::kHash:
      return m.Hash();
    case TasmOp::kSpongeInit:
      return m.domain().SpongeInit();
    case TasmOp::kSpongeAbsorb:
      return m.Absorb();
    case TasmOp::kSpongeAbsorbMem:
      return m.AbsorbMemory();
    case TasmOp::kSpongeSqueeze:
      return m.Squeeze();
    case TasmOp::kMerkleStep: {
      const auto sibling = m.domain().Digest();
      if (!m.domain().failed()) m.MerkleStep(sibling);
      return;
    }
    case TasmOp::kMerkleStepMem:
      return m.MerkleStepMemory();
    case TasmOp::kXxAdd:
      return m.ExtAdd();
    case TasmOp::kXxMul:
      return m.ExtMul();
    case TasmOp::kXbMul:
      return m.ExtScale();
    case TasmOp::kXInvert:
      return m.ExtInvert();
    case TasmOp::kXxDotStep:
      return m.DotStep(3);
    case TasmOp::kXbDotStep:
      return m.DotStep(1);
    case TasmOp::kBHornerStep:
      return m.HornerStep(1);
    case TasmOp::kXHornerStep:
      return m.HornerStep(3);
    default:
      return;
  }
}

}  // namespace internal

/// Runs one instruction. The domain says afterwards whether it failed. REQUIRES IsStraight(op).
template <class D>
void StepTasm(StackMachine<D>& m, const TasmInstruction& instruction) {
  if (!m.Admit(TasmNet(instruction.op, instruction.arg))) return;
  const auto n = static_cast<std::size_t>(instruction.arg);
  switch (instruction.op) {
    case TasmOp::kPush:
      return m.Push(m.domain().Const(instruction.arg));
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
    default:
      break;
  }
  internal::StepTasmArithmetic(m, instruction);
  internal::StepTasmProof(m, instruction);
}

}  // namespace txvm::triton

// What each TIR operation without a body does, over any domain of values.
#pragma once

#include "isa/support/result.h"
#include "neural/triton/field/stack_step.h"
#include "neural/triton/tir/op.h"
#include "neural/triton/tir/validate.h"

namespace txvm::triton {
namespace internal {

// Shl and Shr take shifts of 0..31, as machines do; the check makes 2^n a u32 too.
template <class D>
typename D::Value ShiftFactor(D& d, const typename D::Value& n) {
  constexpr std::uint64_t kWordBits = 32;
  d.RequireEqual(d.LessThan(n, d.Const(kWordBits)), d.Const(1), Fault::kAssert);
  return d.failed() ? d.Const(0) : d.Power(d.Const(2), n);
}

// _ v n -- _ v>>n
template <class D>
typename D::Value ShiftRight(D& d, const typename D::Value& v, const typename D::Value& n) {
  const auto factor = ShiftFactor(d, n);
  return d.failed() ? d.Const(0) : d.DivMod(v, factor).first;
}

// Ten words: the tag, zeros, then the fields with the last pushed first.
template <class D>
void StepSeal(StackMachine<D>& m, const TirOp& op) {
  D& d = m.domain();
  typename StackMachine<D>::Block words;
  words[0] = d.Const(op.value);
  const auto fields = static_cast<std::size_t>(op.count);
  for (std::size_t i = 1; i < words.size(); ++i) {
    words[i] = i < words.size() - fields ? d.Const(0) : m.Pop();
  }
  for (const auto& word : d.HashTen(words)) d.Write(word);
}

// _ p -- _ RAM[p+n-1] .. RAM[p]
template <class D>
void StepRamRead(StackMachine<D>& m, std::size_t n) {
  D& d = m.domain();
  const typename D::Value pointer = m.Pop();
  for (std::size_t i = n; i-- > 0;) m.Push(d.Load(d.Add(pointer, d.Const(i))));
}

// _ p v_(n-1) .. v_0 -- _
template <class D>
void StepRamWrite(StackMachine<D>& m, std::size_t n) {
  D& d = m.domain();
  const typename D::Value pointer = m.At(n);
  for (std::size_t i = 0; i < n; ++i) d.Store(d.Add(pointer, d.Const(i)), m.Pop());
  m.Drop(1);
}

}  // namespace internal

/// Runs one operation of kind kDirect or kComposed. The domain says afterwards whether it failed.
/// The switch names every such row of ops.def and has no default: a row that is not run here does
/// not compile.
template <class D>
void StepTir(StackMachine<D>& m, const TirOp& op) {
  using V = typename D::Value;
  if (!m.Admit(OwnEffect(op).net)) return;
  D& d = m.domain();
  const auto n = static_cast<std::size_t>(op.value);
  switch (op.code) {
#define TXVM_TIR_CONTROL(code, name, ...) case TirCode::k##name:
#define TXVM_TIR_DEFINITION(code, name, ...) case TirCode::k##name:
#include "neural/triton/tir/ops.def"
    TXVM_ASSERT(false);  // TirControl runs it
    return;

    // The stack.
    case TirCode::kPush:
      return m.Push(d.Const(op.value));
    case TirCode::kPop:
      return m.Drop(n);
    case TirCode::kDup:
      return m.Dup(n);
    case TirCode::kSwap:
      return m.Swap(n);

    // The field and its u32 words.
    case TirCode::kAdd:
      return m.Binary([&](const V& a, const V& b) { return d.Add(a, b); });
    case TirCode::kSub:
      return m.Binary([&](const V& a, const V& b) { return d.Sub(a, b); });
    case TirCode::kMul:
      return m.Binary([&](const V& a, const V& b) { return d.Mul(a, b); });
    case TirCode::kNeg:
      return m.Unary([&](const V& a) { return d.Neg(a); });
    case TirCode::kInvert:
      return m.Unary([&](const V& a) { return d.Invert(a); });
    case TirCode::kEq:
      return m.Binary([&](const V& a, const V& b) { return d.IsEqual(a, b); });
    case TirCode::kLt:
      return m.Binary([&](const V& a, const V& b) { return d.LessThan(a, b); });
    case TirCode::kAnd:
      return m.Binary([&](const V& a, const V& b) { return d.BitAnd(a, b); });
    case TirCode::kOr:
      return m.Binary([&](const V& a, const V& b) { return d.Sub(d.Add(a, b), d.BitAnd(a, b)); });
    case TirCode::kXor:
      return m.Binary([&](const V& a, const V& b) { return internal::Xor(d, a, b); });
    case TirCode::kPopCount:
      return m.Unary([&](const V& a) { return d.PopCount(a); });
    case TirCode::kSplit:
      return m.SplitTop();
    case TirCode::kDivMod: {
      const V divisor = m.Pop();
      const V number = m.Pop();
      return m.DivModTop(number, divisor);
    }
    case TirCode::kShl:
      return m.Binary(
          [&](const V& v, const V& s) { return d.Mul(v, internal::ShiftFactor(d, s)); });
    case TirCode::kShr:
      return m.Binary([&](const V& v, const V& s) { return internal::ShiftRight(d, v, s); });
    case TirCode::kLog2:
      return m.Unary([&](const V& a) { return d.Log2(a); });
    case TirCode::kPow:
      return m.Binary([&](const V& e, const V& b) { return d.Power(b, e); });

    // Streams, events and checks.
    case TirCode::kReadIo:
      return m.ReadInput(n);
    case TirCode::kWriteIo:
      return m.WriteOutput(n);
    case TirCode::kHint:
      return m.Divine(n);
    case TirCode::kReveal:
      d.Write(d.Const(op.value));
      return m.WriteOutput(static_cast<std::size_t>(op.count));
    case TirCode::kSeal:
      return internal::StepSeal(m, op);
    case TirCode::kAssert:
      return n == 1 ? m.AssertOne() : m.AssertVector();

    // RAM.
    case TirCode::kReadMem:
      return m.ReadMemory(n);
    case TirCode::kWriteMem:
      return m.WriteMemory(n);
    case TirCode::kRamRead:
      return internal::StepRamRead(m, n);
    case TirCode::kRamWrite:
      return internal::StepRamWrite(m, n);

    // Hashing, Merkle trees and the extension field.
    case TirCode::kHash:
      return m.Hash();
    case TirCode::kSpongeInit:
      return d.SpongeInit();
    case TirCode::kSpongeAbsorb:
      return m.Absorb();
    case TirCode::kSpongeSqueeze:
      return m.Squeeze();
    case TirCode::kSpongeLoad:
      return m.AbsorbMemory();
    case TirCode::kMerkleStep:
      return m.MerkleStepDivined();
    case TirCode::kMerkleLoad:
      return m.MerkleStepMemory();
    case TirCode::kExtMul:
      return m.ExtScale();
    case TirCode::kExtInvert:
      return m.ExtInvert();
    case TirCode::kFoldExt:
      return m.DotStep(3);
    case TirCode::kFoldBase:
      return m.DotStep(1);
  }
}

}  // namespace txvm::triton

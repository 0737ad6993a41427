// Straight runs of instructions over words on the stack.
//
// Goals: exact i32 semantics on field elements; constants folded into the operations that use them;
// sums and products reduced to 32 bits once. Non-goals: moving code.
//
// FACTS  (1) (2^32 - 1)^2 < p, so a product of two words is exact; so is a word times 2^32.
//        (2) a * 2^n = 2^32 high + low: low is a << n, high + low is a rotated left by n.
//        (3) a xor 2^31 orders signed words as unsigned ones.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "frontends/provable/code.h"
#include "frontends/provable/context.h"
#include "frontends/wasm/module.h"

namespace txvm::frontends::provable {

/// Writes one run. INVARIANT: constants not yet pushed are the topmost operands; all others are on
/// the stack; every operand below the top two is a word < 2^32.
class Straight {
 public:
  /// `height`: operands of the function before the run, all words on the stack.
  Straight(Context& context, const Frame& frame, std::uint32_t height)
      : context_(context), frame_(frame), height_(height) {}

  void Run(std::span<const wat::Instr> run);

  /// Takes the top operand as a condition; operands below it are pushed.
  Condition TakeCondition();
  /// Pushes what is left; the code of the run.
  Code Finish();

 private:
  /// What is known of an operand.
  struct Operand {
    std::uint64_t bound = kWordMax;              // largest value; above kWordMax it is not reduced
    std::optional<std::uint32_t> constant = {};  // not pushed
    bool is_bool = false;
    bool of_bool = false;       // see Condition
    std::size_t zero_test = 0;  // the code's size after `push 0; eq` left it; 0: another operation
  };
  static constexpr std::uint64_t kWordMax = 0xFFFF'FFFF;

  void Take(const wat::Instr& instr);
  void Operation(isa::Opcode op);
  void Arithmetic(isa::Opcode op);
  void Binary(isa::Opcode op);
  bool BinaryByConstant(isa::Opcode op, std::uint32_t c);
  void Compare(isa::Opcode op);
  void Flip(std::uint64_t mask, std::uint64_t bound);
  bool CompareWithConstant(isa::Opcode op, std::uint32_t c);
  void ShiftByConstant(isa::Opcode op, std::uint32_t n);
  void Unary(isa::Opcode op);
  void Select();
  void Shuffle(isa::Opcode op);
  void Drop();
  void Local(const wat::Instr& instr);
  void Global(const wat::Instr& instr);
  void Access(const wat::Instr& instr);
  bool AccessAtConstant(const wat::Instr& instr);
  void Extend(std::uint32_t bits);
  void Call(std::uint32_t function);
  void CallIndirect(const wat::Instr& instr);
  void MemorySize();
  void Host(const wat::Function& function);

  Operand Pop();
  void Left(Operand operand);  // an operation left it on top
  void LeftBool(bool is_zero_test = false, bool of_bool = false);
  void LeftSum(std::uint64_t bound);
  void FlushConstants();
  void Reduce();
  void ReduceOperands(Operand& left, Operand& right);
  void Words(std::uint32_t pops, std::uint32_t pushes);
  void ZeroTest(bool of_bool);
  void HelperCall(std::string_view name) { code_.Call(context_.Helper(name)); }
  bool NextReduces() const;

  Context& context_;
  const Frame& frame_;
  std::uint32_t height_;
  std::vector<Operand> operands_;  // those of this run, deepest first
  std::span<const wat::Instr> rest_;
  Code code_;
};

}  // namespace txvm::frontends::provable

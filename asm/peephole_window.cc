// Neighbouring instructions: each item is appended to the output, then rules shorten its tail.
#include "asm/peephole_window.h"

#include <array>
#include <utility>

#include "asm/peephole_flow.h"
#include "isa/word_ops.h"

namespace txvm::assembler {
namespace {

using isa::Instruction;
using isa::Opcode;
using isa::Word;

// The compare that gives 1 where `op` gives 0.
std::optional<Opcode> InverseCompare(Opcode op) {
  constexpr std::array<std::array<Opcode, 2>, 5> kPairs = {{{Opcode::kEq, Opcode::kNe},
                                                            {Opcode::kLtS, Opcode::kGeS},
                                                            {Opcode::kLtU, Opcode::kGeU},
                                                            {Opcode::kGtS, Opcode::kLeS},
                                                            {Opcode::kGtU, Opcode::kLeU}}};
  for (const auto& pair : kPairs) {
    if (op == pair[0]) return pair[1];
    if (op == pair[1]) return pair[0];
  }
  return std::nullopt;
}

// What a two-operand opcode that cannot trap computes.
std::optional<Word> Fold(Opcode op, Word a, Word b) {
  struct Row {
    Opcode op;
    Word (*compute)(Word, Word);
  };
#define TXVM_FOLD(Name) {Opcode::k##Name, isa::Name}
  constexpr Row kRows[] = {TXVM_FOLD(Add),  TXVM_FOLD(Sub),  TXVM_FOLD(Mul),  TXVM_FOLD(And),
                           TXVM_FOLD(Or),   TXVM_FOLD(Xor),  TXVM_FOLD(Shl),  TXVM_FOLD(ShrS),
                           TXVM_FOLD(ShrU), TXVM_FOLD(Rotl), TXVM_FOLD(Rotr), TXVM_FOLD(Eq),
                           TXVM_FOLD(Ne),   TXVM_FOLD(LtS),  TXVM_FOLD(LtU),  TXVM_FOLD(GtS),
                           TXVM_FOLD(GtU),  TXVM_FOLD(LeS),  TXVM_FOLD(LeU),  TXVM_FOLD(GeS),
                           TXVM_FOLD(GeU)};
#undef TXVM_FOLD
  for (const Row& row : kRows) {
    if (row.op == op) return row.compute(a, b);
  }
  return std::nullopt;
}

// a op 0 = a
bool HasRightZero(Opcode op) {
  return op == Opcode::kAdd || op == Opcode::kSub || op == Opcode::kOr || op == Opcode::kXor ||
         op == Opcode::kShl || op == Opcode::kShrS || op == Opcode::kShrU || op == Opcode::kRotl ||
         op == Opcode::kRotr;
}

bool IsCommutative(Opcode op) {
  return op == Opcode::kAdd || op == Opcode::kMul || op == Opcode::kAnd || op == Opcode::kOr ||
         op == Opcode::kXor || op == Opcode::kEq || op == Opcode::kNe;
}

// Pushes one value and does nothing else.
bool IsPure(const Item& item) {
  return item.op() == Opcode::kPush || item.op() == Opcode::kLocalGet;
}

bool SameSlot(const Item& a, const Item& b) {
  return a.instruction.arg == b.instruction.arg && a.instruction.aux() == b.instruction.aux();
}

class WindowPass {
 public:
  explicit WindowPass(const Body& body)
      : body_(body),
        reached_(Reached(body)),
        targets_(Targets(body, reached_)),
        new_index_(body.size()) {}

  Body Run() {
    for (std::uint32_t at = 0; at < body_.size(); ++at) {
      if (targets_[at]) {
        while (ReduceBefore(at)) {
        }
        barrier_ = out_.size();
      }
      at_ = at;
      new_index_[at] = static_cast<std::uint32_t>(out_.size());
      if (!reached_[at]) continue;
      out_.push_back(body_[at]);
      while (Reduce()) {
      }
    }
    for (Item& item : out_) {
      if (IsJump(item)) item.instruction.arg = new_index_[item.instruction.arg];
    }
    return std::move(out_);
  }

 private:
  // The i-th item from the end of the tail that rules may touch; i < Length().
  Item& Back(std::size_t i = 0) { return out_[out_.size() - 1 - i]; }
  std::size_t Length() const { return out_.size() - barrier_; }
  Opcode Op(std::size_t i) { return Back(i).op(); }
  void Drop(std::size_t count) { out_.resize(out_.size() - count); }
  void SetBack(Opcode op) { Back().instruction = Instruction(op); }

  bool EndsWithJumpAlways() {
    return Length() >= 2 && IsJump(Back()) && Decided(Back(1), Back()) == true;
  }

  // Rules for what stands right before the target `at`.
  bool ReduceBefore(std::uint32_t at) {
    if (EndsWithJumpAlways()) {
      if (Back().instruction.arg == at) {  // PUSH 1; JNZ next ->
        Drop(2);
        return true;
      }
      if (Length() >= 3 && IsJump(Back(2)) && Back(2).instruction.arg == at) {
        // JZ next; PUSH 1; JNZ t -> JNZ t
        Back(2).instruction = Instruction(Opposite(Op(2)), Back().instruction.arg);
        Drop(2);
        return true;
      }
      return false;
    }
    if (Length() >= 1 && IsJump(Back()) && Back().instruction.arg == at) {  // JZ next -> POP
      SetBack(Opcode::kPop);
      while (Reduce()) {
      }
      return true;
    }
    return false;
  }

  bool Reduce() {
    if (Length() >= 1 && Op(0) == Opcode::kNop) {
      Drop(1);
      return true;
    }
    if (Length() >= 3 && ReduceThree()) return true;
    return Length() >= 2 && ReduceTwo();
  }

  bool ReduceTwo() {
    if (IsJump(Back())) return ReduceJump();
    switch (Op(0)) {
      case Opcode::kEqz:
        return ReduceEqz();
      case Opcode::kPop:
        return ReducePop();
      case Opcode::kLocalGet:
        if (!SameSlot(Back(1), Back())) return false;
        if (IsAccess(Op(1))) {  // TEE i; GET i -> TEE i; DUP, and GET i; GET i -> GET i; DUP
          SetBack(Opcode::kDup);
          return true;
        }
        if (Op(1) != Opcode::kLocalSet) return false;
        Drop(1);  // SET i; GET i -> TEE i
        return BecomeTee();
      case Opcode::kLocalSet:
        if (Op(1) == Opcode::kDup) {  // DUP; SET i -> TEE i
          Back(1) = Back();
          Drop(1);
          return BecomeTee();
        }
        if (Op(1) != Opcode::kLocalGet || !SameSlot(Back(1), Back())) return false;
        Drop(2);  // GET i; SET i ->
        return true;
      case Opcode::kLocalTee:
        if (!IsAccess(Op(1)) || !SameSlot(Back(1), Back())) return false;
        Drop(1);  // GET i; TEE i -> GET i, TEE i; TEE i -> TEE i
        return true;
      case Opcode::kSwap:
        if (Op(1) != Opcode::kSwap) return false;
        Drop(2);
        return true;
      default:
        return ReduceBinary();
    }
  }

  static bool IsAccess(Opcode op) { return op == Opcode::kLocalGet || op == Opcode::kLocalTee; }

  // A constant must stay right before its jump: only so does the validator know which way it goes.
  bool NextIsJump() const { return at_ + 1 < body_.size() && IsJump(body_[at_ + 1]); }

  // What pushed the value that `SET i` right before the last item stores, over TEEs of it.
  Instruction ValueStored() {
    std::size_t i = 2;
    while (i + 1 < Length() && Op(i) == Opcode::kLocalTee) ++i;
    return Back(i).instruction;
  }

  bool BecomeTee() {
    const Instruction set = Back().instruction;
    Back().instruction = Instruction(Opcode::kLocalTee, set.arg, set.aux());
    return true;
  }

  bool ReduceBinary() {
    if (Op(1) == Opcode::kSwap && IsCommutative(Op(0))) {
      Back(1).instruction = Back().instruction;
      Drop(1);
      return true;
    }
    if (Op(1) != Opcode::kPush || Back(1).instruction.arg != 0) return false;
    if (HasRightZero(Op(0))) {
      Drop(2);
      return true;
    }
    if (Op(0) != Opcode::kEq) return false;
    Drop(1);  // PUSH 0; EQ -> EQZ
    SetBack(Opcode::kEqz);
    return true;
  }

  bool ReduceEqz() {
    if (Op(1) == Opcode::kPush) {
      const Word value = isa::Eqz(Back(1).instruction.arg);
      Drop(1);
      Back().instruction = Instruction(Opcode::kPush, value);
      return true;
    }
    const auto inverse = InverseCompare(Op(1));
    if (!inverse) return false;
    Drop(1);
    SetBack(*inverse);
    return true;
  }

  bool ReducePop() {
    if (IsPure(Back(1)) || Op(1) == Opcode::kDup || Op(1) == Opcode::kOver) {
      Drop(2);
      return true;
    }
    if (Op(1) != Opcode::kLocalTee) return false;
    const Instruction tee = Back(1).instruction;
    Drop(1);
    Back().instruction = Instruction(Opcode::kLocalSet, tee.arg, tee.aux());
    return true;
  }

  // A conditional jump with what makes its condition.
  bool ReduceJump() {
    const Instruction jump = Back().instruction;
    if (Op(1) == Opcode::kEqz) {
      Drop(1);
      Back().instruction = Instruction(Opposite(jump.op()), jump.arg);
      return true;
    }
    const auto taken = Decided(Back(1), Back());
    if (taken == false) {
      Drop(2);
      return true;
    }
    if (taken == true) return BecomeJumpAlways(jump.arg);
    return false;
  }

  bool BecomeJumpAlways(std::uint32_t target) {
    if (body_[target].op() == Opcode::kReturn || body_[target].op() == Opcode::kHalt) {
      Drop(1);
      Back() = body_[target];
      return true;
    }
    const bool is_canonical = Op(0) == Opcode::kJnz && Back(1).instruction.arg == 1;
    if (is_canonical) return false;
    Back(1).instruction = Instruction(Opcode::kPush, 1);
    Back().instruction = Instruction(Opcode::kJnz, target);
    return true;
  }

  bool ReduceThree() {
    if (Op(0) == Opcode::kPop && Op(1) == Opcode::kSwap && IsPure(Back(2))) {
      const Item value = Back(2);  // GET i; SWAP; POP -> POP; GET i
      Drop(2);
      SetBack(Opcode::kPop);
      while (Reduce()) {
      }
      out_.push_back(value);
      return true;
    }
    if (Op(1) == Opcode::kLocalSet && IsPure(Back()) && ValueStored() == Back().instruction &&
        !NextIsJump()) {
      Drop(1);  // PUSH c; SET i; PUSH c -> PUSH c; TEE i
      return BecomeTee();
    }
    if (IsJump(Back()) && Op(1) == Opcode::kNe &&
        Back(2).instruction == Instruction(Opcode::kPush)) {
      const Item jump = Back();  // PUSH 0; NE; JNZ t -> JNZ t
      Drop(3);
      out_.push_back(jump);
      return true;
    }
    if (Op(1) != Opcode::kPush || Op(2) != Opcode::kPush) return false;
    const auto value = Fold(Op(0), Back(2).instruction.arg, Back(1).instruction.arg);
    if (!value) return false;
    Drop(2);
    Back().instruction = Instruction(Opcode::kPush, *value);
    return true;
  }

  const Body& body_;
  std::vector<bool> reached_, targets_;   // (body,)
  std::vector<std::uint32_t> new_index_;  // (body,) of the output, for jumps
  Body out_;
  std::uint32_t at_ = 0;     // body_[at_] is the item that was appended last
  std::size_t barrier_ = 0;  // out_[barrier_] is where the last target is: rules stay after it
};

}  // namespace

bool ReduceWindows(Body& body) {
  Body reduced = WindowPass(body).Run();
  const bool changed =
      reduced.size() != body.size() ||
      !std::equal(reduced.begin(), reduced.end(), body.begin(),
                  [](const Item& a, const Item& b) { return a.instruction == b.instruction; });
  body = std::move(reduced);
  return changed;
}

}  // namespace txvm::assembler

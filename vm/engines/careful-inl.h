// The checked step loop: ISA.md, one instruction after the other, every check in its order. It runs
// unverified programs, the last steps before fuel ends, and code near a limit; the engines' fast
// loops are compared with it.
//
// `Reads` is how an engine reads its address spaces: plain loads (native) or attention heads. It
// provides
//   bool Fetch(uint32_t ip, isa::Instruction*)      false: no key at ip
//   Word Second(uint32_t sp), Word Third(uint32_t sp)   slots sp-1 and sp-2
//   Word Local(uint32_t slot), Frame Call(uint32_t depth)
//   Word Memory(uint64_t address, unsigned bytes)
// and is told of writes, which are made to the value rows of State itself:
//   void WroteStack(uint32_t slot), WroteLocal(uint32_t slot), WroteCall(uint32_t depth)
#pragma once

#include <cstdint>
#include <cstring>

#include "isa/trap.h"
#include "isa/word_ops.h"
#include "vm/engine.h"

namespace txvm::vm {

template <typename Reads>
class CarefulLoop {
 public:
  CarefulLoop(const EngineContext& context, std::uint32_t largest_frame, State& state, Reads& reads,
              Observer* observer)
      : context_(context),
        largest_frame_(largest_frame),
        state_(state),
        reads_(reads),
        observer_(observer) {}

  /// Executes at most `fuel` steps.
  Stop Run(std::uint64_t fuel) {
    for (std::uint64_t step = 0; step < fuel; ++step) {
      if (step % kPollInterval == 0 && context_.interrupt.requested())
        return Stop::Of(Stop::Kind::kInterrupted);
      if (!reads_.Fetch(state_.ip, &instruction_)) return Stop::Trapped(isa::Trap::kInvalidPc);
      if (IsHostCall() && !Malformed()) return Stop::Of(Stop::Kind::kHostCall);
      ip_ = state_.ip;
      sp_ = state_.sp;
      top_ = state_.slots[sp_];
      stopped_ = false;
      Execute();
      ++state_.steps;
      if (observer_ != nullptr) {
        observer_->Record(state_, state_.steps, ip_, instruction_, state_.sp,
                          state_.slots[state_.sp]);
      }
      if (stopped_) return stop_;
    }
    return Stop::Of(Stop::Kind::kOutOfFuel);
  }

 private:
  static constexpr std::uint64_t kPollInterval = 1'024;  // steps, as machine.h promises

  bool IsHostCall() const {
    return instruction_.code() == static_cast<std::uint8_t>(isa::Opcode::kCall) &&
           (instruction_.arg & isa::kHostCallBit) != 0;
  }

  /// Whether the instruction is invalid: unknown opcode, unused immediate in use, operand out of
  /// its table.
  bool Malformed() const {
    const isa::OpcodeInfo* info = isa::FindInfo(instruction_.code());
    if (info == nullptr) return true;
    const std::uint32_t aux = instruction_.aux();
    const std::uint32_t arg = instruction_.arg;
    switch (info->operand) {
      case isa::Operand::kNone:
        return aux != 0 || arg != 0;
      case isa::Operand::kValue:
      case isa::Operand::kOffset:
      case isa::Operand::kTarget:
        return aux != 0;
      case isa::Operand::kLocal:
        return aux > 1 || (aux == 1 ? arg >= context_.program.globals.size()
                                    : LocalSlot() >= context_.limits.max_locals);
      case isa::Operand::kCallee:
        return (arg & isa::kHostCallBit) != 0 &&
               (aux != 0 || (arg & ~isa::kHostCallBit) >= context_.program.imports.size());
      case isa::Operand::kCause:
        return aux != 0 || !isa::FindTrap(arg).has_value();
    }
    return true;
  }

  std::uint64_t LocalSlot() const {
    return instruction_.aux() == 1
               ? instruction_.arg
               : static_cast<std::uint64_t>(state_.locals_base) + instruction_.arg;
  }

  void Halt(Stop stop) {
    stop_ = stop;
    stopped_ = true;
  }
  void TrapWith(isa::Trap cause, const char* detail = "") { Halt(Stop::Trapped(cause, detail)); }

  void WriteSlot(std::uint32_t slot, Word value) {
    state_.slots[slot] = value;
    reads_.WroteStack(slot);
  }
  /// Replaces the `pops` uppermost operands by one value.
  void Replace(std::uint32_t pops, Word value) {
    state_.sp = sp_ - pops + 1;
    WriteSlot(state_.sp, value);
    ++state_.ip;
  }
  /// Drops one or two operands; the new top is read back from its slot.
  void Drop(std::uint32_t pops) {
    state_.sp = sp_ - pops;
    state_.slots[state_.sp] = pops == 1 ? Second() : Third();
    ++state_.ip;
  }
  void Push(Word value) {
    state_.sp = sp_ + 1;
    WriteSlot(state_.sp, value);
    ++state_.ip;
  }
  Word Second() { return reads_.Second(sp_); }
  Word Third() { return reads_.Third(sp_); }

  bool CheckedBefore(const isa::OpcodeInfo& info) {
    if (sp_ < info.pops) {
      TrapWith(isa::Trap::kStackUnderflow);
      return false;
    }
    return true;
  }
  bool HasSlots(const isa::OpcodeInfo& info) {
    const std::uint64_t after = static_cast<std::uint64_t>(sp_) - info.pops + info.pushes;
    if (info.pushes > info.pops && after > context_.limits.max_slots) {
      TrapWith(isa::Trap::kExhausted, kSlotsExhausted);
      return false;
    }
    return true;
  }

  void Execute() {
    if (Malformed()) return TrapWith(isa::Trap::kInvalidInstruction);
    const isa::OpcodeInfo& info = isa::Info(instruction_.op());
    if (!CheckedBefore(info) || !HasSlots(info)) return;
    switch (info.op_class) {
      case isa::OpClass::kArith:
      case isa::OpClass::kCompare:
      case isa::OpClass::kBits:
      case isa::OpClass::kShift:
        return info.pops == 2 ? Replace(2, Binary(Second(), top_)) : Replace(1, Unary(top_));
      case isa::OpClass::kDivide:
        return Divide();
      case isa::OpClass::kMove:
        return Move();
      case isa::OpClass::kMemory:
        return AccessSpaces(info);
      case isa::OpClass::kFlow:
        return Flow();
    }
  }

  Word Binary(Word a, Word b) const;
  Word Unary(Word a) const;
  void Divide();
  void Move();
  void AccessSpaces(const isa::OpcodeInfo& info);
  void LoadOrStore(const isa::OpcodeInfo& info);
  void Flow();
  void Call();
  void Return();
  void Jump(bool taken);

  const EngineContext& context_;
  std::uint32_t largest_frame_;
  State& state_;
  Reads& reads_;
  Observer* observer_;
  isa::Instruction instruction_;
  std::uint32_t ip_ = 0;
  std::uint32_t sp_ = 0;
  Word top_ = 0;
  Stop stop_;
  bool stopped_ = false;
};

template <typename Reads>
Word CarefulLoop<Reads>::Binary(Word a, Word b) const {
#define TXVM_CASE(Name)      \
  case isa::Opcode::k##Name: \
    return isa::Name(a, b);
  switch (instruction_.op()) {
#define TXVM_PURE_kArith_2 TXVM_CASE
#define TXVM_PURE_kCompare_2 TXVM_CASE
#define TXVM_PURE_kBits_2 TXVM_CASE
#define TXVM_PURE_kShift_2 TXVM_CASE
#include "vm/engines/pure_ops-inl.h"
#undef TXVM_CASE
    default:
      return 0;
  }
}

template <typename Reads>
Word CarefulLoop<Reads>::Unary(Word a) const {
#define TXVM_CASE(Name)      \
  case isa::Opcode::k##Name: \
    return isa::Name(a);
  switch (instruction_.op()) {
#define TXVM_PURE_kArith_1 TXVM_CASE
#define TXVM_PURE_kCompare_1 TXVM_CASE
#define TXVM_PURE_kBits_1 TXVM_CASE
#include "vm/engines/pure_ops-inl.h"
#undef TXVM_CASE
    default:
      return 0;
  }
}

template <typename Reads>
void CarefulLoop<Reads>::Divide() {
  const Word a = Second();
  const Word b = top_;
  if (b == 0) return TrapWith(isa::Trap::kDivideByZero);
  switch (instruction_.op()) {
    case isa::Opcode::kDivS:
      if (isa::DivSOverflows(a, b)) return TrapWith(isa::Trap::kIntegerOverflow);
      return Replace(2, isa::DivS(a, b));
    case isa::Opcode::kDivU:
      return Replace(2, isa::DivU(a, b));
    case isa::Opcode::kRemS:
      return Replace(2, isa::RemS(a, b));
    default:
      return Replace(2, isa::RemU(a, b));
  }
}

template <typename Reads>
void CarefulLoop<Reads>::Move() {
  switch (instruction_.op()) {
    case isa::Opcode::kPush:
      return Push(instruction_.arg);
    case isa::Opcode::kPop:
      return Drop(1);
    case isa::Opcode::kDup:
      return Push(top_);
    case isa::Opcode::kOver:
      return Push(Second());
    case isa::Opcode::kSwap: {
      const Word a = Second();
      WriteSlot(sp_ - 1, top_);
      return Replace(1, a);
    }
    case isa::Opcode::kRot: {
      const Word b = Second();
      const Word a = Third();
      WriteSlot(sp_ - 2, b);
      WriteSlot(sp_ - 1, top_);
      return Replace(1, a);
    }
    case isa::Opcode::kSelect: {
      const Word b = Second();
      const Word a = Third();
      return Replace(3, isa::Select(a, b, top_));
    }
    default:  // NOP
      ++state_.ip;
  }
}

template <typename Reads>
void CarefulLoop<Reads>::AccessSpaces(const isa::OpcodeInfo& info) {
  if (info.operand == isa::Operand::kOffset) return LoadOrStore(info);
  const auto slot = static_cast<std::uint32_t>(LocalSlot());
  if (instruction_.op() == isa::Opcode::kLocalGet) return Push(reads_.Local(slot));
  state_.locals[slot] = top_;
  reads_.WroteLocal(slot);
  if (instruction_.op() == isa::Opcode::kLocalSet) return Drop(1);
  Replace(1, top_);  // LOCAL.TEE
}

template <typename Reads>
void CarefulLoop<Reads>::LoadOrStore(const isa::OpcodeInfo& info) {
  const unsigned width = info.memory_reads + info.memory_writes;
  const Word base = info.memory_writes != 0 ? Second() : top_;
  const std::uint64_t address = static_cast<std::uint64_t>(base) + instruction_.arg;
  if (!state_.memory.Contains(address, width)) return TrapWith(isa::Trap::kOutOfBounds);
  if (info.memory_writes != 0) {
    std::memcpy(state_.memory.data() + address, &top_, width);  // little-endian hosts only
    return Drop(2);
  }
  const Word value = reads_.Memory(address, width);
  switch (instruction_.op()) {
    case isa::Opcode::kLoad8S:
      return Replace(1, isa::SignExtend8(value));
    case isa::Opcode::kLoad16S:
      return Replace(1, isa::SignExtend16(value));
    default:
      return Replace(1, value);
  }
}

template <typename Reads>
void CarefulLoop<Reads>::Flow() {
  switch (instruction_.op()) {
    case isa::Opcode::kJz:
      return Jump(top_ == 0);
    case isa::Opcode::kJnz:
      return Jump(top_ != 0);
    case isa::Opcode::kCall:
      return Call();
    case isa::Opcode::kReturn:
      return Return();
    case isa::Opcode::kHalt:
      return Halt(Stop::Of(Stop::Kind::kHalted));
    default:
      return TrapWith(*isa::FindTrap(instruction_.arg));
  }
}

template <typename Reads>
void CarefulLoop<Reads>::Jump(bool taken) {
  Drop(1);
  if (taken) state_.ip = instruction_.arg;
}

template <typename Reads>
void CarefulLoop<Reads>::Call() {
  if (state_.depth == context_.limits.max_depth)
    return TrapWith(isa::Trap::kExhausted, kDepthExhausted);
  const std::uint64_t base = static_cast<std::uint64_t>(state_.locals_base) + instruction_.aux();
  if (base + largest_frame_ > context_.limits.max_locals)
    return TrapWith(isa::Trap::kExhausted, kLocalsExhausted);
  ++state_.depth;
  state_.frames[state_.depth] = {ip_ + 1, state_.locals_base};
  reads_.WroteCall(state_.depth);
  state_.locals_base = static_cast<std::uint32_t>(base);
  state_.ip = instruction_.arg;
}

template <typename Reads>
void CarefulLoop<Reads>::Return() {
  if (state_.depth == 0) return TrapWith(isa::Trap::kStackUnderflow);
  const Frame frame = reads_.Call(state_.depth);
  --state_.depth;
  state_.ip = frame.return_ip;
  state_.locals_base = frame.locals_base;
}

}  // namespace txvm::vm

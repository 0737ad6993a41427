#include "tests/asm/small_machine.h"

#include <utility>

#include "isa/limits.h"
#include "isa/opcode.h"
#include "isa/trap.h"
#include "isa/word_ops.h"

namespace txvm::assembler {
namespace {

using isa::Instruction;
using isa::Opcode;
using isa::Trap;
using isa::Word;

struct Frame {
  std::uint32_t return_ip = 0;
  std::size_t base = 0;
};

class SmallMachine {
 public:
  SmallMachine(const isa::Program& program, std::uint32_t start,
               const std::vector<std::uint32_t>& arguments, std::size_t max_depth)
      : program_(program), ip_(start), max_depth_(max_depth) {
    run_.stack = arguments;
    run_.globals = program.globals;
    const std::size_t pages = program.memory ? program.memory->initial : 0;
    run_.memory.resize(pages * isa::kPageBytes);
    for (const isa::DataSegment& data : program.data) {
      for (std::size_t i = 0; i < data.bytes.size(); ++i) {
        run_.memory.at(data.offset + i) = data.bytes[i];
      }
    }
    locals_.resize(isa::LargestFrame(program));
  }

  SmallRun Run(std::uint64_t fuel) {
    while (!stopped_) {
      if (run_.steps == fuel) {
        run_.ending = Ending::kOutOfFuel;
        break;
      }
      ++run_.steps;
      Step(program_.code.at(ip_));
    }
    return std::move(run_);
  }

 private:
  void Stop(Ending ending, Trap cause = Trap::kUnreachable) {
    stopped_ = true;
    run_.ending = ending;
    if (ending == Ending::kTrapped) run_.trap = static_cast<std::uint32_t>(cause);
  }
  Word& Top(std::size_t below = 0) { return run_.stack.at(run_.stack.size() - 1 - below); }
  Word Pop() {
    const Word value = Top();
    run_.stack.pop_back();
    return value;
  }
  void Push(Word value) { run_.stack.push_back(value); }
  Word& Local(Instruction instruction) {
    if (instruction.aux() == 1) return run_.globals.at(instruction.arg);
    return locals_.at(base_ + instruction.arg);
  }

  void Binary(Word (*function)(Word, Word)) {
    const Word b = Pop();
    Top() = function(Top(), b);
    ++ip_;
  }
  void Unary(Word (*function)(Word)) {
    Top() = function(Top());
    ++ip_;
  }
  void Divide(Word (*function)(Word, Word), bool overflows) {
    if (Top() == 0) return Stop(Ending::kTrapped, Trap::kDivideByZero);
    if (overflows && isa::DivSOverflows(Top(1), Top())) {
      return Stop(Ending::kTrapped, Trap::kIntegerOverflow);
    }
    Binary(function);
  }
  void Load(Instruction instruction, std::size_t width) {
    const std::uint64_t address = std::uint64_t{Top()} + instruction.arg;
    if (address + width > run_.memory.size()) return Stop(Ending::kTrapped, Trap::kOutOfBounds);
    Word value = 0;
    for (std::size_t i = 0; i < width; ++i) value |= Word{run_.memory[address + i]} << (8 * i);
    if (instruction.op() == Opcode::kLoad8S) value = isa::SignExtend8(value);
    if (instruction.op() == Opcode::kLoad16S) value = isa::SignExtend16(value);
    Top() = value;
    ++ip_;
  }
  void Store(Instruction instruction, std::size_t width) {
    const std::uint64_t address = std::uint64_t{Top(1)} + instruction.arg;
    if (address + width > run_.memory.size()) return Stop(Ending::kTrapped, Trap::kOutOfBounds);
    const Word value = Pop();
    Pop();
    for (std::size_t i = 0; i < width; ++i) {
      run_.memory[address + i] = static_cast<std::uint8_t>(value >> (8 * i));
    }
    ++ip_;
  }
  void Jump(bool taken, std::uint32_t target) { ip_ = taken ? target : ip_ + 1; }
  void Call(Instruction instruction) {
    if ((instruction.arg & isa::kHostCallBit) != 0) return Stop(Ending::kHostCall);
    if (frames_.size() == max_depth_) return Stop(Ending::kTrapped, Trap::kExhausted);
    frames_.push_back({ip_ + 1, base_});
    base_ += instruction.aux();
    // What a frame finds in its locals is not defined by CALL; make it visible.
    locals_.resize(base_ + isa::LargestFrame(program_), 0xDEADBEEF);
    ip_ = instruction.arg;
  }
  void Return() {
    if (frames_.empty()) return Stop(Ending::kTrapped, Trap::kStackUnderflow);
    ip_ = frames_.back().return_ip;
    base_ = frames_.back().base;
    frames_.pop_back();
  }
  void Stack(Opcode op) {
    if (op == Opcode::kPop) Pop();
    if (op == Opcode::kDup) Push(Word{Top()});
    if (op == Opcode::kSwap) std::swap(Top(), Top(1));
    if (op == Opcode::kOver) Push(Word{Top(1)});
    if (op == Opcode::kRot) {
      const Word a = Top(2);
      Top(2) = Top(1);
      Top(1) = Top();
      Top() = a;
    }
    if (op == Opcode::kSelect) {
      const Word c = Pop();
      const Word b = Pop();
      Top() = isa::Select(Top(), b, c);
    }
    ++ip_;
  }
  void Access(Instruction instruction) {
    if (instruction.op() == Opcode::kLocalGet) Push(Word{Local(instruction)});
    if (instruction.op() == Opcode::kLocalSet) Local(instruction) = Pop();
    if (instruction.op() == Opcode::kLocalTee) Local(instruction) = Top();
    ++ip_;
  }
  void Step(Instruction instruction);

  const isa::Program& program_;
  SmallRun run_;
  std::uint32_t ip_ = 0;
  std::size_t base_ = 0;
  std::size_t max_depth_ = 0;
  bool stopped_ = false;
  std::vector<Word> locals_;
  std::vector<Frame> frames_;
};

void SmallMachine::Step(Instruction instruction) {
  switch (instruction.op()) {
    case Opcode::kPush:
      Push(instruction.arg);
      ++ip_;
      return;
    case Opcode::kPop:
    case Opcode::kDup:
    case Opcode::kSwap:
    case Opcode::kOver:
    case Opcode::kRot:
    case Opcode::kSelect:
      return Stack(instruction.op());
    case Opcode::kNop:
      ++ip_;
      return;
    case Opcode::kHalt:
      return Stop(Ending::kHalted);
    case Opcode::kTrap:
      return Stop(Ending::kTrapped, static_cast<Trap>(instruction.arg));
    case Opcode::kJz:
      return Jump(Pop() == 0, instruction.arg);
    case Opcode::kJnz:
      return Jump(Pop() != 0, instruction.arg);
    case Opcode::kCall:
      return Call(instruction);
    case Opcode::kReturn:
      return Return();
    case Opcode::kLocalGet:
    case Opcode::kLocalSet:
    case Opcode::kLocalTee:
      return Access(instruction);
    case Opcode::kLoad:
      return Load(instruction, 4);
    case Opcode::kLoad8U:
    case Opcode::kLoad8S:
      return Load(instruction, 1);
    case Opcode::kLoad16U:
    case Opcode::kLoad16S:
      return Load(instruction, 2);
    case Opcode::kStore:
      return Store(instruction, 4);
    case Opcode::kStore8:
      return Store(instruction, 1);
    case Opcode::kStore16:
      return Store(instruction, 2);
    case Opcode::kDivS:
      return Divide(isa::DivS, true);
    case Opcode::kDivU:
      return Divide(isa::DivU, false);
    case Opcode::kRemS:
      return Divide(isa::RemS, false);
    case Opcode::kRemU:
      return Divide(isa::RemU, false);
#define TXVM_SMALL_BINARY(Name) \
  case Opcode::k##Name:         \
    return Binary(isa::Name);
      TXVM_SMALL_BINARY(Add)
      TXVM_SMALL_BINARY(Sub)
      TXVM_SMALL_BINARY(Mul)
      TXVM_SMALL_BINARY(Eq)
      TXVM_SMALL_BINARY(Ne)
      TXVM_SMALL_BINARY(LtS)
      TXVM_SMALL_BINARY(LtU)
      TXVM_SMALL_BINARY(GtS)
      TXVM_SMALL_BINARY(GtU)
      TXVM_SMALL_BINARY(LeS)
      TXVM_SMALL_BINARY(LeU)
      TXVM_SMALL_BINARY(GeS)
      TXVM_SMALL_BINARY(GeU)
      TXVM_SMALL_BINARY(And)
      TXVM_SMALL_BINARY(Or)
      TXVM_SMALL_BINARY(Xor)
      TXVM_SMALL_BINARY(Shl)
      TXVM_SMALL_BINARY(ShrS)
      TXVM_SMALL_BINARY(ShrU)
      TXVM_SMALL_BINARY(Rotl)
      TXVM_SMALL_BINARY(Rotr)
#undef TXVM_SMALL_BINARY
#define TXVM_SMALL_UNARY(Name) \
  case Opcode::k##Name:        \
    return Unary(isa::Name);
      TXVM_SMALL_UNARY(Eqz)
      TXVM_SMALL_UNARY(Clz)
      TXVM_SMALL_UNARY(Ctz)
      TXVM_SMALL_UNARY(Popcnt)
      TXVM_SMALL_UNARY(Abs)
      TXVM_SMALL_UNARY(Neg)
#undef TXVM_SMALL_UNARY
  }
}

}  // namespace

SmallRun RunSmall(const isa::Program& program, std::uint32_t start,
                  const std::vector<std::uint32_t>& arguments, std::uint64_t fuel,
                  std::size_t max_depth) {
  return SmallMachine(program, start, arguments, max_depth).Run(fuel);
}

}  // namespace txvm::assembler

#include "tests/support/reference_interpreter.h"

#include <algorithm>

#include "isa/opcode.h"

namespace txvm::support {
namespace {

using isa::Instruction;
using isa::Opcode;
using isa::Trap;
using Outcome = ReferenceResult::Outcome;
using I64 = std::int64_t;

constexpr I64 kTwo32 = I64{1} << 32;

I64 AsSigned(std::uint32_t a) { return a < 0x80000000u ? I64{a} : I64{a} - kTwo32; }
std::uint32_t Residue(I64 value) {
  return static_cast<std::uint32_t>(((value % kTwo32) + kTwo32) % kTwo32);
}
I64 PowerOfTwo(I64 n) { return I64{1} << n; }
I64 BitOf(I64 a, I64 i) { return a / PowerOfTwo(i) % 2; }

// a op b for two operands, a op 0 for one.
I64 PureResult(Opcode op, std::uint32_t a, std::uint32_t b) {
  const I64 ua = a, ub = b, sa = AsSigned(a), sb = AsSigned(b), shift = ub % 32;
  I64 bits = 0;
  switch (op) {
    case Opcode::kAdd:
      return ua + ub;
    case Opcode::kSub:
      return ua - ub;
    case Opcode::kMul:
      return sa * sb;
    case Opcode::kEqz:
    case Opcode::kEq:
      return ua == ub;
    case Opcode::kNe:
      return ua != ub;
    case Opcode::kLtS:
      return sa < sb;
    case Opcode::kLtU:
      return ua < ub;
    case Opcode::kGtS:
      return sa > sb;
    case Opcode::kGtU:
      return ua > ub;
    case Opcode::kLeS:
      return sa <= sb;
    case Opcode::kLeU:
      return ua <= ub;
    case Opcode::kGeS:
      return sa >= sb;
    case Opcode::kGeU:
      return ua >= ub;
    case Opcode::kAnd:
      for (I64 i = 0; i < 32; ++i) bits += BitOf(ua, i) * BitOf(ub, i) * PowerOfTwo(i);
      return bits;
    case Opcode::kOr:
      for (I64 i = 0; i < 32; ++i) bits += std::max(BitOf(ua, i), BitOf(ub, i)) * PowerOfTwo(i);
      return bits;
    case Opcode::kXor:
      for (I64 i = 0; i < 32; ++i) bits += (BitOf(ua, i) + BitOf(ub, i)) % 2 * PowerOfTwo(i);
      return bits;
    case Opcode::kShl:
      return ua % PowerOfTwo(32 - shift) * PowerOfTwo(shift);
    case Opcode::kShrU:
      return ua / PowerOfTwo(shift);
    case Opcode::kShrS:  // floor
      return (sa - ((sa % PowerOfTwo(shift)) + PowerOfTwo(shift)) % PowerOfTwo(shift)) /
             PowerOfTwo(shift);
    case Opcode::kRotl:
      return ua % PowerOfTwo(32 - shift) * PowerOfTwo(shift) + ua / PowerOfTwo(32 - shift);
    case Opcode::kRotr:
      return ua / PowerOfTwo(shift) + ua % PowerOfTwo(shift) * PowerOfTwo((32 - shift) % 32);
    case Opcode::kClz:
      for (I64 i = 31; i >= 0 && BitOf(ua, i) == 0; --i) ++bits;
      return bits;
    case Opcode::kCtz:
      for (I64 i = 0; i < 32 && BitOf(ua, i) == 0; ++i) ++bits;
      return bits;
    case Opcode::kPopcnt:
      for (I64 i = 0; i < 32; ++i) bits += BitOf(ua, i);
      return bits;
    case Opcode::kAbs:
      return sa < 0 ? -sa : sa;
    case Opcode::kNeg:
      return -sa;
    default:
      TXVM_ASSERT(false);
      return 0;
  }
}

std::size_t AccessWidth(Opcode op) {
  if (op == Opcode::kLoad || op == Opcode::kStore) return 4;
  if (op == Opcode::kLoad16U || op == Opcode::kLoad16S || op == Opcode::kStore16) return 2;
  return 1;
}

bool IsStore(Opcode op) {
  return op == Opcode::kStore || op == Opcode::kStore8 || op == Opcode::kStore16;
}

bool IsHostCall(const Instruction& instruction) {
  return instruction.op() == Opcode::kCall && instruction.arg >= isa::kHostCallBit;
}

}  // namespace

std::uint32_t ReferenceMemory::pages() const {
  return static_cast<std::uint32_t>(bytes.size() / isa::kPageBytes);
}

std::uint32_t ReferenceMemory::Grow(std::uint32_t delta) {
  const std::uint32_t before = pages();
  if (std::uint64_t{before} + delta > max_pages) return 0xFFFFFFFF;
  bytes.resize(bytes.size() + std::size_t{delta} * isa::kPageBytes);
  return before;
}

ReferenceInterpreter::ReferenceInterpreter(const isa::Program& program, const isa::Limits& limits,
                                           const ReferenceHosts& hosts)
    : program_(program), limits_(limits), hosts_(hosts), executed_(256) {
  if (program.memory) {
    memory_.max_pages = std::min(program.memory->maximum, limits.max_pages);
    memory_.bytes.resize(std::size_t{program.memory->initial} * isa::kPageBytes);
  }
  for (const isa::DataSegment& segment : program.data) {
    TXVM_ASSERT(std::size_t{segment.offset} + segment.bytes.size() <= memory_.bytes.size());
    for (std::size_t i = 0; i < segment.bytes.size(); ++i) {
      memory_.bytes[segment.offset + i] = segment.bytes[i];
    }
  }
  for (std::size_t i = 0; i < program.globals.size(); ++i) locals_[i] = program.globals[i];
}

std::vector<std::uint32_t> ReferenceInterpreter::globals() const {
  std::vector<std::uint32_t> values;
  for (std::size_t i = 0; i < program_.globals.size(); ++i) values.push_back(locals_.at(i));
  return values;
}

ReferenceResult ReferenceInterpreter::Run(std::uint32_t start,
                                          const std::vector<std::uint32_t>& args,
                                          std::uint64_t fuel) {
  stack_ = args;
  calls_.clear();
  ip_ = start;
  locals_base_ = program_.globals.size();
  result_ = ReferenceResult{};
  result_.digest = 0x6A09E667F3BCC908;
  return Resume(fuel);
}

ReferenceResult ReferenceInterpreter::Resume(std::uint64_t fuel) {
  stopped_ = false;
  const std::uint64_t last = result_.steps + fuel;
  while (!stopped_) {
    if (result_.steps == last) {
      result_.outcome = Outcome::kOutOfFuel;
      stopped_ = true;
    } else {
      Step();
    }
  }
  result_.ip = ip_;
  if (result_.outcome == Outcome::kHalted) result_.results = stack_;
  return result_;
}

void ReferenceInterpreter::Step() {
  if (ip_ >= program_.code.size()) return TrapWith(Trap::kInvalidPc);  // no step, no record
  const std::uint32_t ip = ip_;
  const Instruction instruction = program_.code[ip];
  ++result_.steps;
  ++executed_[instruction.code()];
  const Opcode op = instruction.op();
  if (IsMalformed(instruction)) {
    TrapWith(Trap::kInvalidInstruction);
  } else if (IsHostCall(instruction)) {
    HostCall(instruction);
  } else if (op == Opcode::kCall) {
    EnterCall(instruction);
  } else if (op == Opcode::kReturn) {
    Return();
  } else if (op == Opcode::kHalt) {
    result_.outcome = Outcome::kHalted;
    stopped_ = true;
  } else if (op == Opcode::kTrap) {
    TrapWith(static_cast<Trap>(instruction.arg));
  } else if (op == Opcode::kJz || op == Opcode::kJnz) {
    Jump(instruction);
  } else if (op == Opcode::kLocalGet || op == Opcode::kLocalSet || op == Opcode::kLocalTee) {
    Locals(instruction);
  } else if (isa::Info(op).operand == isa::Operand::kOffset) {
    Access(instruction);
  } else if (op == Opcode::kDivS || op == Opcode::kDivU || op == Opcode::kRemS ||
             op == Opcode::kRemU) {
    Divide(op);
  } else {
    Pure(instruction);
  }
  Record(ip, instruction);
}

void ReferenceInterpreter::Record(std::uint32_t ip, const Instruction& instruction) {
  const std::uint64_t top = stack_.empty() ? 0 : stack_.back();
  const std::uint64_t w0 =
      instruction.code() + (std::uint64_t{instruction.aux()} << 8) + (std::uint64_t{ip} << 32);
  const std::uint64_t w1 = instruction.arg + (std::uint64_t{stack_.size()} << 32);
  const std::uint64_t x =
      result_.digest + w0 * 0x9E3779B97F4A7C15 + w1 * 0xC2B2AE3D27D4EB4F + top * 0x165667B19E3779F9;
  result_.digest = (x ^ (x >> 32)) * 0xD6E8FEB86659FD93;
}

// What Verify refuses in an instruction by itself, as far as its meaning depends on it. Any slot of
// the locals space may be addressed: which of them a function owns is the validator's to check.
bool ReferenceInterpreter::IsMalformed(const Instruction& instruction) const {
  const isa::OpcodeInfo* info = isa::FindInfo(instruction.code());
  if (info == nullptr) return true;
  const std::uint64_t arg = instruction.arg;
  switch (info->operand) {
    case isa::Operand::kNone:
      return instruction.aux() != 0 || arg != 0;
    case isa::Operand::kValue:
    case isa::Operand::kOffset:
    case isa::Operand::kTarget:
      return instruction.aux() != 0;
    case isa::Operand::kLocal:
      if (instruction.aux() > 1) return true;
      return instruction.aux() == 1 ? arg >= program_.globals.size()
                                    : locals_base_ + arg >= limits_.max_locals;
    case isa::Operand::kCallee:
      if (!IsHostCall(instruction)) return false;
      return instruction.aux() != 0 || arg - isa::kHostCallBit >= program_.imports.size();
    case isa::Operand::kCause:
      return instruction.aux() != 0 || arg < 1 || arg > isa::kTrapCount;
  }
  return true;
}

void ReferenceInterpreter::TrapWith(Trap cause) {
  result_.outcome = Outcome::kTrapped;
  result_.cause = cause;
  stopped_ = true;
}

bool ReferenceInterpreter::NeedsOperands(std::size_t count) {
  if (stack_.size() >= count) return true;
  TrapWith(Trap::kStackUnderflow);
  return false;
}

bool ReferenceInterpreter::NeedsRoom(std::size_t pops, std::size_t pushes) {
  if (pushes <= pops || stack_.size() - pops + pushes <= limits_.max_slots) return true;
  TrapWith(Trap::kExhausted);
  return false;
}

std::uint32_t ReferenceInterpreter::Pop() {
  const std::uint32_t value = stack_.back();
  stack_.pop_back();
  return value;
}

void ReferenceInterpreter::Pure(const Instruction& instruction) {
  const Opcode op = instruction.op();
  const isa::OpcodeInfo& info = isa::Info(op);
  if (!NeedsOperands(info.pops) || !NeedsRoom(info.pops, info.pushes)) return;
  ++ip_;
  if (op == Opcode::kNop) return;
  if (op == Opcode::kPush) return Push(instruction.arg);
  const std::uint32_t last = Pop();
  if (op == Opcode::kPop) return;
  if (op == Opcode::kDup) return Push(last), Push(last);
  if (info.pops == 1) return Push(Residue(PureResult(op, last, 0)));
  const std::uint32_t second = Pop();
  if (op == Opcode::kSwap) return Push(last), Push(second);
  if (op == Opcode::kOver) return Push(second), Push(last), Push(second);
  if (info.pops == 2) return Push(Residue(PureResult(op, second, last)));
  const std::uint32_t third = Pop();
  if (op == Opcode::kRot) return Push(second), Push(last), Push(third);
  TXVM_ASSERT(op == Opcode::kSelect);
  Push(last != 0 ? third : second);
}

void ReferenceInterpreter::Divide(Opcode op) {
  if (!NeedsOperands(2)) return;
  const std::uint32_t b = stack_.back();
  const std::uint32_t a = stack_[stack_.size() - 2];
  if (b == 0) return TrapWith(Trap::kDivideByZero);
  const bool is_signed = op == Opcode::kDivS || op == Opcode::kRemS;
  const I64 x = is_signed ? AsSigned(a) : I64{a};
  const I64 y = is_signed ? AsSigned(b) : I64{b};
  const bool is_quotient = op == Opcode::kDivS || op == Opcode::kDivU;
  if (is_quotient && is_signed && x / y == kTwo32 / 2) return TrapWith(Trap::kIntegerOverflow);
  stack_.resize(stack_.size() - 2);
  Push(Residue(is_quotient ? x / y : x - x / y * y));
  ++ip_;
}

void ReferenceInterpreter::Locals(const Instruction& instruction) {
  const Opcode op = instruction.op();
  const std::uint64_t slot =
      instruction.aux() == 1 ? instruction.arg : locals_base_ + instruction.arg;
  if (op == Opcode::kLocalGet) {
    if (!NeedsRoom(0, 1)) return;
    const auto found = locals_.find(slot);
    Push(found == locals_.end() ? 0 : found->second);
  } else {
    if (!NeedsOperands(1)) return;
    locals_[slot] = stack_.back();
    if (op == Opcode::kLocalSet) Pop();
  }
  ++ip_;
}

void ReferenceInterpreter::Access(const Instruction& instruction) {
  const Opcode op = instruction.op();
  const std::size_t width = AccessWidth(op);
  if (!NeedsOperands(IsStore(op) ? 2 : 1)) return;
  const std::uint32_t base = stack_[stack_.size() - (IsStore(op) ? 2 : 1)];
  const std::uint64_t address = std::uint64_t{base} + instruction.arg;
  if (address + width > memory_.bytes.size()) return TrapWith(Trap::kOutOfBounds);
  if (IsStore(op)) {
    I64 rest = Pop();
    Pop();
    for (std::size_t i = 0; i < width; ++i, rest /= 256) {
      memory_.bytes[address + i] = static_cast<std::uint8_t>(rest % 256);
    }
  } else {
    Pop();
    I64 value = 0;
    for (std::size_t i = width; i-- > 0;) value = value * 256 + memory_.bytes[address + i];
    const bool extends = op == Opcode::kLoad8S || op == Opcode::kLoad16S;
    const I64 range = PowerOfTwo(8 * static_cast<I64>(width));
    Push(Residue(extends && value >= range / 2 ? value - range : value));
  }
  ++ip_;
}

void ReferenceInterpreter::Jump(const Instruction& instruction) {
  if (!NeedsOperands(1)) return;
  const bool is_zero = Pop() == 0;
  ip_ = is_zero == (instruction.op() == Opcode::kJz) ? instruction.arg : ip_ + 1;
}

void ReferenceInterpreter::EnterCall(const Instruction& instruction) {
  const std::uint64_t base = locals_base_ + instruction.aux();
  if (calls_.size() == limits_.max_depth ||
      base + isa::LargestFrame(program_) > limits_.max_locals) {
    return TrapWith(Trap::kExhausted);
  }
  calls_.push_back({ip_ + 1, static_cast<std::uint32_t>(locals_base_)});
  locals_base_ = base;
  ip_ = instruction.arg;
}

void ReferenceInterpreter::Return() {
  if (calls_.empty()) return TrapWith(Trap::kStackUnderflow);
  ip_ = calls_.back().return_ip;
  locals_base_ = calls_.back().locals_base;
  calls_.pop_back();
}

void ReferenceInterpreter::HostCall(const Instruction& instruction) {
  const isa::Import& import = program_.imports[instruction.arg - isa::kHostCallBit];
  if (!NeedsOperands(import.params) || !NeedsRoom(import.params, import.results)) return;
  const std::vector<std::uint32_t> args(stack_.end() - import.params, stack_.end());
  ReferenceHostAnswer answer;
  if (import.module == "txvm" && import.name == "memory.size") {
    answer.results = {memory_.pages()};
  } else if (import.module == "txvm" && import.name == "memory.grow") {
    answer.results = {memory_.Grow(args[0])};
  } else {
    answer = hosts_.at({import.module, import.name})(memory_, args);
  }
  if (answer.outcome != Outcome::kHalted) {
    result_.outcome = answer.outcome;
    result_.cause = answer.cause;
    result_.exit_code = answer.exit_code;
    stopped_ = true;
    return;
  }
  stack_.resize(stack_.size() - import.params);
  stack_.insert(stack_.end(), answer.results.begin(), answer.results.end());
  ++ip_;
}

}  // namespace txvm::support

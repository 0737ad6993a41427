// Operands, variables, memory and calls; arithmetic is in straight_ops.cc.
#include "frontends/provable/straight.h"

#include <algorithm>
#include <utility>

#include "isa/opcode.h"

namespace txvm::frontends::provable {

using isa::Opcode;
using triton::TirCode;
using wat::Instr;
using wat::InstrKind;

namespace {

constexpr std::uint32_t kByte = 8, kHalf = 16, kWordBits = 32;
constexpr std::uint64_t kWordModulus = std::uint64_t{1} << 32;
constexpr std::uint32_t kWordBytes = 4;

}  // namespace

Straight::Operand Straight::Pop() {
  --height_;
  if (operands_.empty()) return {};
  Operand top = operands_.back();
  operands_.pop_back();
  return top;
}

void Straight::Left(Operand operand) {
  ++height_;
  operands_.push_back(operand);
}

/// An instruction without knowledge of its operands: takes words, leaves words.
void Straight::Words(std::uint32_t pops, std::uint32_t pushes) {
  for (std::uint32_t i = 0; i < pops; ++i) Pop();
  for (std::uint32_t i = 0; i < pushes; ++i) Left({});
}

void Straight::FlushConstants() {
  auto first = operands_.end();
  while (first != operands_.begin() && std::prev(first)->constant) --first;
  for (; first != operands_.end(); ++first) {
    code_.Push(*first->constant);
    first->bound = *first->constant;
    first->is_bool = *first->constant <= 1;
    first->constant.reset();
  }
}

void Straight::Run(std::span<const Instr> run) {
  for (std::size_t i = 0; i < run.size(); ++i) {
    rest_ = run.subspan(i + 1);
    Take(run[i]);
  }
}

Code Straight::Finish() {
  FlushConstants();
  return std::move(code_);
}

Condition Straight::TakeCondition() {
  const Operand top = Pop();
  FlushConstants();
  TXVM_ASSERT(top.bound <= kWordMax);
  const bool is_zero_test = top.zero_test != 0 && top.zero_test == code_.size();
  return {top.constant, top.is_bool, is_zero_test, top.of_bool};
}

void Straight::Take(const Instr& instr) {
  switch (instr.kind) {
    case InstrKind::kConst:
      return Left({.constant = instr.a});
    case InstrKind::kOp:
      return Operation(instr.op);
    case InstrKind::kExtend:
      return Extend(kWordBits - instr.a);
    case InstrKind::kLocal:
      return Local(instr);
    case InstrKind::kGlobalGet:
    case InstrKind::kGlobalSet:
      return Global(instr);
    case InstrKind::kAccess:
      return Access(instr);
    case InstrKind::kCall:
      return Call(instr.a);
    case InstrKind::kCallIndirect:
      return CallIndirect(instr);
    case InstrKind::kMemorySize:
      return MemorySize();
    case InstrKind::kMemoryGrow:
      FlushConstants();
      HelperCall(context_.layout.memory_grows ? "mem_grow" : "mem_grow_by_none");
      return Words(1, 1);
    default:
      TXVM_ASSERT(false);  // the tree has no run with another one
  }
}

void Straight::Local(const Instr& instr) {
  FlushConstants();
  const LocalPlace& place = frame_.locals[instr.a];
  if (instr.op == Opcode::kLocalGet) {
    if (place.address) {
      code_.Load(*place.address);
    } else {
      code_.Dup(place.above + height_);
    }
    return Left({});
  }
  const bool stays = instr.op == Opcode::kLocalTee;
  if (stays) code_.Dup(0);
  if (place.address) {
    code_.Store(*place.address);
  } else {
    code_.Swap(place.above + height_ + (stays ? 1 : 0));
    code_.Pop(1);
  }
  if (!stays) Pop();
}

void Straight::Global(const Instr& instr) {
  if (instr.kind == InstrKind::kGlobalGet) {
    if (const auto constant = context_.ConstantGlobal(instr.a)) return Left({.constant = constant});
    FlushConstants();
    code_.Load(context_.layout.globals[instr.a]);
    return Left({});
  }
  FlushConstants();
  code_.Store(context_.layout.globals[instr.a]);
  Pop();
}

void Straight::Drop() {
  if (!Pop().constant) code_.Pop(1);
}

/// A whole aligned word at an address known now, inside a memory that does not grow.
bool Straight::AccessAtConstant(const Instr& instr) {
  const bool is_store = instr.op == Opcode::kStore;
  if (context_.layout.memory_grows || (!is_store && instr.op != Opcode::kLoad)) return false;
  const std::size_t depth = is_store ? 2 : 1;
  if (operands_.size() < depth) return false;
  const Operand& address = operands_[operands_.size() - depth];
  if (!address.constant) return false;
  const std::uint64_t byte = std::uint64_t{*address.constant} + instr.a;
  if (byte % kWordBytes != 0 || byte / kWordBytes >= context_.layout.ready_words) return false;
  if (is_store) {
    const std::uint32_t value = *Pop().constant;  // it lies above a constant, so it is one
    Pop();
    FlushConstants();
    code_.Push(value);
    code_.Store(byte / kWordBytes);
  } else {
    Pop();
    FlushConstants();
    code_.Load(byte / kWordBytes);
    Left({});
  }
  return true;
}

void Straight::Access(const Instr& instr) {
  if (AccessAtConstant(instr)) return;
  FlushConstants();
  const isa::OpcodeInfo& info = isa::Info(instr.op);
  const bool is_store = info.pushes == 0;
  if (instr.a != 0) {  // the sum may need 33 bits: then the helper crashes, as it must
    if (is_store) code_.Swap(1);
    code_.Push(instr.a);
    code_.Op(TirCode::kAdd);
    if (is_store) code_.Swap(1);
  }
  Words(info.pops, 0);
  switch (instr.op) {
    case Opcode::kLoad:
      HelperCall("mem_load32");
      return Left({});
    case Opcode::kLoad8U:
    case Opcode::kLoad8S:
      HelperCall("mem_load8");
      Left({.bound = (std::uint64_t{1} << kByte) - 1});
      return instr.op == Opcode::kLoad8S ? Extend(kByte) : void();
    case Opcode::kLoad16U:
    case Opcode::kLoad16S:
      HelperCall("mem_load16");
      Left({.bound = (std::uint64_t{1} << kHalf) - 1});
      return instr.op == Opcode::kLoad16S ? Extend(kHalf) : void();
    case Opcode::kStore:
      return HelperCall("mem_store32");
    case Opcode::kStore8:
      return HelperCall("mem_store8");
    default:
      return HelperCall("mem_store16");
  }
}

/// Sign extension of the low `bits`: ((a mod 2^bits) xor 2^(bits-1)) - 2^(bits-1).
void Straight::Extend(std::uint32_t bits) {
  FlushConstants();
  const Operand operand = Pop();
  const std::uint64_t mask = (std::uint64_t{1} << bits) - 1;
  const std::uint64_t sign = std::uint64_t{1} << (bits - 1);
  if (operand.bound > mask) {
    code_.Push(mask);
    code_.Op(TirCode::kAnd);
  }
  code_.Push(sign);
  code_.Op(TirCode::kXor);
  code_.Push(kWordModulus - sign);
  code_.Op(TirCode::kAdd);
  LeftSum(kWordModulus - sign + mask);
}

void Straight::Call(std::uint32_t index) {
  FlushConstants();
  const wat::Function& function = context_.module.functions[index];
  if (function.import) return Host(function);
  code_.Call(context_.names[index]);
  const Effect effect = EffectOf(context_.module, {.kind = InstrKind::kCall, .a = index});
  Words(effect.pops, effect.pushes);
}

/// The host functions a provable program has: what they print becomes public output.
void Straight::Host(const wat::Function& function) {
  const wat::Signature& signature = context_.module.SignatureOf(function);
  if (function.import->name == "putchar") {
    constexpr std::uint64_t kByteMask = 255;
    code_.Push(kByteMask);
    code_.Op(TirCode::kAnd);
    code_.Dup(0);
  }
  if (!signature.params.empty()) code_.Op(TirCode::kWriteIo, 1);
  Words(static_cast<std::uint32_t>(signature.params.size()),
        static_cast<std::uint32_t>(signature.results.size()));
}

void Straight::CallIndirect(const Instr& instr) {
  FlushConstants();
  code_.Call(context_.dispatchers.at({instr.a, instr.b}));
  const Effect effect = EffectOf(context_.module, instr);
  Words(effect.pops, effect.pushes);
}

void Straight::MemorySize() {
  if (!context_.layout.memory_grows) return Left({.constant = context_.layout.pages});
  FlushConstants();
  code_.Load(context_.layout.pages_cell);
  Left({});
}

}  // namespace txvm::frontends::provable

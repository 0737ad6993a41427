#include "tests/asm/routines/lockstep.h"

#include <fmt/format.h>

#include <algorithm>

#include "isa/trap.h"
#include "tests/asm/routines/lockstep_row.h"

namespace txvm::assembler {

using isa::Instruction;
using isa::Opcode;

Lockstep::Lockstep(std::span<const Instruction> code, std::uint32_t locals)
    : code_(code), locals_(locals) {}

const LockstepRun& Lockstep::Run(std::span<const Row> operands, std::size_t lanes,
                                 std::uint64_t max_steps) {
  run_.steps = 0;
  run_.fault.reset();
  run_.traps.assign(lanes, 0);
  lanes_ = lanes;
  max_steps_ = max_steps;
  ip_ = 0;
  height_ = operands.size();
  Reserve(height_);
  for (std::size_t i = 0; i < height_; ++i) *stack_[i] = operands[i];
  Continue();
  return run_;
}

void Lockstep::Continue() {
  while (!run_.fault && ip_ < code_.size()) {
    const Instruction& instruction = code_[ip_];
    if (++run_.steps > max_steps_) Fail("does not end");
    if (instruction.op() == Opcode::kReturn) {
      run_.results.resize(height_);
      for (std::size_t i = 0; i < height_; ++i) run_.results[i] = *stack_[i];
      return;
    }
    if (instruction.op() == Opcode::kTrap) {
      std::ranges::replace(run_.traps, std::uint8_t{0}, static_cast<std::uint8_t>(instruction.arg));
      return;
    }
    Step(instruction);
  }
  Fail("runs past its end");
}

void Lockstep::Reserve(std::size_t count) {
  while (stack_.size() < count) stack_.push_back(std::make_unique<Row>());
}

bool Lockstep::Has(std::size_t count) {
  if (height_ >= count) return true;
  Fail(fmt::format("instruction {} needs {} operands, there are {}", ip_, count, height_));
  return false;
}

/// The lanes that do not jump go on apart; each must trap. The others are kept out of it.
void Lockstep::Leave(const std::vector<std::uint8_t>& stays) {
  Lockstep apart(code_, 0);
  apart.locals_ = locals_;
  apart.Reserve(height_);
  for (std::size_t i = 0; i < height_; ++i) *apart.stack_[i] = *stack_[i];
  apart.height_ = height_;
  apart.lanes_ = lanes_;
  apart.ip_ = ip_ + 1;
  apart.max_steps_ = max_steps_;
  apart.run_.steps = run_.steps;
  apart.run_.traps = stays;
  apart.Continue();
  if (apart.run_.fault) return Fail(*apart.run_.fault);
  for (std::size_t lane = 0; lane < lanes_; ++lane) {
    if (stays[lane] != 0) continue;
    run_.traps[lane] = apart.run_.traps[lane];
    if (run_.traps[lane] != 0) continue;
    return Fail(
        fmt::format("lane {} goes another way at instruction {} and does not trap", lane, ip_));
  }
}

/// All lanes go the same way, but for those that a branch over a TRAP leaves to it.
void Lockstep::Branch(const Instruction& instruction) {
  if (!Has(1)) return;
  const Row& condition = *stack_[--height_];
  const bool on_zero = instruction.op() == Opcode::kJz;
  std::vector<std::uint8_t> stays(lanes_);  // jumps, or is gone already
  std::size_t jump = 0, here = 0;
  for (std::size_t lane = 0; lane < lanes_; ++lane) {
    const bool gone = run_.traps[lane] != 0;
    const bool jumps = (condition[lane] == 0) == on_zero;
    stays[lane] = gone || jumps ? 1 : 0;
    here += gone ? 0 : 1;
    jump += !gone && jumps ? 1 : 0;
  }
  if (jump != 0 && jump != here) Leave(stays);
  ip_ = jump != 0 || here == 0 ? instruction.arg : ip_ + 1;
}

void Lockstep::Step(const Instruction& instruction) {
  const Opcode op = instruction.op();
  if (op == Opcode::kJz || op == Opcode::kJnz) return Branch(instruction);
  Reserve(height_ + 1);
  const isa::OpcodeInfo& info = isa::Info(op);
  if (!Has(info.pops)) return;
  std::unique_ptr<Row>* top = stack_.data() + height_;  // above the operands: room for a result
  height_ = height_ + info.pushes - info.pops;
  ++ip_;
  const bool is_local =
      op == Opcode::kLocalGet || op == Opcode::kLocalSet || op == Opcode::kLocalTee;
  if (is_local && (instruction.aux() != 0 || instruction.arg >= locals_.size())) {
    return Fail(fmt::format("instruction {} uses local {}", ip_ - 1, instruction.arg));
  }
  switch (op) {
    case Opcode::kPush:
      std::fill_n(top[0]->begin(), lanes_, instruction.arg);
      return;
    case Opcode::kPop:
    case Opcode::kNop:
      return;
    case Opcode::kDup:
      std::copy_n(top[-1]->begin(), lanes_, top[0]->begin());
      return;
    case Opcode::kOver:
      std::copy_n(top[-2]->begin(), lanes_, top[0]->begin());
      return;
    case Opcode::kSwap:
      std::swap(top[-1], top[-2]);
      return;
    case Opcode::kRot:
      std::swap(top[-3], top[-2]);
      std::swap(top[-2], top[-1]);
      return;
    case Opcode::kLocalGet:
      std::copy_n(locals_[instruction.arg].begin(), lanes_, top[0]->begin());
      return;
    case Opcode::kLocalSet:
    case Opcode::kLocalTee:
      std::copy_n(top[-1]->begin(), lanes_, locals_[instruction.arg].begin());
      return;
    case Opcode::kSelect:
      return RowOfSelect(top[-3]->data(), top[-2]->data(), top[-1]->data(), top[0]->data(), lanes_),
             std::swap(top[-3], top[0]);
    default:
      break;
  }
  const bool divides = info.op_class == isa::OpClass::kDivide;
  if (divides && RowHas(top[-1]->data(), 0, lanes_)) {
    return Fail(fmt::format("a lane divides by 0 at instruction {}", ip_ - 1));
  }
  const bool done = info.pops == 2
                        ? RowOfTwo(op, top[-2]->data(), top[-1]->data(), top[0]->data(), lanes_)
                        : info.pops == 1 && RowOfOne(op, top[-1]->data(), top[0]->data(), lanes_);
  if (!done) return Fail(fmt::format("{} in a routine, at instruction {}", info.text, ip_ - 1));
  std::swap(top[0], top[-static_cast<std::ptrdiff_t>(info.pops)]);
}

}  // namespace txvm::assembler

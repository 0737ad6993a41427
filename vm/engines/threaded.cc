#include "vm/engines/threaded.h"

#include "isa/limits.h"

namespace txvm::vm {
namespace {

using isa::Opcode;

/// Whether the budget has to be looked at after a jump: it goes back, or ahead over a row that
/// polls.
bool NeedsCheck(std::uint32_t ip, std::uint32_t target) {
  return target <= ip || (target - 1) / kPollDistance != ip / kPollDistance;
}

std::uint32_t HandlerOf(isa::Instruction instruction, std::uint32_t ip) {
  const bool global = instruction.aux() == 1;
  switch (instruction.op()) {
    case Opcode::kJz:
      if (NeedsCheck(ip, instruction.arg)) return kJzChecked;
      break;
    case Opcode::kJnz:
      if (NeedsCheck(ip, instruction.arg)) return kJnzChecked;
      break;
    case Opcode::kLocalGet:
      return global ? kGlobalGet : kLocalGetCopy + ip % kHandlerCopies;
    case Opcode::kLocalSet:
      return global ? kGlobalSet : kLocalSetCopy + ip % kHandlerCopies;
    case Opcode::kLocalTee:
      if (global) return kGlobalTee;
      break;
    case Opcode::kCall:
      if ((instruction.arg & isa::kHostCallBit) != 0) return kHostCall;
      break;
    case Opcode::kTrap:
      return isa::kOpcodeCount;
    default:
      break;
  }
  return instruction.code() - 1u;
}

}  // namespace

isa::Result<Threaded> Thread(const isa::Program& program, std::span<const void* const> labels) {
  const std::vector<isa::Instruction>& code = program.code;
  Threaded threaded;
  TXVM_TRY(threaded.rows, Reservation<Row>::Create(code.size(), PageOffset::kThreadedRows));
  const bool polls = code.size() > kPollDistance;
  if (polls) threaded.polled_handlers.resize(code.size() / kPollDistance + 1);
  for (std::uint32_t ip = 0; ip < code.size(); ++ip) {
    Row& row = threaded.rows[ip];
    row = {labels[HandlerOf(code[ip], ip)], code[ip].arg, code[ip].aux()};
    if (isa::Info(code[ip].op()).operand == isa::Operand::kTarget) row.aux = code[ip].arg - ip - 1;
    if (polls && ip % kPollDistance == 0) {
      threaded.polled_handlers[ip / kPollDistance] = row.handler;
      row.handler = labels[kPoll];
    }
  }
  return threaded;
}

}  // namespace txvm::vm

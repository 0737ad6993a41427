#include "frontends/provable/routines.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "asm/routines/routines.h"
#include "isa/opcode.h"
#include "isa/support/result.h"

namespace txvm::frontends::provable {
namespace {

using isa::Opcode;
using wat::Instr;
using wat::InstrKind;

/// Writes one routine as the body of a function. A routine takes its arguments from the stack with
/// LOCAL.SET, and jumps forwards alone, over code that ends in a trap.
class RoutineWriter {
 public:
  /// `no_values`: the signature without parameters and results.
  RoutineWriter(const assembler::Routine& routine, std::uint32_t no_values)
      : routine_(routine), params_(routine.info.cells_in), no_values_(no_values) {}

  wat::Function Run();

 private:
  void Add(InstrKind kind, std::uint32_t a = 0, Opcode op = Opcode::kNop) {
    out_.body.push_back({kind, op, a, 0, 0});
  }
  void Op(Opcode op) { Add(InstrKind::kOp, 0, op); }
  void Local(Opcode op, std::uint32_t index) { Add(InstrKind::kLocal, index, op); }
  void Write(const isa::Instruction& instruction);
  void Absolute();

  const assembler::Routine& routine_;
  wat::Function out_;
  std::uint32_t params_;  // locals in front of the routine's own ones
  std::uint32_t no_values_;
};

/// `a -- |a|`: with s the sign in every bit, (a xor s) - s.
void RoutineWriter::Absolute() {
  constexpr std::uint32_t kSignShift = 31;
  const std::uint32_t sign = params_ + routine_.locals;
  Op(Opcode::kDup);
  Add(InstrKind::kConst, kSignShift);
  Op(Opcode::kShrS);
  Local(Opcode::kLocalTee, sign);
  Op(Opcode::kXor);
  Local(Opcode::kLocalGet, sign);
  Op(Opcode::kSub);
}

void RoutineWriter::Write(const isa::Instruction& instruction) {
  switch (instruction.op()) {
    case Opcode::kPush:
      return Add(InstrKind::kConst, instruction.arg);
    case Opcode::kLocalGet:
    case Opcode::kLocalSet:
    case Opcode::kLocalTee:
      return Local(instruction.op(), params_ + instruction.arg);
    case Opcode::kAbs:
      return Absolute();
    case Opcode::kNeg:
      Add(InstrKind::kConst, 0);
      Op(Opcode::kSwap);
      return Op(Opcode::kSub);
    case Opcode::kJnz:
      Op(Opcode::kEqz);
      return Add(InstrKind::kIf, no_values_);
    case Opcode::kJz:
      return Add(InstrKind::kIf, no_values_);
    case Opcode::kTrap:
      return Add(InstrKind::kUnreachable);
    case Opcode::kReturn:
      return Add(InstrKind::kReturn);
    default:
      return Op(instruction.op());
  }
}

wat::Function RoutineWriter::Run() {
  out_.name = routine_.info.name;
  out_.locals.assign(routine_.locals + 1, wat::ValueType::kI32);
  std::vector<std::uint32_t> ends;  // of the constructs that are open, outermost first
  for (std::uint32_t i = 0; i < params_; ++i) Local(Opcode::kLocalGet, i);
  for (std::uint32_t ip = 0; ip < routine_.code.size(); ++ip) {
    for (; !ends.empty() && ends.back() == ip; ends.pop_back()) Add(InstrKind::kEnd);
    const isa::Instruction& instruction = routine_.code[ip];
    if (isa::Info(instruction.op()).operand == isa::Operand::kTarget) {
      TXVM_ASSERT(instruction.arg > ip && (ends.empty() || instruction.arg <= ends.back()));
      ends.push_back(instruction.arg);
    }
    Write(instruction);
  }
  Add(InstrKind::kEnd);
  return std::move(out_);
}

wat::Signature WordsSignature(const assembler::RoutineInfo& info) {
  return {std::vector(info.cells_in, wat::ValueType::kI32),
          std::vector(info.cells_out, wat::ValueType::kI32)};
}

}  // namespace

bool UsesRoutines(const wat::Module& module) {
  return std::ranges::any_of(module.functions, [](const wat::Function& function) {
    return std::ranges::find(function.body, InstrKind::kRoutine, &Instr::kind) !=
           function.body.end();
  });
}

wat::Module WithRoutines(wat::Module module) {
  const auto no_values = static_cast<std::uint32_t>(module.signatures.size());
  module.signatures.emplace_back();
  const auto first = static_cast<std::uint32_t>(module.functions.size());
  std::vector<std::uint32_t> used;  // routines, in the order of their functions
  for (wat::Function& function : module.functions) {
    for (Instr& instr : function.body) {
      if (instr.kind != InstrKind::kRoutine) continue;
      const auto at = std::ranges::find(used, instr.a) - used.begin();
      if (static_cast<std::size_t>(at) == used.size()) used.push_back(instr.a);
      instr.kind = InstrKind::kCall;
      instr.a = first + static_cast<std::uint32_t>(at);
    }
  }
  for (const std::uint32_t id : used) {
    const assembler::Routine routine = assembler::CodeOf(static_cast<assembler::RoutineId>(id));
    wat::Function function = RoutineWriter(routine, no_values).Run();
    function.signature = static_cast<std::uint32_t>(module.signatures.size());
    module.signatures.push_back(WordsSignature(routine.info));
    module.functions.push_back(std::move(function));
  }
  return module;
}

}  // namespace txvm::frontends::provable

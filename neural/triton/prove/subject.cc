#include "neural/triton/prove/subject.h"

#include <algorithm>
#include <utility>

#include "neural/triton/tir/validate.h"

namespace txvm::triton {

isa::Result<Subject> Subject::FromTir(TirModule module) {
  TXVM_TRY(const TirSummary summary, ValidateTir(module));
  if (summary.kind == TirSummary::Kind::kLibrary) {
    return isa::Fail(isa::ErrorCode::kInvalid,
                     "the module has functions but no entry, so there is nothing to verify");
  }
  Subject subject;
  subject.tir_ = std::make_shared<const Tir>(std::move(module));
  subject.fragment_ = summary.kind == TirSummary::Kind::kFragment;
  if (subject.fragment_) subject.needs_ = static_cast<std::size_t>(summary.fragment.needs);
  return subject;
}

Subject Subject::FromTasm(TasmProgram program) {
  Subject subject;
  subject.fragment_ = !program.HasHalt();
  subject.end_is_halt_ = subject.fragment_;
  subject.tasm_ = std::make_shared<const TasmProgram>(std::move(program));
  return subject;
}

Subject Subject::EndingAtHalt() const {
  TXVM_ASSERT(!is_tir() && !fragment_);
  Subject subject = *this;
  subject.fragment_ = true;
  return subject;
}

Subject Subject::AsProgram() const {
  TXVM_ASSERT(!is_tir());
  Subject subject = *this;
  subject.fragment_ = false;
  subject.end_is_halt_ = false;
  return subject;
}

Subject Subject::Routine(const TasmProgram& program, std::size_t label) {
  constexpr std::size_t kAdded = 2;  // instructions before those of the program
  TasmProgram caller = program;
  caller.lines.clear();
  caller.code.insert(caller.code.begin(), {{TasmOp::kCall, label}, {TasmOp::kHalt, 0}});
  for (TasmLabel& moved : caller.labels) moved.index += kAdded;
  for (TasmErrorId& moved : caller.error_ids) moved.index += kAdded;
  return FromTasm(std::move(caller)).EndingAtHalt();
}

bool Subject::is_library() const {
  if (is_tir() || !fragment_ || !end_is_halt_ || tasm_->labels.empty()) return false;
  return std::ranges::any_of(tasm_->code, [](const TasmInstruction& instruction) {
    return instruction.op == TasmOp::kReturn || instruction.op == TasmOp::kRecurseOrReturn;
  });
}

bool Subject::has_loops() const {
  if (!is_tir()) {
    return std::ranges::any_of(tasm_->code, [](const TasmInstruction& instruction) {
      return instruction.op == TasmOp::kRecurse || instruction.op == TasmOp::kRecurseOrReturn;
    });
  }
  std::vector<const std::vector<TirOp>*> bodies = {&tir_->module.ops};
  while (!bodies.empty()) {
    const std::vector<TirOp>& ops = *bodies.back();
    bodies.pop_back();
    for (const TirOp& op : ops) {
      if (op.code == TirCode::kLoop) return true;
      bodies.push_back(&op.body);
      bodies.push_back(&op.other);
    }
  }
  return false;
}

}  // namespace txvm::triton

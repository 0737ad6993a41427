#include "neural/triton/prove/subject.h"

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

}  // namespace txvm::triton

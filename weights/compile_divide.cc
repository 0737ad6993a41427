// Division as a chain of thought: one token to start, one per quotient bit, one to finish.
//
// quotient_ holds the dividend's bits not used yet and, below them, the quotient's bits found so
// far; remainder_ is less than divisor_. A micro-step moves remainder:quotient up one bit and
// subtracts the divisor where it fits. Signed operands are divided by magnitude.
// Declared in weights/compiler.h.
#include "weights/compiler.h"

namespace txvm::weights {

void MachineCompiler::StartDivision() {
  const Linear top_bytes = Linear(top_[0]) + top_[1] + top_[2] + top_[3];
  divide_by_zero_ = b_.HingeLane("divide_by_zero", s_.divide + Linear(top_zero_) - 1 - underflow_);
  // INT_MIN / -1: the distance of a from 0x80000000 plus that of the top from 0xFFFFFFFF is 0.
  const Wire from_sign = b_.Lane("a.from_sign", 0, kSignBit);
  b_.Hinge(Linear(a_[3]) - kSignBit, {{from_sign}});
  b_.Hinge(kSignBit - Linear(a_[3]), {{from_sign}});
  const std::int32_t all_ones = kByteHigh * static_cast<std::int32_t>(kWordBytes);
  overflow_ = b_.HingeLane("overflow", s_.overflows - Linear(a_[0]) - a_[1] - a_[2] - from_sign -
                                           (all_ones - top_bytes));
  start_ = b_.HingeLane("start", s_.divide - Linear(loop_) - last_ - underflow_ - malformed_ -
                                     divide_by_zero_ - overflow_);
  negative_a_ = b_.HingeLane("negative_a", s_.divide_s + Linear(a_sign_) - 1);
  negative_top_ = b_.HingeLane("negative_top", s_.divide_s + Linear(top_sign_) - 1);
  next_quotient_ = b_.LaneWord("next_quotient");
  next_divisor_ = b_.LaneWord("next_divisor");
  const LinearWord minus_a = Negation(b_, "a", a_);
  b_.Select(start_ - Linear(negative_a_), Lanes(a_), next_quotient_);
  b_.Select(start_ + Linear(negative_a_) - 1, minus_a, next_quotient_);
  b_.Select(start_ - Linear(negative_top_), Lanes(top_), next_divisor_);
  b_.Select(start_ + Linear(negative_top_) - 1, minus_top_, next_divisor_);
}

// x_ is the remainder moved up, without its bit 32 (remainder_sign_); sum_ is x_ - divisor.
void MachineCompiler::StepDivision() {
  const Wire fits = b_.Lane("fits", 0, 1);
  const Linear either = 2 * Linear(loop_) + carry32_ + remainder_sign_;
  b_.Hinge(either - 2, {{fits}});
  b_.Hinge(either - 3, {{fits, -1}});
  next_remainder_ = b_.LaneWord("next_remainder");
  b_.Select(loop_ - Linear(fits), x_, next_remainder_);
  b_.Select(fits, sum_, next_remainder_);
  Linear carry = fits;
  for (std::size_t i = 0; i < kWordBytes; ++i) {
    const Wire sign = b_.StepLane(Indexed("quotient.high", i), Linear(quotient_[i]) - kSignBit);
    b_.Unit(loop_, 2 * Linear(quotient_[i]) + carry - kByteSize * Linear(sign),
            {{next_quotient_[i]}});
    carry = sign;
  }
  b_.Select(loop_, Lanes(divisor_), next_divisor_);
  next_micro_ = b_.Lane("next_micro", 0, kLastMicro);
  b_.Unit(start_ + Linear(loop_), Linear(micro_) + 1, {{next_micro_}});
}

void MachineCompiler::FinishDivision() {
  const LinearWord minus_quotient = Negation(b_, "quotient", quotient_);
  const LinearWord minus_remainder = Negation(b_, "remainder", remainder_);
  const Wire both = b_.HingeLane("negative_both", negative_a_ + Linear(negative_top_) - 1);
  const Linear differ = negative_a_ + Linear(negative_top_) - 2 * Linear(both);
  b_.Select(last_ + Linear(s_.quotient) - 1 - differ, Lanes(quotient_), result_);
  b_.Select(last_ + Linear(s_.quotient) - 2 + differ, minus_quotient, result_);
  b_.Select(last_ + Linear(s_.remainder) - 1 - negative_a_, Lanes(remainder_), result_);
  b_.Select(last_ + Linear(s_.remainder) - 2 + negative_a_, minus_remainder, result_);
}

}  // namespace txvm::weights

// Whether questions can be made of all sentences of a bank.
#pragma once

#include <cstddef>
#include <vector>

#include "isa/support/result.h"
#include "neural/questions/bank.h"

namespace txvm::neural::questions {

/// What a check found.
struct QuestionCheck {
  // With file and line where there is one, in the order of files.
  std::vector<isa::Error> faults;
  // Sentences all of whose questions are within two words of a fixed test sentence, so that the
  // generator drops them: no fault, but they serve for nothing.
  std::vector<isa::Error> dropped;
  std::size_t sentences = 0, rules = 0, texts = 0;  // texts of the rules
  std::size_t repeated = 0;  // texts that their section has twice, so that they are drawn as often
  std::size_t next_number = 0;  // the next free one of a family's sentence
};

/// Beyond what QuestionBank::Read refuses: makes a question of every sentence. A fault is a
/// sentence of which none comes, as no numbers meet its conditions or a word of it would be read as
/// a number; a family without sentences; a rule that the makers of stories need and that does not
/// exist, or that leaves open what no scene fills; a phrase of the swaps that is a number or
/// decides on an operation. Cost: seconds.
QuestionCheck CheckQuestions(const QuestionBank& bank);

}  // namespace txvm::neural::questions

// Questions beside everything that training says.
#pragma once

#include <string>
#include <vector>

#include "bench/nl/nearest.h"
#include "bench/nl/novelty.h"
#include "bench/nl/training_stream.h"
#include "neural/questions/bank.h"

namespace txvm::bench::nl {

struct BesideTraining {
  std::vector<Nearest> nearest;  // of each question
  std::vector<Novelty> novelty;  // of each question
};

/// Cost: about 0.1 ms an example, made once, and 15 ns for each pair of an example and a question.
/// Nothing is cached.
BesideTraining CompareWithTraining(const neural::questions::QuestionBank& bank,
                                   const std::vector<std::string>& questions,
                                   const TrainingStream& stream);

}  // namespace txvm::bench::nl

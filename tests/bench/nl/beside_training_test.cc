// What is found beside training is the same however the examples are shared out.
#include "bench/nl/beside_training.h"

#include <gtest/gtest.h>

#include "tests/neural/questions/bank.h"

namespace txvm::bench::nl {
namespace {

TEST(BesideTraining, DoesNotDependOnTheThreads) {
  TrainingStream one, three;
  one.examples = three.examples = 3'000;
  one.threads = 1;
  three.threads = 3;
  const std::vector<std::string> questions = {"How many are left if Ann gives 3 of 9 pens away?",
                                              "Is 7 more than 9?"};
  const BesideTraining a = CompareWithTraining(neural::questions::Bank(), questions, one);
  const BesideTraining b = CompareWithTraining(neural::questions::Bank(), questions, three);
  ASSERT_EQ(a.nearest.size(), questions.size());
  ASSERT_EQ(b.nearest.size(), questions.size());
  for (std::size_t q = 0; q < questions.size(); ++q) {
    EXPECT_EQ(a.nearest[q].edits, b.nearest[q].edits);
  }
  EXPECT_EQ(a.novelty, b.novelty);
}

}  // namespace
}  // namespace txvm::bench::nl

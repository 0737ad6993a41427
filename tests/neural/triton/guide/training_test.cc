#include "neural/triton/guide/training.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string_view>
#include <vector>

#include "neural/triton/guide/network_file.h"
#include "tests/neural/triton/guide/samples.h"

namespace txvm::triton::guide {
namespace {

TrainOptions Short() {
  TrainOptions options;
  options.fragments = 60;
  options.beam = 12;
  options.epochs = 3;
  options.rounds = 2;
  options.generations = 1;
  options.judged = 10;
  options.trial_beam = 2;
  return options;
}

TEST(Training, GoesFromProgramsToANetworkTheSameOnAnyNumberOfThreads) {
  const std::vector<TasmProgram> learnt = NaivePrograms("power"), held_out = NaivePrograms("bits");
  ASSERT_FALSE(learnt.empty());
  neural::llm::Workers one(1), two(2);
  const auto report = TrainOptimizer(learnt, held_out, Short(), one);
  ASSERT_TRUE(report) << report.error().ToString();
  ASSERT_TRUE(report->network);
  EXPECT_EQ(report->rounds.size(), 2U);
  ASSERT_TRUE(report->evolved);
  EXPECT_EQ(report->evolved->before, report->without.before);
  EXPECT_GT(report->taught, 30U);
  EXPECT_LE(report->taught, report->windows);
  EXPECT_GT(report->rounds[0].lessons, report->taught);
  EXPECT_GT(report->rounds[0].right, 0.3);
  EXPECT_EQ(report->rounds[0].held_out.before, report->without.before);
  const auto again = TrainOptimizer(learnt, held_out, Short(), two);
  EXPECT_EQ(HashOf(*again->network), HashOf(*report->network));
}

TEST(Training, StopsInEachPhase) {
  const std::vector<TasmProgram> learnt = NaivePrograms("power");
  neural::llm::Workers workers(2);
  for (const std::string_view phase :
       {"searching", "learning", "searching with the network", "evolving"}) {
    TrainOptions options = Short();
    bool seen = false;
    options.progress = [&](std::string_view now, std::size_t done, std::size_t all) {
      EXPECT_LE(done, all);
      seen = seen || now == phase;
      return now != phase;
    };
    const auto report = TrainOptimizer(learnt, {}, options, workers);
    ASSERT_TRUE(report);
    EXPECT_TRUE(seen) << phase;
    EXPECT_FALSE(report->network) << phase;
  }
}

TEST(Training, WhereNothingGetsShorterNothingIsLearnt) {
  TrainOptions options = Short();
  options.fragments = 0;
  neural::llm::Workers workers(1);
  TasmProgram program;
  program.code = CodeOfText("read_io 1 push 3 mul write_io 1 halt");
  const auto report = TrainOptimizer({program}, {}, options, workers);
  ASSERT_FALSE(report);
  EXPECT_EQ(report.error().code, isa::ErrorCode::kInvalid);
}

}  // namespace
}  // namespace txvm::triton::guide

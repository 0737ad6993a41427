// Many questions on several threads: the same outcomes as one by one.
#include "bench/nl/reader_pool.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>

#include "bench/nl/evaluation.h"
#include "frontends/nl/training/training.h"
#include "tests/neural/questions/bank.h"

namespace txvm::bench::nl {
namespace {

// A model that knows next to nothing, trained for three updates in a scratch folder.
class Pool : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    folder_ = std::filesystem::path(testing::TempDir()) / ("txvm-pool-" + std::to_string(getpid()));
    frontends::nl::TrainingOptions options;
    options.steps = 3;
    options.batch = 8;
    options.vocabulary = 600;
    options.vocabulary_examples = 200;
    options.width = 32;
    options.layers = 1;
    options.feed_forward = 48;
    options.heads = 2;
    options.kv_heads = 1;
    options.recall = false;
    ASSERT_TRUE(frontends::nl::TrainNormalizer(neural::questions::Bank(), folder_, options,
                                               [](auto, auto, const auto&) { return true; }));
  }
  static void TearDownTestSuite() { std::filesystem::remove_all(folder_); }

  static ReaderPool Open(std::size_t threads) {
    auto pool = ReaderPool::Open(folder_, {.threads = threads, .fuel = 100'000});
    EXPECT_TRUE(pool) << pool.error().message;
    return *std::move(pool);
  }

  inline static std::filesystem::path folder_;
};

TEST_F(Pool, ThreadsDoNotMatterAndNothingIsAskedTwice) {
  const std::vector<std::string> questions = {"What is 5 plus 3?", "7 and 8", "What is 5 plus 3?",
                                              "Sum 1 to 10"};
  ReaderPool one = Open(1), two = Open(2);
  const std::vector<Outcome> first = one.Answer(questions), second = two.Answer(questions);
  for (std::size_t i = 0; i < questions.size(); ++i) {
    EXPECT_EQ(first[i].program, second[i].program);
    EXPECT_EQ(first[i].answer, second[i].answer);
    EXPECT_FALSE(first[i].program.empty());
  }
  EXPECT_EQ(two.answered(), 3u);
  for (const Outcome& outcome : two.Answer(questions, true)) {
    EXPECT_FALSE(outcome.program.starts_with('?')) << "forced";
  }
}

TEST_F(Pool, EverySectionOfTheEvaluationRuns) {
  EvaluationOptions options;
  options.items = 4;
  options.construct_items = 1;
  options.most_tries = 300;
  options.bag.examples = 300;
  options.training.examples = 50;
  Evaluation evaluation(neural::questions::Bank(), Open(1), options, *ReadSentenceSets({}),
                        {ReadSentenceSets({})->fixed[0]});
  for (const EvaluationPart& part : EvaluationParts()) {
    ASSERT_TRUE(part.run(evaluation)) << part.name;
  }
  EXPECT_EQ(evaluation.report.sections().size(), EvaluationParts().size());
  for (const Section& section : evaluation.report.sections()) {
    for (const Table& table : section.tables) {
      EXPECT_FALSE(table.rows.empty()) << section.title;
      for (const auto& row : table.rows) EXPECT_EQ(row.size(), table.header.size());
    }
  }
}

TEST(ValueOf, RunsProgramsWithSlotsOrDigits) {
  const auto lexed = frontends::nl::Lex("7 and 2.5");
  ASSERT_TRUE(lexed);
  EXPECT_EQ(ValueOf("N0 / N1", lexed->numbers, 100'000), "14/5");
  EXPECT_EQ(ValueOf("(16 - 3) * 5", {}, 100'000), "65");
  EXPECT_EQ(ValueOf("sum 1 to 1000000000", {}, 1'000), "") << "out of fuel";
  EXPECT_EQ(ValueOf("?chat", {}, 1'000), "");
}

}  // namespace
}  // namespace txvm::bench::nl

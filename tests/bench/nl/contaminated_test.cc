// Test sentences that are in the training stream are found, others are not.
#include "bench/nl/contaminated.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "neural/questions/generator.h"
#include "tests/neural/questions/bank.h"

namespace txvm::bench::nl {
namespace {

TEST(Contaminated, FindsWhatTheStreamHolds) {
  TrainingStream stream;
  stream.examples = 200;
  const neural::questions::Generator generator(neural::questions::Bank(), GeneratorOf(stream));
  const std::vector<std::string> questions = {
      generator.Make(17).question, generator.Make(199).question + " really",
      "seventeen violet submarines argue 4 about the 9 municipal tax code of 1911 in verse"};
  const auto found = FindContaminated(neural::questions::Bank(), questions, stream);
  ASSERT_TRUE(found);
  EXPECT_EQ(*found, (std::vector<bool>{true, true, false}));
}

TEST(Contaminated, CacheIsUsedForTheSameQuestionsOnly) {
  const auto path = std::filesystem::path(testing::TempDir()) / "txvm-contaminated";
  std::filesystem::remove(path);
  TrainingStream stream;
  stream.examples = 100;
  stream.cache = path.string();
  const std::vector<std::string> questions = {"an odd sentence about 5 zeppelins over 6 lakes"};
  ASSERT_TRUE(FindContaminated(neural::questions::Bank(), questions, stream));
  std::string text;
  std::getline(std::ifstream(path), text);
  std::ofstream(path) << text << "\n1\n";  // a verdict no run would give
  EXPECT_EQ(*FindContaminated(neural::questions::Bank(), questions, stream),
            std::vector<bool>{true})
      << "from the cache";
  EXPECT_EQ(*FindContaminated(neural::questions::Bank(),
                              {questions[0], "no zeppelin sees another of the 7 seas"}, stream),
            (std::vector<bool>{false, false}));
  stream.examples = 101;
  EXPECT_EQ(*FindContaminated(neural::questions::Bank(), questions, stream),
            std::vector<bool>{false});
}

}  // namespace
}  // namespace txvm::bench::nl

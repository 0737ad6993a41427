// The distance from training agrees with comparing a question with every example in turn.
#include "bench/nl/nearest.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "bench/nl/beside_training.h"
#include "neural/questions/contamination.h"
#include "neural/questions/generator.h"
#include "tests/neural/questions/bank.h"

namespace txvm::bench::nl {
namespace {

std::size_t ByTrial(const std::vector<std::string>& words,
                    const std::vector<std::vector<std::string>>& examples) {
  std::size_t edits = 0;
  const auto is_near = [&](const auto& example) {
    return neural::questions::WithinEdits(words, example, edits);
  };
  while (edits < words.size() && std::ranges::none_of(examples, is_near)) ++edits;
  return edits;
}

TEST(Nearest, IsWhatComparingWithEveryExampleFinds) {
  TrainingStream stream;
  stream.examples = 1'500;
  const neural::questions::Generator generator(neural::questions::Bank(), GeneratorOf(stream));
  const neural::questions::Lexicon& lexicon = neural::questions::Bank().lexicon();
  std::vector<std::vector<std::string>> examples;
  for (std::uint64_t i = 0; i < stream.examples; ++i) {
    examples.push_back(neural::questions::MaskedWords(lexicon, generator.Make(i).question));
  }
  neural::questions::GeneratorOptions other;
  other.seed = 99;
  const neural::questions::Generator fresh(neural::questions::Bank(), other);
  std::vector<std::string> questions = {"", "seven", generator.Make(1'499).question,
                                        generator.Make(0).question + " really now"};
  while (questions.size() < 60) questions.push_back(fresh.Make(questions.size()).question);
  const std::vector<Nearest> nearest =
      CompareWithTraining(neural::questions::Bank(), questions, stream).nearest;
  ASSERT_EQ(nearest.size(), questions.size());
  for (std::size_t q = 0; q < questions.size(); ++q) {
    const std::vector<std::string> words = neural::questions::MaskedWords(lexicon, questions[q]);
    EXPECT_EQ(nearest[q].words, words.size());
    EXPECT_EQ(nearest[q].edits, ByTrial(words, examples)) << questions[q];
  }
  EXPECT_EQ(nearest[2].edits, 0U);
  EXPECT_LE(nearest[3].edits, 2U);
}

}  // namespace
}  // namespace txvm::bench::nl

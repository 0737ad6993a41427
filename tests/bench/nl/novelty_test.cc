// What is new in a wording agrees with looking for its parts in every example in turn.
#include "bench/nl/novelty.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "bench/nl/beside_training.h"
#include "neural/questions/contamination.h"
#include "neural/questions/generator.h"
#include "tests/neural/questions/bank.h"

namespace txvm::bench::nl {
namespace {

using Words = std::vector<std::string>;

Words WordsOf(const neural::questions::Lexicon& lexicon, const std::string& text) {
  Words words = neural::questions::MaskedWords(lexicon, text);
  words.insert(words.begin(), "(end)");
  words.emplace_back("(end)");
  return words;
}

Novelty ByTrial(const Words& question, const std::vector<Words>& examples) {
  for (std::size_t length = 1; length <= 3; ++length) {
    for (std::size_t at = 0; at + length <= question.size(); ++at) {
      const Words part(question.begin() + static_cast<std::ptrdiff_t>(at),
                       question.begin() + static_cast<std::ptrdiff_t>(at + length));
      const bool is_known = std::ranges::any_of(examples, [&](const Words& example) {
        return !std::ranges::search(example, part).empty();
      });
      if (!is_known) return static_cast<Novelty>(length - 1);
    }
  }
  return Novelty::kNothing;
}

TEST(Novelty, IsWhatLookingThroughEveryExampleFinds) {
  TrainingStream stream;
  stream.examples = 1'500;
  const neural::questions::Generator generator(neural::questions::Bank(), GeneratorOf(stream));
  const neural::questions::Lexicon& lexicon = neural::questions::Bank().lexicon();
  std::vector<Words> examples;
  for (std::uint64_t i = 0; i < stream.examples; ++i) {
    examples.push_back(WordsOf(lexicon, generator.Make(i).question));
  }
  neural::questions::GeneratorOptions other;
  other.seed = 99;
  const neural::questions::Generator fresh(neural::questions::Bank(), other);
  std::vector<std::string> questions = {"", "xylograph", generator.Make(1'499).question};
  while (questions.size() < 60) questions.push_back(fresh.Make(questions.size()).question);
  const std::vector<Novelty> novelty =
      CompareWithTraining(neural::questions::Bank(), questions, stream).novelty;
  ASSERT_EQ(novelty.size(), questions.size());
  for (std::size_t q = 0; q < questions.size(); ++q) {
    EXPECT_EQ(novelty[q], ByTrial(WordsOf(lexicon, questions[q]), examples)) << questions[q];
  }
  EXPECT_EQ(novelty[1], Novelty::kWord);
  EXPECT_EQ(novelty[2], Novelty::kNothing);
}

}  // namespace
}  // namespace txvm::bench::nl

// The baseline without word order learns what words alone can tell.
#include "bench/nl/bag_of_words.h"

#include <gtest/gtest.h>

#include "bench/nl/items.h"
#include "neural/questions/generator.h"
#include "tests/neural/questions/bank.h"

namespace txvm::bench::nl {
namespace {

constexpr int kAsked = 200;

TEST(SlotsOf, IsOneMoreThanTheLargest) {
  EXPECT_EQ(SlotsOf("N0 + N12"), 13u);
  EXPECT_EQ(SlotsOf("?chat"), 0u);
}

TEST(BagOfWords, LearnsWordsButNotTheirOrder) {
  const BagOfWords bag(neural::questions::Bank(), {.examples = 2'000, .epochs = 2, .programs = 40});
  EXPECT_EQ(bag.programs().size(), 40u);
  EXPECT_EQ(bag.Read("What is 12 times 9?"), bag.Read("times what 12 is 9?"));
  const neural::questions::Generator generator(neural::questions::Bank(), {});
  int right = 0;
  for (std::uint64_t i = 0; i < kAsked; ++i) {
    const neural::questions::Example example = generator.Make(i);
    right += bag.Read(example.question) == PrintedProgram(example.canonical) ? 1 : 0;
  }
  EXPECT_GT(right, kAsked / 4) << "of what it learnt from";
  EXPECT_LE(SlotsOf(bag.Read("3 apples")), 1u) << "no slot that the question lacks";
}

}  // namespace
}  // namespace txvm::bench::nl

#include "neural/questions/surface.h"

#include <gtest/gtest.h>

#include "neural/questions/expander.h"

namespace txvm::neural::questions {
namespace {

std::string Question(const std::string& marked, const Numbers& numbers,
                     const SurfaceOptions& options = {}, std::uint64_t seed = 1) {
  Random random(seed);
  const auto pieces = Surface(marked, numbers, options, random);
  if (!pieces) return "none";
  std::string out;
  for (const TextPiece& piece : *pieces) out += piece.text;
  return out;
}

std::string Mark(char kind, char variable) { return {kind, variable}; }

TEST(Surface, NumbersAreWrittenAsAsked) {
  Numbers numbers{};
  numbers[0] = {1234, 1};
  EXPECT_EQ(Question("so " + Mark(kNumberMark, '0'), numbers), "So 1,234");
  SurfaceOptions words;
  words.words = true;
  EXPECT_EQ(Question("so " + Mark(kNumberMark, '0'), numbers, words),
            "So one thousand two hundred thirty-four");
  numbers[0] = {5, 2};
  EXPECT_EQ(Question("pay " + Mark(kMoneyMark, '0') + ".", numbers), "Pay $2.50.");
  SurfaceOptions plain;
  plain.dollar_sign = plain.percent_sign = false;
  EXPECT_EQ(Question("pay " + Mark(kMoneyMark, '0') + ".", numbers, plain), "Pay 2.50 dollars.");
  EXPECT_EQ(Question("up " + Mark(kPercentMark, '0'), numbers), "Up 2.5%");
}

TEST(Surface, ArticlesAndPluralsFollowTheirWords) {
  const std::string article(1, kArticleMark);
  const std::string plural =
      std::string(1, kPluralMark) + "pen" + kPluralThen + "pens" + kPluralEnd;
  Numbers numbers{};
  numbers[0] = {1, 1};
  EXPECT_EQ(Question(article + " owl and " + article + " cat", numbers), "An owl and a cat");
  EXPECT_EQ(Question(Mark(kNumberMark, '0') + " " + plural, numbers), "1 pen");
  EXPECT_EQ(Question("the " + plural, numbers), "The pens");
}

TEST(Surface, AWordThatMeansANumberIsRefused) {
  EXPECT_EQ(Question("each one gets some", {}), "none");
  EXPECT_EQ(Question("a hundred pens", {}), "none");
  EXPECT_EQ(Question("anyone there", {}), "Anyone there");
}

TEST(Surface, CarelessTypingKeepsNumbers) {
  Numbers numbers{};
  numbers[0] = {2500, 1};
  SurfaceOptions careless;
  careless.lower_case = careless.no_punctuation = true;
  EXPECT_EQ(Question("Ann's " + Mark(kNumberMark, '0') + " pens, left?", numbers, careless),
            "anns 2,500 pens left");
}

// "5 bil" may be five billion, and is no question that txvm reads.
TEST(Surface, NoMisspeltWordScalesANumber) {
  Numbers numbers{};
  numbers[0] = {5, 1};
  SurfaceOptions careless;
  careless.typos = 1;
  const std::string number = Mark(kNumberMark, '0');
  std::size_t none = 0;
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    const std::string text = Question("pay " + number + " bill now", numbers, careless, seed);
    none += text == "none" ? 1 : 0;
    EXPECT_EQ(text.find("5 bil "), std::string::npos) << text;
    EXPECT_NE(Question("pay bill " + number, numbers, careless, seed), "none");
  }
  EXPECT_GT(none, 0u);
}

}  // namespace
}  // namespace txvm::neural::questions

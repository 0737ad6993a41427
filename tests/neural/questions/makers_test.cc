// What the makers of drafts put together (draft.h), each as a family has it.
#include <gtest/gtest.h>

#include <map>
#include <set>
#include <string>
#include <utility>

#include "neural/questions/draft.h"
#include "neural/questions/generator.h"
#include "tests/neural/questions/bank.h"
#include "tests/neural/questions/drafts.h"

namespace txvm::neural::questions {
namespace {

// Whoever takes every number, or the first ones, is wrong: the question decides.
TEST(Makers, StoriesOfFactsAskForSomeOfTheirNumbers) {
  constexpr std::uint64_t kExamples = 2'000;
  std::size_t with_unneeded = 0;
  std::set<std::string> programs;
  ForExamples(Family::kFacts, kExamples, {}, [&](const Example& example) {
    std::size_t numbers = 0;
    for (const TextPiece& piece : example.pieces) numbers += piece.is_number ? 1 : 0;
    const bool takes_all =
        example.canonical.find("N" + std::to_string(numbers - 1)) != std::string::npos &&
        example.steps + 1 >= numbers;
    with_unneeded += takes_all ? 0 : 1;
    programs.insert(example.canonical);
  });
  EXPECT_GT(with_unneeded, kExamples / 3);
  EXPECT_GT(programs.size(), 150u);
}

// Of how much in each, how many and how much together any two are told and the third is asked.
TEST(Makers, StoriesOfPortionsAskForEachOfTheThree) {
  constexpr std::uint64_t kExamples = 2'000;
  std::map<std::string, std::size_t> each, programs;
  ForExamples(Family::kPortion, kExamples, {}, [&](const Example& example) {
    ++programs[example.canonical];
    if (example.question.find(" each ") != std::string::npos) ++each[example.canonical];
  });
  for (const char* any : {"N0 * N1 =", "N0 / N1 =", "N1 / N0 ="}) {
    EXPECT_GT(each[any], kExamples / 100) << any;
  }
  for (const char* longer : {"N0 * N1 + N2 =", "N0 * N1 - N2 =", "N1 * N2 =", "N0 / N2 ="}) {
    EXPECT_GT(programs[longer], kExamples / 200) << longer;
  }
}

// "More" alone decides nothing: who has more than whom, and who is asked for, does.
TEST(Makers, StoriesThatCompareGoBothWays) {
  constexpr std::uint64_t kExamples = 3'000;
  std::map<std::string, std::size_t> more, programs;
  ForExamples(Family::kRelation, kExamples, {}, [&](const Example& example) {
    ++programs[example.canonical];
    if (example.question.find(" more ") != std::string::npos) ++more[example.canonical];
  });
  for (const char* both : {"N0 + N1 =", "N0 - N1 =", "N1 - N0 =", "N0 + N0 + N1 ="}) {
    EXPECT_GT(more[both], kExamples / 100) << both;
  }
  for (const char* scaled : {"N0 * N1 =", "N0 / N1 =", "N0 * 2 =", "N0 / 2 ="}) {
    EXPECT_GT(programs[scaled], kExamples / 500) << scaled;
  }
  EXPECT_GT(programs.size(), 150u);
}

// Sums and differences of some of them, and what a whole leaves.
TEST(Makers, StoriesOfAmountsAskForPartsAndWholes) {
  constexpr std::uint64_t kExamples = 3'000;
  auto programs = ProgramsOf(Family::kTally, kExamples);
  for (const char* any : {"N0 + N1 =", "N0 - N1 =", "N1 - N0 =", "N0 + N1 + N2 =", "N0 - N1 - N2 =",
                          "N1 + N2 =", "N0 + N0 * 2 ="}) {
    EXPECT_GT(programs[any], kExamples / 300) << any;
  }
  EXPECT_GT(programs.size(), 80u);
}

// A story whose number is withheld reads as one that tells it: only who looks for it abstains.
TEST(Makers, StoriesThatWithholdANumberHaveOthers) {
  constexpr std::size_t kExamples = 400;
  const Lexicon& lexicon = Bank().lexicon();
  const Rules& rules = Bank().rules();
  const GeneratorOptions options;
  Random random(5);
  for (const auto make : {DraftFacts, DraftPortions, DraftRelation, DraftTally}) {
    std::size_t drafts = 0, with_numbers = 0;
    for (std::size_t i = 0; i < kExamples; ++i) {
      Expander expander(lexicon, rules, random, {});
      const auto draft = make({Bank(), random, expander, options}, Telling::kWithholding);
      if (!draft) continue;
      ++drafts;
      with_numbers += VariablesOfText(draft->marked) != 0 ? 1 : 0;
      EXPECT_EQ(draft->abstention, "?missing") << draft->marked;
      EXPECT_TRUE(draft->marked.ends_with('?') || draft->marked.ends_with('.')) << draft->marked;
    }
    EXPECT_GT(drafts, kExamples / 2);
    EXPECT_GT(with_numbers, drafts * 8 / 10);
  }
}

// Put together of parts, an operation may stand wherever a number does.
TEST(Makers, QuestionsOfBareNumbersNestOperations) {
  constexpr std::uint64_t kExamples = 1'000;
  for (const Family family :
       {Family::kComparison, Family::kConditional, Family::kFunction, Family::kLive}) {
    EXPECT_GT(ProgramsOf(family, kExamples).size(), 50u) << FamilyName(family);
  }
}

/// A family as training has it at its end, where late makers stand beside all others, and the rows
/// of their tables that it does not draw, as often.
std::map<std::string, std::size_t> LateProgramsOf(Family family, std::uint64_t examples) {
  std::map<std::string, std::size_t> programs = ProgramsOf(family, examples, OfLastMix());
  for (const auto& [program, count] : ProgramsOf(family, examples, OfAxisMakers())) {
    programs[program] += count;
  }
  return programs;
}

// What is lost, won, dealt out, shared, sold, still needed, or was there before.
TEST(Makers, StoriesOfTwoStepsHaveAllPairsOfThem) {
  constexpr std::uint64_t kExamples = 3'000;
  auto programs = LateProgramsOf(Family::kTwoStep, kExamples);
  for (const char* any :
       {"N0 * N1 + N2 =", "N0 * N1 - N2 =", "N2 - N0 * N1 =", "( N0 + N1 ) * N2 =",
        "( N0 - N1 ) * N2 =", "N0 * N1 / N2 =", "( N0 + N1 ) / N2 =", "( N0 - N1 ) / N2 =",
        "N0 + N1 - N2 =", "N0 - N1 - N2 =", "N0 - N1 + N2 =", "N0 * N1 * N2 =",
        "N0 * N1 + N2 * N3 =", "N0 - N1 * N2 =", "( N2 - N1 ) / N0 =", "N2 - N0 - N1 ="}) {
    EXPECT_GT(programs[any], 2 * kExamples / 300) << any;
  }
  EXPECT_GT(programs.size(), 200u);
}

// Whatever the place of an amount in the story, some question needs it and another does not.
TEST(Makers, StoriesWithUnneededNumbersAskForEachOfThem) {
  constexpr std::uint64_t kExamples = 3'000;
  std::map<char, std::size_t> needed;
  for (const auto& [program, count] : LateProgramsOf(Family::kExtra, kExamples / 2)) {
    for (char digit = '0'; digit < '4'; ++digit) {
      const bool is_needed = program.find(std::string("N") + digit) != std::string::npos;
      needed[digit] += is_needed ? count : 0;
    }
  }
  EXPECT_GT(needed['0'], kExamples / 2);
  EXPECT_LT(needed['0'], kExamples * 9 / 10);
  EXPECT_GT(needed['1'], kExamples / 2);
  EXPECT_LT(needed['1'], kExamples * 9 / 10);
  EXPECT_GT(needed['2'], kExamples / 4);
  EXPECT_GT(needed['3'], kExamples / 20);
}

TEST(Makers, RangesAndFunctionsHaveOperationsAroundThem) {
  constexpr std::uint64_t kExamples = 3'000;
  auto ranges = LateProgramsOf(Family::kRange, kExamples);
  for (const char* any :
       {"sum N0 to N1 =", "product N0 to N1 =", "count N0 to N1 =", "N1 - N0 + 1 =",
        "sum 1 to N0 =", "sum N0 to N1 * N2 =", "product N0 to N1 + N2 ="}) {
    EXPECT_GT(ranges[any], 2 * kExamples / 300) << any;
  }
  auto functions = LateProgramsOf(Family::kFunction, kExamples);
  for (const char* any : {"abs ( N0 - N1 ) =", "abs N0 =", "abs ( N0 * N1 - N2 ) =", "N0 ^ N1 =",
                          "fact N0 =", "fact N0 / fact N1 =", "( N0 + N1 ) ^ 2 ="}) {
    EXPECT_GT(functions[any], kExamples / 300) << any;
  }
}

// All four reasons, each text its own, with every opening filled.
TEST(Makers, RefusalsAreOfAllKinds) {
  constexpr std::size_t kExamples = 3'000;
  const Lexicon& lexicon = Bank().lexicon();
  const Rules& rules = Bank().rules();
  GeneratorOptions options;
  options.axis = Axis::kMakers;
  Random random(5);
  std::map<std::string, std::size_t> reasons;
  std::set<std::string> texts;
  for (std::size_t i = 0; i < kExamples; ++i) {
    options.split = i % 4 == 0 ? Split::kHeldOut : Split::kTrain;  // as often as by weight
    Expander expander(lexicon, rules, random, {});
    const auto draft = DraftRefusal({Bank(), random, expander, options});
    ASSERT_TRUE(draft);
    ++reasons[draft->abstention];
    texts.insert(draft->marked);
    EXPECT_EQ(draft->marked.find_first_of("{}[]%"), std::string::npos) << draft->marked;
  }
  EXPECT_EQ(reasons.size(), 4u);
  for (const char* reason : {"?unsupported", "?unclear", "?chat", "?missing"}) {
    EXPECT_GT(reasons[reason], kExamples / 10) << reason;
  }
  EXPECT_GT(texts.size(), kExamples * 9 / 10);
}

}  // namespace
}  // namespace txvm::neural::questions
